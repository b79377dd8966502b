import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { Overview } from '../../api/types';
import { OTHERS_COLOR, SERIES_COLORS, toChart } from './usage';

/** Requests by hour, each key's on top of the others'; the table below has the names and the numbers. */
export default function UsageChart({ usage }: { usage: Overview['usage'] }) {
  const { rows, series } = toChart(usage);
  return (
    <BarChart
      p="md"
      h={280}
      data={rows}
      dataKey="hour"
      type="stacked"
      tickLine="none"
      gridAxis="x"
      barProps={{ isAnimationActive: false, maxBarSize: 22 }}
      barChartProps={{ accessibilityLayer: false }}
      aria-hidden
      series={series.map((one, index) => ({ ...one, color: SERIES_COLORS[index] ?? OTHERS_COLOR }))}
    />
  );
}

import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { Overview } from '../../api/types';
import { toChart } from './usage';

/** Told apart in both themes and by people who see few colours; the table below says the same in numbers. */
const COLORS = ['evergreen.7', 'blue.5', 'yellow.6', 'grape.5', 'orange.6', 'gray.5'];

/** Requests by hour, each key's on top of the others'. */
export default function UsageChart({ usage }: { usage: Overview['usage'] }) {
  const { rows, series } = toChart(usage);
  return (
    <BarChart
      p="md"
      h={280}
      data={rows}
      dataKey="hour"
      type="stacked"
      withLegend={series.length > 1}
      legendProps={{ verticalAlign: 'bottom' }}
      tickLine="none"
      gridAxis="x"
      barProps={{ isAnimationActive: false, maxBarSize: 22 }}
      barChartProps={{ accessibilityLayer: false }}
      aria-hidden
      series={series.map((one, index) => ({ ...one, color: COLORS[index % COLORS.length] ?? 'gray.5' }))}
    />
  );
}

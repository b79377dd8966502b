import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { Overview } from '../../api/admin';
import { formatCompact, formatNumber } from '../../lib/format';
import { type Measure, OTHERS_COLOR, SERIES_COLORS, toChart } from './usage';

const MEASURES: { value: Measure; label: string }[] = [
  { value: 'requests', label: 'Requests' },
  { value: 'errors', label: 'Errors' },
];

/** The chart of requests or errors. Screen readers skip it and read the table below, which has the totals. */
export default function UsageChart({ usage }: { usage: Overview['usage'] }) {
  const [measure, setMeasure] = useState<Measure>('requests');
  const { rows, series } = toChart(usage, measure);
  return (
    <>
      <SegmentedControl
        size="xs"
        m="md"
        mb={0}
        data={MEASURES}
        value={measure}
        onChange={setMeasure}
        aria-label="Chart data"
      />
      <BarChart
        p="md"
        h={260}
        // While the user makes the window narrower, the chart still has its earlier width.
        style={{ overflow: 'hidden' }}
        data={rows}
        dataKey="hour"
        type="stacked"
        tickLine="none"
        gridAxis="x"
        xAxisProps={{ interval: 'equidistantPreserveStart', minTickGap: 16 }}
        yAxisProps={{ allowDecimals: false, interval: 0, tickFormatter: formatCompact }}
        valueFormatter={formatNumber}
        barProps={{ isAnimationActive: false, maxBarSize: 22 }}
        barChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
        aria-hidden
        series={series.map((one, index) => ({ ...one, color: SERIES_COLORS[index] ?? OTHERS_COLOR }))}
      />
    </>
  );
}

import type { BulkRow } from './bulk.ts';
import { formatCount, formatGrowth, formatMs, formatTable } from './formats.ts';
import type { Neighbour } from './neighbours.ts';

/** The lines about bulk work; none if none was measured. */
export function formatBulk(rows: readonly BulkRow[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const headings = ['', 'rows/s', 'first byte ms', 'memory', 'ready ms', ...first.neighbours.flatMap(headingsOf)];
  return [
    '',
    "What one account does in bulk, and what others notice of it: their p99 before and meanwhile, median of the rounds' ratios.",
    formatTable([headings, ...rows.map(formatRow)]),
    ...rows.flatMap(({ name, isQuiet }) => (isQuiet ? [] : [`${name}: the machine was busy; repeat it in quiet.`])),
  ];
}

function headingsOf({ name }: Neighbour): string[] {
  return [`${name}: before ms`, 'meanwhile', 'ratio'];
}

function formatRow({ name, perSecond, firstByteMs, memoryGrowthBytes, readyMs, neighbours }: BulkRow): string[] {
  return [
    name,
    formatCount(perSecond),
    formatMs(firstByteMs),
    formatGrowth(memoryGrowthBytes),
    formatMs(readyMs),
    ...neighbours.flatMap(({ beforeMs, meanwhileMs, ratio }) => [
      formatMs(beforeMs),
      formatMs(meanwhileMs),
      ratio.toFixed(1),
    ]),
  ];
}

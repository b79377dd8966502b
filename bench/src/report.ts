import type { BulkRow } from './bulk.ts';
import { formatCount, formatGrowth, formatMs, formatPercent, formatRatio, formatTable } from './formats.ts';
import type { Neighbour } from './neighbours.ts';
import { isQuiet } from './process-stats.ts';
import type { Results, Row } from './results.ts';
import type { Measured } from './rounds.ts';
import { judge, listTargets, type Target } from './targets.ts';

/** If the driver used more than this share of its core, it may have been the bottleneck. */
const DRIVER_BUSY_MAX = 0.95;
const HEADINGS = '|service req/s|p50 ms|p99 ms|bare req/s|p50 ms|p99 ms|ratio|memory|busy: service|bare|driver'.split(
  '|',
);

export function formatReport(results: Results): string {
  return [
    formatConditions(results),
    formatTable([HEADINGS, ...results.rows.map(formatRow)]),
    ...results.rows.flatMap(formatNotes),
    formatReady(results),
    ...formatBulk(results.bulk),
    '',
    formatTargets(listTargets(results)),
  ].join('\n');
}

function formatConditions({ date, commit, machine, isPinned, rounds, seconds, connections, ...rest }: Results): string {
  const pinning = isPinned
    ? 'servers on one core, driver on another'
    : 'NOT PINNED: taskset or a second core is missing';
  const memory =
    machine.temporaryDirectory === 'memory'
      ? '\nThe database was in memory, where creates are faster than on a disk.'
      : '';
  return `${date}  commit ${commit}  ${machine.cpu}, ${machine.cores} cores, node ${machine.node}, ${machine.os}
${formatCount(rest.accounts)} accounts, ${formatCount(rest.listings)} listings; ${pinning}
Medians of ${rounds} rounds of ${seconds} s with ${connections} connections (complete list: 1 connection, rows/s); ratio: median of the rounds' ratios; memory: maximum of the rounds.${memory}
`;
}

function formatRow({ name, service, bare, ratio }: Row): string[] {
  const figures = ({ perSecond, p50Ms, p99Ms }: Measured): string[] => [
    formatCount(perSecond),
    formatMs(p50Ms),
    formatMs(p99Ms),
  ];
  const driver = Math.max(service.busy.driver, bare.busy.driver);
  const busy = [service.busy.server, bare.busy.server, driver].map(formatPercent);
  return [
    name,
    ...figures(service),
    ...figures(bare),
    formatRatio(ratio),
    formatGrowth(service.memoryGrowthBytes),
    ...busy,
  ];
}

function formatNotes({ name, service, bare }: Row): string[] {
  const notes: string[] = [];
  if (service.firstByteMs !== undefined) notes.push(`${name}: first byte after ${formatMs(service.firstByteMs)} ms.`);
  for (const [side, measured] of Object.entries({ service, bare })) {
    const { driver, server, others } = measured.busy;
    if (driver > DRIVER_BUSY_MAX && driver > (server ?? 0)) {
      notes.push(`${name}, ${side}: the driver may have been the bottleneck.`);
    }
    if (!isQuiet(measured.busy)) {
      notes.push(
        `${name}, ${side}: other processes used ${formatPercent(others)} of a core. Repeat the run on an idle machine.`,
      );
    }
  }
  return notes;
}

function formatReady({ readyMs, seededPerSecond }: Results): string {
  return `Ready ${formatMs(readyMs)} ms after starting on the existing database; seeded at ${formatCount(seededPerSecond)} listings/s.`;
}

function formatBulk(rows: readonly BulkRow[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const headings = ['', 'rows/s', 'first byte ms', 'memory', 'ready ms', ...first.neighbours.flatMap(headingsOf)];
  return [
    '',
    "Bulk work by one account, and its effect on other accounts (p99 before and during; median of the rounds' ratios):",
    formatTable([headings, ...rows.map(formatBulkRow)]),
    ...rows.flatMap(({ name, isQuiet }) =>
      isQuiet ? [] : [`${name}: the machine was busy. Repeat the run on an idle machine.`],
    ),
  ];
}

function headingsOf({ name }: Neighbour): string[] {
  return [`${name}: before ms`, 'during', 'ratio'];
}

function formatBulkRow({ name, perSecond, firstByteMs, memoryGrowthBytes, readyMs, neighbours }: BulkRow): string[] {
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

export function formatTargets(targets: readonly Target[]): string {
  return formatTable(targets.map(formatTarget));
}

function formatTarget(target: Target): string[] {
  const { name, limit, value, unit, got } = target;
  const figure = got === undefined ? '-' : `${formatFigure(got, unit)} ${unit}`.trimEnd();
  return [name, `${limit} ${value} ${unit}`.trimEnd(), figure, judge(target)];
}

/** Formats a value with enough digits to compare it with its limit. */
function formatFigure(value: number, unit: Target['unit']): string {
  if (unit === '') return formatRatio(value);
  return value.toFixed(value < 100 ? 1 : 0);
}

import type { BulkRow } from './bulk.ts';
import { IMPORT, IMPORT_ROWS } from './imports.ts';
import { MILLION } from './million.ts';
import type { Results } from './results.ts';

export type Target = {
  name: string;
  limit: 'at least' | 'at most';
  value: number;
  unit: '' | 's' | 'ms' | 'MB' | '/s';
  /** The measured value; undefined if this run did not measure it. */
  got: number | undefined;
  isQuiet: boolean;
};

type Verdict = 'met' | 'NOT MET' | 'not measured' | 'NO VERDICT: not quiet';

const BYTES_PER_MB = 1e6;

export function listTargets(results: Results): Target[] {
  const million = results.bulk.find(({ name }) => name === MILLION);
  return [
    ...RATIOS.map(([name, value]) => atLeast(name, value, results)),
    ...importTargets(results.bulk.find(({ name }) => name === IMPORT)),
    atMost(`${MILLION}: memory growth`, 100, 'MB', inMegabytes(million?.memoryGrowthBytes)),
    atMost(`${MILLION}: first byte`, 100, 'ms', million?.firstByteMs),
    atMost('ready on an existing database', 1000, 'ms', million?.readyMs ?? results.readyMs),
  ];
}

/** The minimum ratio of the service's throughput to the bare server's. */
const RATIOS: [scenario: string, ratio: number][] = [
  ['list of 20', 0.2],
  ['get one', 0.4],
  ['create', 0.2],
  ['304 (list of 20)', 0.45],
];

function atLeast(name: string, value: number, { rows }: Results): Target {
  const row = rows.find((candidate) => candidate.name === name);
  const isQuiet = row?.isQuiet ?? false;
  return { name: `${name}: ratio`, limit: 'at least', value, unit: '', got: row?.ratio, isQuiet };
}

function importTargets(row: BulkRow | undefined): Target[] {
  if (row === undefined) return [];
  const { isQuiet, neighbours, memoryGrowthBytes } = row;
  const slowest = Math.max(...neighbours.map(({ ratio }) => ratio));
  return [
    { ...atMost(`${IMPORT}: time`, 10, 's', IMPORT_ROWS / row.perSecond), isQuiet },
    atMost(`${IMPORT}: memory growth`, 100, 'MB', inMegabytes(memoryGrowthBytes)),
    { ...atMost(`${IMPORT}: p99 of other accounts, during / before`, 5, '', slowest), isQuiet },
  ];
}

function atMost(name: string, value: number, unit: Target['unit'], got: number | undefined): Target {
  return { name, limit: 'at most', value, unit, got, isQuiet: true };
}

function inMegabytes(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / BYTES_PER_MB;
}

export function judge({ limit, value, got, isQuiet }: Target): Verdict {
  if (got === undefined) return 'not measured';
  if (!isQuiet) return 'NO VERDICT: not quiet';
  return (limit === 'at least' ? got >= value : got <= value) ? 'met' : 'NOT MET';
}

/** Whether all measured targets are met. Inconclusive results count as not met. */
export function areAllMet(targets: readonly Target[]): boolean {
  return targets.every((target) => target.got === undefined || judge(target) === 'met');
}

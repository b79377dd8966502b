import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BulkRow } from './bulk.ts';
import type { Machine } from './machine.ts';
import { isQuiet } from './process-stats.ts';
import type { Measured, Round } from './rounds.ts';
import { greatest, median } from './statistics.ts';

/** The medians of all rounds of a scenario. Memory growth is the maximum. */
export type Row = {
  name: string;
  service: Measured;
  bare: Measured;
  /** The median of the rounds' ratios. A slow phase of the machine affects both values of a ratio. */
  ratio: number;
  /** Whether the machine was otherwise idle. If not, the ratio is inconclusive. */
  isQuiet: boolean;
};

/** The results of a run: one line of the results file. */
export type Results = {
  date: string;
  commit: string;
  machine: Machine;
  isPinned: boolean;
  rounds: number;
  seconds: number;
  connections: number;
  accounts: number;
  listings: number;
  seededPerSecond: number;
  readyMs: number;
  rows: Row[];
  bulk: BulkRow[];
};

const DIRECTORY = join(import.meta.dirname, '../results');

export function appendResults(name: string, results: object): void {
  mkdirSync(DIRECTORY, { recursive: true });
  appendFileSync(join(DIRECTORY, name), `${JSON.stringify(results, shortenNumber)}\n`);
}

export function summarize(name: string, rounds: readonly Round[]): Row {
  const service = medians(rounds.map((round) => round.service));
  const bare = medians(rounds.map((round) => round.bare));
  return {
    name,
    service,
    bare,
    isQuiet: isQuiet(service.busy) && isQuiet(bare.busy),
    ratio: median(rounds.map((round) => round.service.perSecond / round.bare.perSecond)),
  };
}

export function medians(measured: readonly Measured[]): Measured {
  const of = (pick: (one: Measured) => number | undefined): number | undefined => {
    const values = measured.map(pick).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : median(values);
  };
  return {
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    firstByteMs: of(({ firstByteMs }) => firstByteMs),
    memoryGrowthBytes: greatest(measured.map(({ memoryGrowthBytes }) => memoryGrowthBytes)),
    busy: {
      server: of(({ busy }) => busy.server),
      driver: median(measured.map(({ busy }) => busy.driver)),
      others: of(({ busy }) => busy.others),
    },
  };
}

/** Rounds numbers to four significant digits, because more would be noise. */
function shortenNumber(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

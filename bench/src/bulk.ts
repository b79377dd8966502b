import type { Neighbour, Watched } from './neighbours.ts';
import { isQuiet } from './process-stats.ts';
import type { Measured } from './rounds.ts';
import { greatest, median } from './statistics.ts';

/** One round of bulk work by one account, and its effect on other accounts. */
export type BulkRound = {
  /** The time from the service's start until it is ready. */
  readyMs: number;
  measured: Pick<Measured, 'perSecond' | 'firstByteMs' | 'memoryGrowthBytes'>;
  watched: Watched;
};

export type BulkRow = {
  name: string;
  /** The median of all rounds. */
  readyMs: number;
  /** The median of rows per second over all rounds. */
  perSecond: number;
  /** This and `memoryGrowthBytes` are maximums, because the targets apply to every round. */
  firstByteMs: number | undefined;
  memoryGrowthBytes: number | undefined;
  /** The medians of all rounds. */
  neighbours: Neighbour[];
  /** Whether the machine was otherwise idle in every round. If not, the effect on neighbors is inconclusive. */
  isQuiet: boolean;
};

export function summarizeBulk(name: string, rounds: readonly BulkRound[]): BulkRow {
  const measured = rounds.map((round) => round.measured);
  const watched = rounds.map((round) => round.watched);
  return {
    name,
    readyMs: median(rounds.map(({ readyMs }) => readyMs)),
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    firstByteMs: greatest(measured.map(({ firstByteMs }) => firstByteMs)),
    memoryGrowthBytes: greatest(measured.map(({ memoryGrowthBytes }) => memoryGrowthBytes)),
    neighbours: summarizeNeighbours(watched.map(({ neighbours }) => neighbours)),
    isQuiet: watched.every(({ busy }) => isQuiet(busy)),
  };
}

/** `ratio` is the median of the rounds' ratios, because a slow phase of the machine affects both values of a round. */
function summarizeNeighbours(rounds: readonly Neighbour[][]): Neighbour[] {
  return (rounds[0] ?? []).map(({ name }) => {
    const same = rounds.flatMap((neighbours) => neighbours.filter((neighbour) => neighbour.name === name));
    return {
      name,
      beforeMs: median(same.map(({ beforeMs }) => beforeMs)),
      meanwhileMs: median(same.map(({ meanwhileMs }) => meanwhileMs)),
      ratio: median(same.map(({ ratio }) => ratio)),
    };
  });
}

import type { Neighbour, Watched } from './neighbours.ts';
import { isQuiet } from './process-stats.ts';
import type { Measured } from './rounds.ts';
import { greatest, median } from './statistics.ts';

/** What one account does in bulk, measured in one round, and what others noticed of it. */
export type BulkRound = {
  /** From start to ready, of the service that it was measured with. */
  readyMs: number;
  measured: Pick<Measured, 'perSecond' | 'firstByteMs' | 'memoryGrowthBytes'>;
  watched: Watched;
};

/** The rounds of one bulk work. */
export type BulkRow = {
  name: string;
  /** The median, as `perSecond`. */
  readyMs: number;
  /** Rows per second. */
  perSecond: number;
  /** The greatest of all rounds, as `memoryGrowthBytes`: such a promise is kept each time or not at all. */
  firstByteMs: number | undefined;
  memoryGrowthBytes: number | undefined;
  /** The medians. */
  neighbours: Neighbour[];
  /** Whether the machine had hardly anything else to do in any round: otherwise what neighbours noticed says little. */
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

/** The ratio is the median of the rounds' own ratios: a slow moment of the machine falls on both sides of a round. */
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

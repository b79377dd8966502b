import { until } from './until.ts';

/** This many equal reads in a row count as still. */
const SAME_MIN = 15;
/** Reads may be slow: memory is read after a garbage collection. */
const DEADLINE_MS = 120_000;

/** Resolves once `read` returns the same value again and again. */
export async function untilStill(what: string, read: () => number): Promise<void> {
  let last = read();
  let same = 0;
  await until(
    what,
    () => {
      const value = read();
      same = value === last ? same + 1 : 0;
      last = value;
      return same >= SAME_MIN;
    },
    DEADLINE_MS,
  );
}

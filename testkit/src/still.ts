import { until } from './until.ts';

/** How many times in a row the value must be the same. */
const SAME_MIN = 15;
/** To read it may take long: memory is looked at after a garbage collection. */
const DEADLINE_MS = 120_000;

/** Resolves once `read` gives the same value again and again: nothing moves any more. */
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

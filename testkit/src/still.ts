import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until.ts';

/** After this many equal reads in a row, the value counts as still. */
const SAME_MIN = 15;
/** The deadline is long, because reads may be slow: memory is read after a garbage collection. */
const DEADLINE_MS = 120_000;

/** Resolves once `read` has returned the same value several times in a row. */
export async function untilStill(what: string, read: () => number): Promise<void> {
  let last = read();
  let same = 0;
  await until(
    what,
    async () => {
      const startMs = performance.now();
      const value = read();
      // Pause for as long as the read took. Slow reads block a service in this process, whose own work would
      // otherwise time out on a busy machine.
      await sleep(performance.now() - startMs);
      same = value === last ? same + 1 : 0;
      last = value;
      return same >= SAME_MIN;
    },
    DEADLINE_MS,
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
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
    async () => {
      const startMs = performance.now();
      const value = read();
      // Slow reads block a service in this process: without pauses, its own work would time out on a busy machine.
      await sleep(performance.now() - startMs);
      same = value === last ? same + 1 : 0;
      last = value;
      return same >= SAME_MIN;
    },
    DEADLINE_MS,
  );
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Never runs `work` twice at once. Calls during a run share one further run, which follows the current one. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = (): Promise<void> => {
    if (running === undefined) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
  return run;
}

/** Waits until `work` is done or fails, but for at most `durationMs`. */
export async function settleWithin(durationMs: number, work: Promise<void>): Promise<void> {
  await Promise.race([work.catch(() => {}), sleep(durationMs, undefined, { ref: false })]);
}

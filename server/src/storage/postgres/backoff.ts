import { setTimeout as sleep } from 'node:timers/promises';

/** Leaves time for a last attempt within a request's five seconds. PostgreSQL takes a second to detect a deadlock. */
const ATTEMPTS_MAX_MS = 2_000;
/** The wait before the second attempt, doubled for each further one. Dead connections are detected during the wait. */
const WAIT_MS = 10;

/** Limits the retries of work that failed because of a dead connection or another transaction. */
export class Backoff {
  readonly #endTimeMs = performance.now() + ATTEMPTS_MAX_MS;
  #waitMs = WAIT_MS;

  /** Waits before the next attempt. @returns false, without waiting, if the wait would exceed the time limit */
  async next(): Promise<boolean> {
    const waitMs = this.#waitMs;
    if (performance.now() + waitMs > this.#endTimeMs) return false;
    this.#waitMs *= 2;
    await sleep(waitMs);
    return true;
  }
}

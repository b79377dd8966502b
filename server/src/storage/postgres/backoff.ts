import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A request must end within five seconds, and the last attempt may take as long as a statement. PostgreSQL needs a
 * second to detect a deadlock.
 */
const ATTEMPTS_MAX_MS = 2_000;
/** The wait before the second attempt; it doubles with each further one. Meanwhile, dead connections are noticed. */
const WAIT_MS = 10;

/** Limits the retries of work that failed because of a dead connection or another transaction. */
export class Backoff {
  readonly #endTimeMs = performance.now() + ATTEMPTS_MAX_MS;
  #waitMs = WAIT_MS;

  /** Waits before the next attempt. @returns whether there is one */
  async next(): Promise<boolean> {
    const waitMs = this.#waitMs;
    if (performance.now() + waitMs > this.#endTimeMs) return false;
    this.#waitMs *= 2;
    await sleep(waitMs);
    return true;
  }
}

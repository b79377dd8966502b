import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Whoever waits is told within five seconds, and a last try may take a statement's time. PostgreSQL needs a second to find
 * a deadlock.
 */
const TRYING_MAX_MS = 2_000;
/** The wait before the second try, and twice as long before each that follows: dead connections are found meanwhile. */
const WAIT_MS = 10;

/** For work that met a dead connection, or another transaction: it is run again, but only for a short while. */
export class Backoff {
  readonly #endTimeMs = performance.now() + TRYING_MAX_MS;
  #waitMs = WAIT_MS;

  /** Waits for the next try. @returns whether there is one */
  async next(): Promise<boolean> {
    const waitMs = this.#waitMs;
    if (performance.now() + waitMs > this.#endTimeMs) return false;
    this.#waitMs *= 2;
    await sleep(waitMs);
    return true;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../../../lib/fair-queue.ts';
import { countWaiting, ownTurn } from '../../../lib/turns.ts';

/** How long endpoints can read events and start attempts in one turn of the event loop. */
const TURN_MS = 1.5;
/** Maximum number of endpoints in a turn. Most have one event to send. */
const TURN_ENDPOINTS_MAX = 16;
/**
 * After a turn of the endpoints, the next one waits for twice as long as that turn took. About half of this
 * time is used to read the endpoints' responses; the rest is left to requests.
 */
const REST_FACTOR = 2;
/** Maximum number of turns that waiting requests get before each turn of the endpoints. */
const REQUESTS_FIRST = 4;

/** Limits how much event-loop time a process's endpoints use, so that they do not delay requests. */
export class Pace {
  readonly #waiting = new FairQueue<string, () => void>();
  #isGiving = false;
  #usedMs = 0;
  /** When the current turn ends (`performance.now()`). */
  endMs = 0;

  turn(accountId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(accountId, resolve);
    if (!this.#isGiving) void this.#giveTurns();
    return promise;
  }

  use(ms: number): void {
    this.#usedMs += ms;
  }

  async #giveTurns(): Promise<void> {
    this.#isGiving = true;
    while (!this.#waiting.isEmpty) {
      if (this.#usedMs * REST_FACTOR >= 1) {
        const restMs = this.#usedMs * REST_FACTOR;
        this.#usedMs = 0;
        await sleep(restMs);
      }
      for (let given = 0; given < REQUESTS_FIRST && countWaiting() > 0; given += 1) await ownTurn('webhooks');
      await ownTurn('webhooks');
      this.endMs = performance.now() + TURN_MS;
      for (let count = 0; count < TURN_ENDPOINTS_MAX; count += 1) this.#waiting.take()?.();
    }
    this.#isGiving = false;
  }
}

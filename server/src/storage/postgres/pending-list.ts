import { send } from './connection.ts';
import type { Pool } from './pool.ts';

/** How long after a commit the list is emptied. Emptying a second's worth of creates takes about 0.1 s. */
const DELAY_MS = 1_000;
const EMPTY = "select gin_clean_pending_list('listing_facets_terms')";
/** The delay after a failure, for example if the service's role does not own the index. */
const FAILED_DELAY_MS = 60_000;

/**
 * Empties the pending list of the index of terms (postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE). Each
 * search reads the whole list, which takes 10 ms once the list is full, and the write that fills it would wait
 * until the server has emptied it. On Citus, each shard has its own list, which only autovacuum empties early.
 */
export class PendingList {
  readonly #pool: Pool;
  #timer: NodeJS.Timeout | undefined;
  #delayMs = DELAY_MS;
  #emptied: Promise<void> = Promise.resolve();

  /** @param pool a pool of its own, because emptying waits if another process empties the list */
  constructor(pool: Pool) {
    this.#pool = pool;
  }

  noteCommit(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#emptied = this.#emptied.then(() => this.#empty());
    }, this.#delayMs).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#emptied;
  }

  async #empty(): Promise<void> {
    const texts = [`begin${this.#pool.beginLimits}`, EMPTY, 'commit'];
    try {
      await this.#pool.use((client) => Promise.all(texts.map((text) => send(client, { text }))));
      this.#delayMs = DELAY_MS;
    } catch {
      // Until the next attempt, only autovacuum empties the list.
      this.#delayMs = FAILED_DELAY_MS;
    }
  }
}

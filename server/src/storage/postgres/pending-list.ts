import { send } from './connection.ts';
import type { Pool } from './pool.ts';

/** How long after a commit the list is emptied. Emptying a second's worth of creates takes about 0.1 s. */
const DELAY_MS = 1_000;

/**
 * Empties the pending list of the index of terms (postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE). Each
 * search reads the whole list, which takes 10 ms once it is full; and the write that fills it would wait until
 * the server has emptied it. On Citus, each shard has its own list, which only autovacuum empties early.
 */
export class PendingList {
  readonly #pool: Pool;
  #timer: NodeJS.Timeout | undefined;
  #emptied: Promise<void> | undefined;

  /** @param pool a pool that no request waits for */
  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Call this after a commit. */
  noteCommit(): void {
    this.#timer ??= setTimeout(() => {
      this.#emptied = this.#empty();
    }, DELAY_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#emptied;
  }

  async #empty(): Promise<void> {
    const emptying = this.#pool.use((client) =>
      send(client, { text: "select gin_clean_pending_list('listing_facets_terms')" }),
    );
    // Without it, as without the permission, searches are slower until autovacuum.
    await emptying.catch(() => {});
    this.#timer = undefined;
  }
}

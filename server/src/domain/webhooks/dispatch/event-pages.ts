import type { Database } from '../../../storage/database.ts';
import { findEvents, type StoredEvent } from '../../../storage/events.ts';
import type { Run } from '../../../storage/runs.ts';

/** The limits of a page. Reading a page takes less than 2 ms. */
export const PAGE = { limit: 64, bytesMax: 64 * 1024 };

/** Endpoints share a read in progress, because most endpoints of an account need the same events at the same time. */
export class EventPages {
  readonly #database: Database;
  /** The reads in progress, by account and by the sequence after which they start. */
  readonly #reads = new Map<string, Map<number, Promise<Run<StoredEvent>>>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads at most one page of events after a sequence, including those that earlier `noteWrite` calls announced. */
  read(accountId: string, after: number): Promise<Run<StoredEvent>> {
    const reads = this.#reads.get(accountId) ?? new Map<number, Promise<Run<StoredEvent>>>();
    const begun = reads.get(after);
    if (begun !== undefined) return begun;
    const read = findEvents(this.#database, accountId, after, PAGE).finally(() => {
      reads.delete(after);
      if (reads.size === 0 && this.#reads.get(accountId) === reads) this.#reads.delete(accountId);
    });
    this.#reads.set(accountId, reads.set(after, read));
    return read;
  }

  /** Call this when the account has new events, because the reads in progress may not include them. */
  noteWrite(accountId: string): void {
    this.#reads.delete(accountId);
  }
}

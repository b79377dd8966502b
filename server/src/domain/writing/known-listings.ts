import type { Listing } from '../../model/listings.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import type { Executor } from '../../storage/database.ts';
import { findKeyedListings, type KeyedListing, type StoredListing } from '../../storage/listings.ts';
import type { CurrentListing } from './write-path.ts';

/** A stored or planned listing whose JSON is parsed on first use. */
export class KnownListing<S extends StoredListing = StoredListing> implements CurrentListing {
  readonly stored: S;
  #listing: Listing | undefined;

  constructor(stored: S) {
    this.stored = stored;
  }

  get listing(): Listing {
    const listing: Listing = this.#listing ?? JSON.parse(this.stored.doc);
    this.#listing = listing;
    return listing;
  }
}

export type LookupKind = 'id' | 'externalId';

/** The listings that a file's rows could affect, as far as they have been looked up. */
export class KnownListings {
  readonly byId = new Map<string, KnownListing<KeyedListing>>();
  /** Listing ids by external id. */
  readonly idOf = new Map<string, string>();
  /** The length of all documents. */
  bytes = 0;
  readonly #asked = { id: new Set<string>(), externalId: new Set<string>() };

  /** Looks up ids and external ids that have not been looked up yet. Awaits `pause` after each statement. */
  async lookUp(
    transaction: Executor,
    accountId: string,
    kind: LookupKind,
    keys: Iterable<string>,
    pause: () => Promise<void>,
  ): Promise<void> {
    const fresh = [...new Set(keys).difference(this.#asked[kind])];
    for (const key of fresh) this.#asked[kind].add(key);
    for (let start = 0; start < fresh.length; start += BATCH_LENGTH) {
      let rest = fresh.slice(start, start + BATCH_LENGTH);
      while (rest.length > 0) {
        const { rows, isCut } = await findKeyedListings(transaction, accountId, kind, rest);
        for (const stored of rows) this.#add(stored);
        const found = new Set(rows.map((stored) => stored[kind]));
        rest = isCut ? rest.filter((key) => !found.has(key)) : [];
        await pause();
      }
    }
  }

  /** Whether a changed listing was looked up by its id or its current external id. */
  includes({ id, externalId }: { id: string; externalId: string | null }): boolean {
    const { id: ids, externalId: externalIds } = this.#asked;
    return this.byId.has(id) || ids.has(id) || (externalId !== null && externalIds.has(externalId));
  }

  forget(id: string): void {
    const stored = this.byId.get(id)?.stored;
    this.#asked.id.delete(id);
    this.byId.delete(id);
    this.bytes -= stored?.doc.length ?? 0;
    const externalId = stored?.externalId ?? undefined;
    if (externalId !== undefined && this.idOf.get(externalId) === id) this.idOf.delete(externalId);
  }

  #add(stored: KeyedListing): void {
    this.forget(stored.id);
    this.#asked.id.add(stored.id);
    this.bytes += stored.doc.length;
    this.byId.set(stored.id, new KnownListing(stored));
    if (stored.externalId !== null) this.idOf.set(stored.externalId, stored.id);
  }
}

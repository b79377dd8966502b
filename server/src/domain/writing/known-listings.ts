import type { Listing } from '../../model/listings.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import type { Executor } from '../../storage/database.ts';
import { findKeyedListings, type KeyedListing } from '../../storage/listings.ts';
import { type KeepText, type StagedText, textOf } from '../../storage/open.ts';
import { type FormerListing, formerOf } from './change-batch.ts';

/** A stored or planned listing. */
export interface PlanListing {
  externalId: string | undefined;
  /** Undefined if the document was released. */
  doc: StagedText | undefined;
  docBytes: number;
}

export class ReleasedDocError extends Error {
  constructor() {
    super("A listing's document is needed after it was released");
  }
}

/** A stored listing. */
export class KnownListing implements PlanListing {
  readonly id: string;
  readonly externalId: string | undefined;
  readonly feed: string | null;
  doc: StagedText | undefined;
  readonly docBytes: number;
  readonly length: number;
  /** Undefined until the document is parsed. */
  former: FormerListing | undefined;

  constructor({ id, externalId, feed, doc }: KeyedListing, keep: KeepText) {
    this.id = id;
    this.externalId = externalId ?? undefined;
    this.feed = feed;
    this.doc = keep(doc);
    this.docBytes = Buffer.byteLength(doc);
    this.length = doc.length;
  }

  /** @throws {ReleasedDocError} */
  parse(): Listing {
    const listing = parsePlanned(this);
    this.former ??= formerOf(this, listing);
    return listing;
  }

  /** Frees the document's memory. */
  release(): void {
    this.doc = undefined;
  }
}

/** @throws {ReleasedDocError} */
export function parsePlanned({ doc }: PlanListing): Listing {
  if (doc === undefined) throw new ReleasedDocError();
  return JSON.parse(textOf(doc));
}

export type LookupKind = 'id' | 'externalId';

/** The listings that a file's rows could affect and that have been looked up so far. */
export class KnownListings {
  readonly byId = new Map<string, KnownListing>();
  /** Listing ids by external id. */
  readonly idOf = new Map<string, string>();
  /** The total length of all documents. */
  bytes = 0;
  readonly #keep: KeepText;
  readonly #asked = { id: new Set<string>(), externalId: new Set<string>() };

  constructor(keep: KeepText) {
    this.#keep = keep;
  }

  /** Looks up the ids or external ids that have not been looked up yet. Awaits `pause` after each statement. */
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
    const known = this.byId.get(id);
    this.#asked.id.delete(id);
    this.byId.delete(id);
    this.bytes -= known?.length ?? 0;
    const externalId = known?.externalId;
    if (externalId !== undefined && this.idOf.get(externalId) === id) this.idOf.delete(externalId);
  }

  #add(stored: KeyedListing): void {
    this.forget(stored.id);
    this.#asked.id.add(stored.id);
    this.bytes += stored.doc.length;
    this.byId.set(stored.id, new KnownListing(stored, this.#keep));
    if (stored.externalId !== null) this.idOf.set(stored.externalId, stored.id);
  }
}

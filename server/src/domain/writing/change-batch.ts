import { LRUCache } from 'lru-cache';
import { createId } from '../../lib/ids.ts';
import type { AccountHead } from '../../model/accounts.ts';
import { type FieldChange, LISTING_ID_PREFIX, type Listing } from '../../model/listings.ts';
import { type SearchColumns, searchColumnsOf } from '../../model/search.ts';
import { changedParts, type SearchRow, searchTermsOf } from '../../model/search-terms.ts';
import { advanceSequenceBy } from '../../storage/account-heads.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import type { Executor, LongTransaction } from '../../storage/database.ts';
import { type EventRow, insertEvents } from '../../storage/events.ts';
import { growFeed } from '../../storage/feeds.ts';
import { insertFormer, keepVersions } from '../../storage/history.ts';
import {
  type CountChange,
  CountChanges,
  type CountedValues,
  changeCount,
  resumeCounting,
  suspendCounting,
} from '../../storage/listing-counts.ts';
import { putListings } from '../../storage/listings.ts';
import { type KeepText, keepInMemory, type StagedText, textOf } from '../../storage/open.ts';
import { insertSearchRows, releaseExternalId, updateSearchRows } from '../../storage/search-rows.ts';
import { measureVersion, type VersionSize } from './quotas.ts';
import type { Writing } from './writing.ts';

export interface ReadyChange extends VersionSize {
  type: 'created' | 'updated';
  id: string;
  externalId: string | undefined;
  version: number;
  /** The listing as JSON. */
  doc: StagedText;
  /** The names of the changed fields as a JSON array; null for a new listing. */
  changed: string | null;
  /** How the fields have changed, as JSON; null for a new listing. */
  changes: StagedText | null;
  /** The listing's search row without its terms. */
  columns: SearchColumns;
  terms: StagedText;
  /** The parts of the search row that can differ from the stored row. */
  parts: readonly (keyof SearchRow)[];
  termsLength: number;
  /** The length of `doc`, `changes`, and `terms`. */
  length: number;
  /** The mark that the listing's feed stores with the listing. */
  feedMark?: string | undefined;
}

/** `fieldChanges` contains the changed fields of an updated listing. */
export function readyChange(
  type: ReadyChange['type'],
  listing: Listing,
  fieldChanges: Record<string, FieldChange>,
  keep: KeepText = keepInMemory,
): ReadyChange {
  const { id, version } = listing;
  const isNew = type === 'created';
  const { changed, parts } = changedFieldsOf(Object.keys(fieldChanges));
  const doc = JSON.stringify(listing);
  const changes = isNew ? null : JSON.stringify(fieldChanges);
  const columns = searchColumnsOf(listing);
  const terms = searchTermsOf(listing, columns);
  const { docBytes, countedBytes } = measureVersion(doc, changes);
  // Named members take less memory than those of a spread object.
  return {
    type,
    id,
    externalId: listing.externalId,
    version,
    doc: keep(doc),
    changed: isNew ? null : changed,
    changes: changes === null ? null : keep(changes),
    columns,
    terms: keep(terms),
    parts,
    termsLength: terms.length,
    length: doc.length + (changes?.length ?? 0) + terms.length,
    docBytes,
    countedBytes,
    feedMark: undefined,
  };
}

type ChangedFields = Pick<ReadyChange, 'parts'> & { changed: string };

const CHANGED_FIELDS_MAX = 1_000;
/** Most changes of a batch affect the same fields, so they share these values. */
const changedFields = new LRUCache<string, ChangedFields>({ max: CHANGED_FIELDS_MAX });

function changedFieldsOf(names: string[]): ChangedFields {
  const changed = JSON.stringify(names);
  const known = changedFields.get(changed) ?? { changed, parts: changedParts(names) };
  changedFields.set(changed, known);
  return known;
}

/** What a batch needs to know about the version that it replaces. */
export interface FormerListing {
  id: string;
  externalId: string | undefined;
  feed: string | null;
  /** RFC 3339. */
  updatedAt: string;
  /** The length of the listing's document. */
  length: number;
  counted: CountedValues;
}

export function formerOf(
  { id, externalId, feed, length }: Pick<FormerListing, 'id' | 'externalId' | 'feed' | 'length'>,
  listing: Listing,
): FormerListing {
  return { id, externalId, feed, updatedAt: listing.updatedAt, length, counted: countedValues(listing) };
}

interface ReadyEvent {
  change: ReadyChange;
  /** Whether a later change of the batch replaces this one. */
  isReplaced: boolean;
}

/** A listing after all changes of the batch. */
interface Final {
  change: ReadyChange;
  /** The parts of the search row that any of the changes affects. */
  parts: ReadyChange['parts'];
  /** The position of the listing's last change in the batch, starting at 1. */
  place: number;
  /** Undefined for a new listing. */
  before: FormerListing | undefined;
}

/** How long statements run per event-loop turn. Shorter slices would prolong the transaction. */
const SLICE_MS = 5;
/** A statement gets no further rows once its rows have this many bytes. */
const STATEMENT_BYTES_MAX = 256 * 1024;

type Transaction = Executor & Partial<LongTransaction>;

/** Changes to an account's listings that are written together, in order. */
export class ChangeBatch {
  /** The approximate number of bytes to write: documents, changes, and search terms. */
  bytes = 0;
  /** The number of bytes that all versions add to the account's stored bytes. */
  #countedBytes = 0;
  #created = 0;
  readonly #counts = new CountChanges();
  readonly #events: ReadyEvent[] = [];
  readonly #finals = new Map<string, Final>();

  /**
   * Adds a change, which must start from the batch's previous version of the listing, if there is one. `before`
   * is the stored listing; undefined for a new one.
   */
  add(change: ReadyChange, before: FormerListing | undefined): void {
    const earlier = this.#finals.get(change.id);
    const replaced = earlier && this.#events[earlier.place - 1];
    if (replaced !== undefined) replaced.isReplaced = true;
    const place = this.#events.push({ change, isReplaced: false });
    const parts = earlier ? [...new Set([...earlier.parts, ...change.parts])] : change.parts;
    this.#finals.set(change.id, { change, parts, place, before: earlier?.before ?? before });
    this.#count(change, earlier, before);
    this.#countedBytes += change.countedBytes;
    this.bytes += change.length;
    if (change.type === 'created') this.#created += 1;
  }

  /** `#counts` is used only if the transaction suspends the trigger that otherwise updates the stored counts. */
  #count(change: ReadyChange, earlier: Final | undefined, before: FormerListing | undefined): void {
    if (!change.parts.some((part) => COUNTED_PARTS.has(part))) return;
    const counted = earlier?.before === undefined ? before?.counted : countedValues(earlier.change.columns);
    if (counted === undefined) return;
    this.#counts.add(counted, -1);
    this.#counts.add(countedValues(change.columns), 1);
  }

  /**
   * Stores what `storeCreated` and `storeUpdated` would store, with as few statements as possible. A batch
   * that takes more than a few milliseconds needs a transaction that can yield to the event loop.
   */
  async store({ transaction, account, changedBy }: Writing<Transaction>): Promise<void> {
    if (this.#events.length === 0) return;
    this.#renewIds(account);
    const growth = { changes: this.#events.length, listings: this.#created, bytes: this.#countedBytes };
    const lastSequence = await advanceSequenceBy(transaction, account, growth);
    const finals = [...this.#finals.values()];
    const actor = JSON.stringify(changedBy);
    await transaction.nextTurn?.();
    await keepFormer(transaction, account.id, finals);
    await this.#storeReplaced(transaction, account.id, lastSequence, actor);
    await this.#storeEvents(transaction, account.id, lastSequence);
    const put = (some: readonly Final[]) => {
      const rows = some.map((final) => toRow(final, lastSequence, actor));
      return putListings(transaction, account.id, rows);
    };
    await inBatches(transaction, finals, put, ({ change }) => change.docBytes);
    await storeSearchRows(transaction, account.id, finals, this.#counts);
    for (const [feed, by] of feedGrowth(finals)) await growFeed(transaction, account.id, feed, by);
  }

  /** Gives new listings greater ids, unless their ids are in order and greater than those of the account's listings. */
  #renewIds(account: AccountHead): void {
    const created = [...this.#finals.values()].filter(({ before }) => before === undefined);
    const oldIds = created.map(({ change }) => change.id);
    const areInOrder = oldIds.every((id, index) => id > (oldIds[index - 1] ?? account.newestId));
    if (areInOrder) {
      account.newestId = oldIds.at(-1) ?? account.newestId;
      return;
    }
    const ids = new Map<string, string>();
    for (const id of oldIds) {
      account.newestId = createId(LISTING_ID_PREFIX, account.newestId);
      ids.set(id, account.newestId);
    }
    for (const event of this.#events) {
      const newId = ids.get(event.change.id);
      if (newId !== undefined) event.change = withId(event.change, newId);
    }
    for (const final of created) final.change = withId(final.change, ids.get(final.change.id) ?? '');
  }

  /** Stores the versions that later changes of the batch have replaced. */
  async #storeReplaced(
    transaction: Transaction,
    accountId: string,
    lastSequence: number,
    actor: string,
  ): Promise<void> {
    if (this.#events.length === this.#finals.size) return;
    const replaced = [...this.#events.entries()].filter(([, { isReplaced }]) => isReplaced);
    const insert = (some: readonly (typeof replaced)[number][]) => {
      const rows = some.map(([index, { change }]) => {
        const { type, id, version, columns, changes, doc } = change;
        const entry = { sequence: lastSequence + index + 1, version, type: `listing.${type}` as const };
        const texts = { at: columns.updatedAt, actor, changes: changes && textOf(changes), doc: textOf(doc) };
        return { listingId: id, ...entry, ...texts };
      });
      return insertFormer(transaction, accountId, rows);
    };
    await inBatches(transaction, replaced, insert, ([, { change }]) => change.docBytes);
  }

  async #storeEvents(transaction: Transaction, accountId: string, lastSequence: number): Promise<void> {
    const createdAt = Date.now();
    let sequence = lastSequence;
    await inBatches(transaction, this.#events, (some) => {
      const rows = some.map(({ change: { type, id, columns, changed } }): EventRow => {
        sequence += 1;
        const feed = columns.feed ?? null;
        return { sequence, type: `listing.${type}`, listingId: id, changed, createdAt, feed, externalId: null };
      });
      return insertEvents(transaction, accountId, rows);
    });
  }
}

function withId<C extends ReadyChange>(change: C, id: string): C {
  const { id: oldId, doc } = change;
  // The id is a document's first member, so the first occurrence is the id itself.
  const renew = () => textOf(doc).replace(oldId, id);
  return { ...change, id, doc: typeof doc === 'string' ? renew() : { read: renew } };
}

function toRow(
  { change: { id, version, terms, doc, changes, feedMark }, place }: Final,
  lastSequence: number,
  actor: string,
) {
  // Named members, because spreading an object takes longer.
  return {
    id,
    version,
    sequence: lastSequence + place,
    terms: textOf(terms),
    doc: textOf(doc),
    changes: changes && textOf(changes),
    actor,
    feedMark,
  };
}

/** The number of listings that each feed gains. */
function feedGrowth(finals: Final[]): Map<string, number> {
  const growth = new Map<string, number>();
  for (const { change, before } of finals) {
    const { feed } = change.columns;
    if (feed !== undefined && before?.feed !== feed) growth.set(feed, (growth.get(feed) ?? 0) + 1);
  }
  return growth;
}

/** Copies the stored versions that the batch replaces to the history. */
async function keepFormer(transaction: Transaction, accountId: string, finals: Final[]): Promise<void> {
  const former = finals.map(({ before }) => before).filter((before) => before !== undefined);
  await inBatches(
    transaction,
    former,
    (some) => keepVersions(transaction, accountId, some),
    ({ length }) => length,
  );
}

async function storeSearchRows(
  transaction: Transaction,
  accountId: string,
  finals: Final[],
  counts: CountChanges,
): Promise<void> {
  await transaction.nextTurn?.();
  // External ids are released first, because another listing of the batch can take them.
  const releasing = finals.filter(({ before, change: { columns } }) => {
    const externalId = before?.externalId;
    return externalId !== undefined && externalId !== columns.externalId;
  });
  await inBatches(transaction, releasing, async (some) => {
    for (const { change } of some) await releaseExternalId(transaction, accountId, change.id);
  });
  const created = finals.filter(({ before }) => before === undefined);
  const insert = (some: readonly Final[]) => insertSearchRows(transaction, accountId, some.map(searchRowOf));
  await inBatches(transaction, created, insert, ({ change }) => change.termsLength);
  const updated = finals.filter(({ before }) => before !== undefined);
  await changeSearchRows(transaction, accountId, updated, transaction.hasCountTriggers ? counts.list() : []);
}

async function changeSearchRows(
  transaction: Transaction,
  accountId: string,
  finals: Final[],
  counts: CountChange[],
): Promise<void> {
  const update = async (some: readonly Final[]) => {
    for (const [parts, alike] of byParts(some))
      await updateSearchRows(transaction, accountId, alike.map(searchRowOf), parts);
  };
  const sorted = [...byParts(finals).values()].flat();
  await transaction.nextTurn?.();
  if (counts.length > 0) await suspendCounting(transaction);
  await inBatches(transaction, sorted, update, ({ change }) => change.termsLength);
  if (counts.length > 0) await resumeCounting(transaction);
  await inBatches(transaction, counts, async (some) => {
    for (const change of some) await changeCount(transaction, accountId, change);
  });
}

const COUNTED_PARTS: ReadonlySet<keyof SearchRow> = new Set(['status', 'beds', 'propertyType', 'baths']);

/** The default for `status` only satisfies the type; stored listings always have a status. */
function countedValues({ status = 'active', beds, propertyType, baths }: SearchColumns): CountedValues {
  return { status, beds, propertyType: propertyType ?? '', baths };
}

/** Groups listings by their `parts` array, which changes to the same fields share. */
function byParts(finals: readonly Final[]): Map<Final['parts'], Final[]> {
  return Map.groupBy(finals, ({ parts }) => parts);
}

function searchRowOf({ change: { id, columns, terms } }: Final): SearchRow & { id: string } {
  return { ...columns, id, terms: textOf(terms) };
}

/** Runs `work` on batches of rows, and yields to the event loop after each time slice. */
async function inBatches<T>(
  transaction: Transaction,
  rows: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
  bytesOf: (row: T) => number = () => 0,
): Promise<void> {
  let sliceEndMs = performance.now() + SLICE_MS;
  for (const some of cut(rows, bytesOf)) {
    await work(some);
    if (performance.now() < sliceEndMs) continue;
    await transaction.nextTurn?.();
    sliceEndMs = performance.now() + SLICE_MS;
  }
}

function* cut<T>(rows: readonly T[], bytesOf: (row: T) => number): Generator<T[]> {
  let some: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    some.push(row);
    bytes += bytesOf(row);
    if (some.length < BATCH_LENGTH && bytes < STATEMENT_BYTES_MAX) continue;
    yield some;
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield some;
}

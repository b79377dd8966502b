import { type RawBuilder, sql } from 'kysely';
import type { EventType } from '../model/listings.ts';
import { subtractBytes } from './account-heads.ts';
import { type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Run, statement } from './database.ts';
import type { Tables } from './schema.ts';

export interface EventRow {
  sequence: number;
  type: EventType;
  listingId: string;
  /** The names of the fields that have changed, as a JSON array; null unless the listing was updated. */
  changed: string | null;
  /** UTC milliseconds. */
  createdAt: number;
}

const insert = statement<EventRow & { accountId: string }>((query, parameter) =>
  query.insertInto('events').values({
    account_id: parameter('accountId'),
    sequence: parameter('sequence'),
    type: parameter('type'),
    listing_id: parameter('listingId'),
    doc: null,
    changed: parameter('changed'),
    created_at: parameter('createdAt'),
  }),
);

/** Appends an event to the account's history. Its document is the listing's, until that is replaced. */
export async function insertEvent(executor: Executor, accountId: string, event: EventRow): Promise<void> {
  await executor.execute(insert, { accountId, ...event });
}

const COLUMNS = ['account_id', 'sequence', 'type', 'listing_id', 'doc', 'changed', 'created_at'] as const;

const insertSome = batchStatement((length) =>
  statement<BatchValues>((query, parameter) =>
    query.insertInto('events').values(batchRows<Tables['events']>(COLUMNS, parameter, length)),
  ),
);

/** Appends events, a batch of them; one has a document if a later one of the same transaction has replaced it already. */
export async function insertEvents(
  executor: Executor,
  accountId: string,
  events: readonly (EventRow & { doc: string | null })[],
): Promise<void> {
  const rows = events.map(({ sequence, type, listingId, doc, changed, createdAt }) => [
    accountId,
    sequence,
    type,
    listingId,
    doc,
    changed,
    createdAt,
  ]);
  await executeBatch(executor, insertSome, rows);
}

const copyDoc = batchStatement((length) =>
  statement<BatchValues, { sequence: number }>((query, parameter) =>
    query
      .updateTable('events')
      .from('listings')
      .set(({ ref }) => ({ doc: ref('listings.doc') }))
      .whereRef('listings.account_id', '=', 'events.account_id')
      .whereRef('listings.id', '=', 'events.listing_id')
      .whereRef('listings.sequence', '=', 'events.sequence')
      .where('events.account_id', '=', parameter('0') as RawBuilder<string>)
      .where(
        'events.sequence',
        'in',
        Array.from({ length }, (_, index) => parameter(String(2 * index + 1)) as RawBuilder<number>),
      )
      .returning('events.sequence'),
  ),
);

/**
 * As `keepEventDoc`, for a batch of listings that are still as they were stored.
 * @returns the sequences whose events have their documents now: the others were purged
 */
export async function keepEventDocs(
  executor: Executor,
  accountId: string,
  sequences: readonly number[],
): Promise<Set<number>> {
  const rows = sequences.map((sequence) => [accountId, sequence]);
  const kept = await executeBatch(executor, copyDoc, rows);
  return new Set(kept.map(({ sequence }) => sequence));
}

const selectChanged = statement<
  { accountId: string; after: number; limit: number },
  { id: string; externalId: string | null }
>((query, parameter) =>
  query
    .selectFrom('events as changes')
    .leftJoin('listing_facets as facets', (join) =>
      join.onRef('facets.account_id', '=', 'changes.account_id').onRef('facets.id', '=', 'changes.listing_id'),
    )
    .select(['changes.listing_id as id', 'facets.external_id as externalId'])
    .where('changes.account_id', '=', parameter('accountId'))
    .where('changes.sequence', '>', parameter('after'))
    .orderBy('changes.sequence')
    .limit(parameter('limit')),
);

/** The listings of the account's first `limit` changes after a sequence, with the external ids that they have now. */
export function findChangedListings(executor: Executor, accountId: string, after: number, limit: number) {
  return executor.execute(selectChanged, { accountId, after, limit });
}

const updateDoc = statement<{ accountId: string; sequence: number; doc: string }>((query, parameter) =>
  query
    .updateTable('events')
    .set({ doc: parameter('doc') })
    .where('account_id', '=', parameter('accountId'))
    .where('sequence', '=', parameter('sequence')),
);

/** Hands an event its own document, before a change replaces it in `listings`; nothing if the event has been purged. */
export async function keepEventDoc(
  executor: Executor,
  accountId: string,
  sequence: number,
  doc: string,
): Promise<void> {
  await executor.execute(updateDoc, { accountId, sequence, doc });
}

/** An event's time, and the document that it has of its own: null while that stands in `listings`. */
type KeptEvent = Pick<StoredEvent, 'createdAt' | 'doc'>;

const selectOne = statement<{ accountId: string; sequence: number }, KeptEvent>((query, parameter) =>
  query
    .selectFrom('events')
    .select(['created_at as createdAt', 'doc'])
    .where('account_id', '=', parameter('accountId'))
    .where('sequence', '=', parameter('sequence')),
);

/** The account's event with this sequence; undefined once it is purged. */
export async function findEvent(
  executor: Executor,
  accountId: string,
  sequence: number,
): Promise<KeptEvent | undefined> {
  const [event] = await executor.execute(selectOne, { accountId, sequence });
  return event;
}

const removeOldest = statement<{ accountId: string; limit: number }, { bytes: number | null }>((query, parameter) =>
  query
    .deleteFrom('events')
    .where('account_id', '=', parameter('accountId'))
    .where('sequence', 'in', ({ selectFrom }) =>
      selectFrom('events')
        .select('sequence')
        .where('account_id', '=', parameter('accountId'))
        .orderBy('sequence')
        .limit(parameter('limit')),
    )
    .returning(sql<number | null>`octet_length(doc)`.as('bytes')),
);

/** Removes up to `limit` events of an account, the oldest first. @returns how many */
export async function removeEvents(executor: Executor, accountId: string, limit: number): Promise<number> {
  const rows = await executor.execute(removeOldest, { accountId, limit });
  const bytes = rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  if (bytes > 0) await subtractBytes(executor, accountId, bytes);
  return rows.length;
}

/** An event, and the listing's JSON text after that change; null if it was deleted. */
export interface StoredEvent extends EventRow {
  doc: string | null;
}

const selectAfter = statement<{ accountId: string; after: number; limit: number }, StoredEvent>((query, parameter) =>
  query
    .selectFrom('events')
    .leftJoin('listings', (join) =>
      join
        .onRef('listings.account_id', '=', 'events.account_id')
        .onRef('listings.id', '=', 'events.listing_id')
        .onRef('listings.sequence', '=', 'events.sequence'),
    )
    .select(({ fn }) => [
      'events.sequence',
      'events.type',
      'events.listing_id as listingId',
      'events.changed',
      'events.created_at as createdAt',
      fn.coalesce('events.doc', 'listings.doc').as('doc'),
    ])
    .where('events.account_id', '=', parameter('accountId'))
    .where('events.sequence', '>', parameter('after'))
    .orderBy('events.sequence')
    .limit(parameter('limit')),
);

/** The account's first events after a sequence: `limit` of them, or up to the one with which their texts exceed `bytesMax`. */
export function findEvents(
  executor: Executor,
  accountId: string,
  after: number,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<Run<StoredEvent>> {
  return executor.executeRun(selectAfter, { accountId, after, limit }, bytesMax);
}

/** What a purge looks at. */
type OldEvent = Pick<StoredEvent, 'sequence' | 'createdAt' | 'doc'>;

const selectOldest = statement<{ accountId: string; limit: number }, OldEvent>((query, parameter) =>
  query
    .selectFrom('events')
    // The document only so that its bytes are counted: a clustered row is read as a whole in any case.
    .select(['sequence', 'created_at as createdAt', 'doc'])
    .where('account_id', '=', parameter('accountId'))
    .orderBy('sequence')
    .limit(parameter('limit')),
);

/** When the account's first events happened (UTC milliseconds): `limit` of them, or fewer if they are large. */
export async function findOldestEvents(
  executor: Executor,
  accountId: string,
  limit: number,
  bytesMax: number,
): Promise<number[]> {
  const { rows } = await executor.executeRun(selectOldest, { accountId, limit }, bytesMax);
  return rows.map(({ createdAt }) => createdAt);
}

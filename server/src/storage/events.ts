import { type RawBuilder, sql } from 'kysely';
import type { EventType } from '../model/listings.ts';
import { subtractBytes } from './account-heads.ts';
import { type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows, command, firstRow } from './functions.ts';
import type { Run } from './runs.ts';
import type { Tables } from './schema.ts';

export interface EventRow {
  sequence: number;
  type: EventType;
  listingId: string;
  /** JSON array of the changed fields' names; null unless the event is an update. */
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

/** Appends an event, which has no document of its own until a later change replaces the one in `listings`. */
export async function insertEvent(executor: Executor, accountId: string, event: EventRow): Promise<void> {
  await executor.execute(insert, { accountId, ...event });
}

const COLUMNS = ['account_id', 'sequence', 'type', 'listing_id', 'doc', 'changed', 'created_at'] as const;

const insertSome = batchStatement((length) =>
  statement<BatchValues>((query, parameter) =>
    query.insertInto('events').values(batchRows<Tables['events']>(COLUMNS, parameter, length)),
  ),
);

/** Appends a batch of events. An event has a document if a later event of the batch changes the same listing. */
export async function insertEvents(
  executor: Executor,
  accountId: string,
  events: readonly (EventRow & { doc: string | null })[],
): Promise<void> {
  const rows = events.map((e) => [accountId, e.sequence, e.type, e.listingId, e.doc, e.changed, e.createdAt]);
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
 * Like `keepEventDoc`, but for a batch of listings that have not been replaced yet.
 * @returns the sequences of the events that now have their documents; the others were purged
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

type After = { accountId: string; after: number; limit: number };

/** The listings of the first `limit` changes after a sequence, with their current external ids. */
export const findChangedListings = allRows(
  ['accountId', 'after', 'limit'],
  (query, parameter: Parameter<After>, engine) =>
    query
      .selectFrom('events as changes')
      .leftJoin('listing_facets as facets', (join) =>
        join
          .on('facets.account_id', '=', engine.accountKey(parameter('accountId')))
          .onRef('facets.id', '=', 'changes.listing_id'),
      )
      .select(['changes.listing_id as id', 'facets.external_id as externalId'])
      .where('changes.account_id', '=', parameter('accountId'))
      .where('changes.sequence', '>', parameter('after'))
      .orderBy('changes.sequence')
      .limit(parameter('limit')),
);

type EventKey = { accountId: string; sequence: number };

/** Copies a document to its event before a change replaces it in `listings`; does nothing if the event was purged. */
export const keepEventDoc = command(
  ['accountId', 'sequence', 'doc'],
  (query, parameter: Parameter<EventKey & { doc: string }>) =>
    query
      .updateTable('events')
      .set({ doc: parameter('doc') })
      .where('account_id', '=', parameter('accountId'))
      .where('sequence', '=', parameter('sequence')),
);

/** An event's time and document; undefined once the event has been purged. `doc` is null while it is in `listings`. */
export const findEvent = firstRow(['accountId', 'sequence'], (query, parameter: Parameter<EventKey>) =>
  query
    .selectFrom('events')
    .select(['created_at as createdAt', 'doc'])
    .where('account_id', '=', parameter('accountId'))
    .where('sequence', '=', parameter('sequence')),
);

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

/** Removes up to `limit` events of an account, oldest first. @returns how many */
export async function removeEvents(executor: Executor, accountId: string, limit: number): Promise<number> {
  const rows = await executor.execute(removeOldest, { accountId, limit });
  const bytes = rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  if (bytes > 0) await subtractBytes(executor, accountId, bytes);
  return rows.length;
}

/** An event with the listing's JSON text after the change, which is null if the listing was deleted. */
export interface StoredEvent extends EventRow {
  doc: string | null;
}

const selectAfter = statement<After, StoredEvent>((query, parameter) =>
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

/** The first `limit` events after a sequence, cut after the event that brings the total text above `bytesMax`. */
export function findEvents(
  executor: Executor,
  accountId: string,
  after: number,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<Run<StoredEvent>> {
  return executor.executeRun(selectAfter, { accountId, after, limit }, bytesMax);
}

type OldEvent = Pick<StoredEvent, 'sequence' | 'createdAt' | 'doc'>;

const selectOldest = statement<{ accountId: string; limit: number }, OldEvent>((query, parameter) =>
  query
    .selectFrom('events')
    // The document is only selected to count its bytes. A clustered row is read as a whole anyway.
    .select(['sequence', 'created_at as createdAt', 'doc'])
    .where('account_id', '=', parameter('accountId'))
    .orderBy('sequence')
    .limit(parameter('limit')),
);

/** The times of the account's oldest events (UTC milliseconds): `limit` of them, or fewer if they are large. */
export async function findOldestEvents(
  executor: Executor,
  accountId: string,
  limit: number,
  bytesMax: number,
): Promise<number[]> {
  const { rows } = await executor.executeRun(selectOldest, { accountId, limit }, bytesMax);
  return rows.map(({ createdAt }) => createdAt);
}

import { sql } from 'kysely';
import type { EventType } from '../model/listings.ts';
import { batchInsert, executeBatch } from './batches.ts';
import { type Executor, type Parameter, type QueryBuilder, statement } from './database.ts';
import { allRows, columnOf } from './functions.ts';
import { findRow, insertRow, type RowOf, removeSomeRows } from './rows.ts';
import type { Run } from './runs.ts';

export type EventRow = Omit<RowOf<'events'>, 'accountId'>;

const MEMBERS = ['sequence', 'type', 'listingId', 'changed', 'createdAt', 'feed', 'externalId'] as const;

const insert = insertRow('events', ['accountId', ...MEMBERS]);

/** Appends an event. Its document is stored with the version of the listing. */
export async function insertEvent(executor: Executor, accountId: string, event: EventRow): Promise<void> {
  await insert(executor, { accountId, ...event });
}

const insertSome = batchInsert('events', ['account_id', ...MEMBERS.map(columnOf)]);

export async function insertEvents(executor: Executor, accountId: string, events: readonly EventRow[]): Promise<void> {
  const rows = events.map(({ sequence, type, listingId, changed, createdAt, feed, externalId }) => {
    return [accountId, sequence, type, listingId, changed, createdAt, feed, externalId];
  });
  await executeBatch(executor, insertSome, rows);
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

/** When an event happened; undefined once it has been purged. */
export const findEvent = findRow('events', ['accountId', 'sequence'], ['createdAt']);

export const removeEvents = removeSomeRows('events', ['accountId'], ['sequence']);

/** An event with the listing's JSON text after the change, which is null if the listing was deleted. */
export interface StoredEvent extends EventRow {
  doc: string | null;
}

export interface EventFilter {
  types?: readonly EventType[] | undefined;
  listingId?: string | undefined;
  /** The listing's feed after the change; for a deletion, the feed before it. */
  feed?: string | undefined;
}

/** Joins the documents: the newest version is in `listings`, the others are in `listing_history`. */
function selectEvents(query: QueryBuilder, parameter: Parameter<After>) {
  return query
    .selectFrom('events')
    .leftJoin('listings', (join) =>
      join
        .onRef('listings.account_id', '=', 'events.account_id')
        .onRef('listings.id', '=', 'events.listing_id')
        .onRef('listings.sequence', '=', 'events.sequence'),
    )
    .leftJoin('listing_history as former', (join) =>
      join
        .onRef('former.account_id', '=', 'events.account_id')
        .onRef('former.listing_id', '=', 'events.listing_id')
        .onRef('former.sequence', '=', 'events.sequence'),
    )
    .select(({ fn }) => [
      'events.sequence',
      'events.type',
      'events.listing_id as listingId',
      'events.changed',
      'events.created_at as createdAt',
      'events.feed',
      'events.external_id as externalId',
      fn.coalesce('former.doc', 'listings.doc').as('doc'),
    ])
    .where('events.account_id', '=', parameter('accountId'))
    .where('events.sequence', '>', parameter('after'))
    .orderBy('events.sequence')
    .limit(parameter('limit'));
}

const selectAfter = statement<After, StoredEvent>(selectEvents);

/** The first `limit` events after a sequence, cut as in `executeRun`. */
export function findEvents(
  executor: Executor,
  accountId: string,
  after: number,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<Run<StoredEvent>> {
  return executor.executeRun(selectAfter, { accountId, after, limit }, bytesMax);
}

type Matching = After & {
  until: number;
  created: string;
  updated: string;
  deleted: string;
  listingId: string;
  feed: string;
};

const selectMatching = statement<Matching, StoredEvent>((query, parameter) =>
  selectEvents(query, parameter)
    .where('events.sequence', '<=', parameter('until'))
    .where(({ and, eb, or }) =>
      or([
        eb('events.sequence', '=', sql<number>`${parameter('after')} + 1`),
        and([
          eb('events.type', 'in', [parameter('created'), parameter('updated'), parameter('deleted')] as never),
          or([eb(parameter('listingId'), '=', ''), eb('events.listing_id', '=', parameter('listingId'))]),
          or([eb(parameter('feed'), '=', ''), eb('events.feed', '=', parameter('feed'))]),
        ]),
      ]),
    ),
);

/**
 * Like `findEvents`, but reads only the event after `after`, which proves that no event was purged, and the
 * events up to `until` that match the filter.
 */
export function findMatchingEvents(
  executor: Executor,
  accountId: string,
  { after, until }: { after: number; until: number },
  { types, listingId = '', feed = '' }: EventFilter,
  { limit, bytesMax }: { limit: number; bytesMax: number },
): Promise<Run<StoredEvent>> {
  const named = (name: EventType) => (types === undefined || types.includes(name) ? name : '');
  const created = named('listing.created');
  const [updated, deleted] = [named('listing.updated'), named('listing.deleted')];
  const parameters = { accountId, after, until, created, updated, deleted, listingId, feed, limit };
  return executor.executeRun(selectMatching, parameters, bytesMax);
}

/** A candidate for purging. */
export interface OldEvent {
  sequence: number;
  type: EventType;
  listingId: string;
  /** UTC milliseconds. */
  createdAt: number;
  /** The sequence of the version that the change replaced; null if there is none. */
  replaced: number | null;
  /** The UTF-8 bytes of that version's document, which expires with the event; null if it is not stored. */
  bytes: number | null;
}

export const findOldestEvents = allRows(
  ['accountId', 'limit'],
  (query, parameter: Parameter<{ accountId: string; limit: number }>) =>
    query
      .selectFrom('events')
      .leftJoin('listing_history as former', (join) =>
        join
          .onRef('former.account_id', '=', 'events.account_id')
          .onRef('former.listing_id', '=', 'events.listing_id')
          .on('former.sequence', '=', ({ selectFrom }) =>
            selectFrom('listing_history as earlier')
              .select(({ fn }) => fn.max('earlier.sequence').as('sequence'))
              .where('earlier.account_id', '=', parameter('accountId'))
              .whereRef('earlier.listing_id', '=', 'events.listing_id')
              .whereRef('earlier.sequence', '<', 'events.sequence'),
          ),
      )
      .select([
        'events.sequence',
        'events.type',
        'events.listing_id as listingId',
        'events.created_at as createdAt',
        'former.sequence as replaced',
        sql<number | null>`octet_length(former.doc)`.as('bytes'),
      ])
      .where('events.account_id', '=', parameter('accountId'))
      .orderBy('events.sequence')
      .limit(parameter('limit')),
);

import { type RawBuilder, sql } from 'kysely';
import { VERSION_BYTES } from '../model/history.ts';
import type { EventType } from '../model/listings.ts';
import { type BatchValues, batchInsert, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows, columnOf, command, firstRow } from './functions.ts';
import { findRow, type RowOf, removeSomeRows } from './rows.ts';
import type { Run } from './runs.ts';

// A listing's current version is in `listings`. Each former version, and the deletion, has a row in
// `listing_history`.

type Former = Omit<RowOf<'listing_history'>, 'accountId'>;

export type HistoryEntry = Omit<Former, 'listingId' | 'doc'>;

const MEMBERS = ['listingId', 'sequence', 'version', 'type', 'at', 'actor', 'changes', 'doc'] as const;
const COLUMNS = ['account_id', ...MEMBERS.map(columnOf)] as const;

const insertSome = batchInsert('listing_history', COLUMNS);

/** Stores deletions, and versions that were never in `listings`. */
export async function insertFormer(executor: Executor, accountId: string, rows: readonly Former[]): Promise<void> {
  const values = rows.map((row) => [accountId, ...MEMBERS.map((name) => row[name])]);
  await executeBatch(executor, insertSome, values);
}

/** A listing that is about to be replaced or removed, with the time of its last change (RFC 3339). */
interface Superseded {
  id: string;
  updatedAt: string;
}

const copySome = batchStatement((length) =>
  statement<BatchValues>((query, parameter, engine) => {
    const text = (index: number) => parameter(String(index)) as RawBuilder<string>;
    const keys = Array.from({ length }, (_, row) => sql`(${text(2 * row)}, ${text(2 * row + 1)})`);
    return query
      .insertInto('listing_history')
      .columns([...COLUMNS])
      .expression(
        query
          .selectFrom(sql<{ column1: string; column2: string }>`(values ${sql.join(keys)})`.as('keys'))
          .crossJoin(engine.lookUp('listings', text(2 * length), 'id', sql.ref('keys.column1')).as('listings'))
          .where('listings.account_id', '=', text(2 * length))
          .whereRef('listings.id', '=', 'keys.column1')
          .select([
            'account_id',
            'id as listing_id',
            'sequence',
            'version',
            sql<EventType>`case when version = 1 then 'listing.created' else 'listing.updated' end`.as('type'),
            'keys.column2 as at',
            'actor',
            'changes',
            'doc',
          ]),
      );
  }),
);

export async function keepVersions(
  executor: Executor,
  accountId: string,
  superseded: readonly Superseded[],
): Promise<void> {
  const keys = superseded.map(({ id, updatedAt }) => [id, updatedAt]);
  await executeBatch(executor, copySome, keys, accountId);
}

type ListingKey = { accountId: string; listingId: string };

/** The history entry for a listing's last change; undefined after the listing is deleted. */
export const findCurrentEntry = firstRow(
  ['accountId', 'listingId'],
  (query, parameter: Parameter<ListingKey>, engine) =>
    query
      .selectFrom('listings')
      .innerJoin('listing_facets as facets', 'facets.id', 'listings.id')
      .select(['sequence', 'version', 'updated_at as at', 'actor', 'changes'])
      .where('facets.account_id', '=', engine.accountKey(parameter('accountId')))
      .where('listings.account_id', '=', parameter('accountId'))
      .where('listings.id', '=', parameter('listingId')),
);

const selectBefore = statement<ListingKey & { before: number; limit: number }, HistoryEntry>((query, parameter) =>
  query
    .selectFrom('listing_history')
    .select(['sequence', 'version', 'type', 'at', 'actor', 'changes'])
    .where('account_id', '=', parameter('accountId'))
    .where('listing_id', '=', parameter('listingId'))
    .where('sequence', '<', parameter('before'))
    .orderBy('sequence', 'desc')
    .limit(parameter('limit')),
);

/** A listing's entries before a sequence, newest first, except the current version's entry. */
export function findFormerEntries(
  executor: Executor,
  accountId: string,
  listingId: string,
  { before, limit, bytesMax }: { before: number; limit: number; bytesMax: number },
): Promise<Run<HistoryEntry>> {
  return executor.executeRun(selectBefore, { accountId, listingId, before, limit }, bytesMax);
}

/**
 * A listing's last entry up to a sequence, except the current version's entry. `doc` is null if the entry is a
 * deletion or the document has expired.
 */
export const findFormer = findRow(
  'listing_history',
  ['accountId', 'listingId', 'sequence <='],
  ['sequence', 'version', 'type', 'doc'],
  'sequence desc',
);

/** The version of a listing's first entry; undefined if there is no entry except the current version's. */
export const findFirstFormer = findRow('listing_history', ['accountId', 'listingId'], ['version'], 'sequence');

export const removeFormerDoc = command(
  ['accountId', 'listingId', 'sequence'],
  (query, parameter: Parameter<ListingKey & { sequence: number }>) =>
    query
      .updateTable('listing_history')
      .set({ doc: null })
      .where('account_id', '=', parameter('accountId'))
      .where('listing_id', '=', parameter('listingId'))
      .where('sequence', '=', parameter('sequence')),
);

const removeOldest = allRows(
  ['accountId', 'listingId', 'limit'],
  (query, parameter: Parameter<ListingKey & { limit: number }>) =>
    query
      .deleteFrom('listing_history')
      .where('account_id', '=', parameter('accountId'))
      .where('listing_id', '=', parameter('listingId'))
      .where('sequence', 'in', ({ selectFrom }) =>
        selectFrom('listing_history')
          .select('sequence')
          .where('account_id', '=', parameter('accountId'))
          .where('listing_id', '=', parameter('listingId'))
          .orderBy('sequence')
          .limit(parameter('limit')),
      )
      .returning(
        sql<number>`coalesce(octet_length(doc), 0) + coalesce(octet_length(changes), 0) + ${sql.lit(VERSION_BYTES)}`.as(
          'bytes',
        ),
      ),
);

/** Removes the first `limit` entries of a deleted listing. @returns how many, and how many bytes they counted as */
export async function removeFormer(
  executor: Executor,
  accountId: string,
  listingId: string,
  limit: number,
): Promise<{ count: number; bytes: number }> {
  const rows = await removeOldest(executor, accountId, listingId, limit);
  return { count: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}

export const removeHistory = removeSomeRows('listing_history', ['accountId'], ['listingId', 'sequence']);

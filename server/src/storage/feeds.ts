import { sql } from 'kysely';
import { DEFAULT_SETTINGS, type FeedSettings } from '../model/feeds.ts';
import type { Executor, Parameter, QueryBuilder } from './database.ts';
import { allRows, columnsOf, command, firstRow, hasRow } from './functions.ts';
import { findRow, insertRow, removeRows, updateRows } from './rows.ts';

/** A feed as stored; times are UTC milliseconds. */
export interface StoredFeed {
  name: string;
  settings: FeedSettings;
  listings: number;
  createdAt: number;
  lastSuccessAt: number | null;
  /** The last run, or the deletion of the feed if it has begun. */
  runId: string | null;
  /** The time by which the run or deletion in progress must renew its lease; null if there is none. */
  leaseUntil: number | null;
}

type Row = Omit<StoredFeed, 'settings'> & { settings: string };
type Key = { accountId: string; name: string };

const MEMBERS = ['name', 'settings', 'createdAt', 'lastSuccessAt', 'runId', 'leaseUntil'] as const;

const select = (query: QueryBuilder) =>
  query.selectFrom('feeds').select(['listing_count as listings', ...columnsOf(MEMBERS)]);

const selectOne = firstRow(['accountId', 'name'], (query, parameter: Parameter<Key>) =>
  select(query).where('account_id', '=', parameter('accountId')).where('name', '=', parameter('name')),
);

export async function findFeed(executor: Executor, accountId: string, name: string): Promise<StoredFeed | undefined> {
  const row = await selectOne(executor, accountId, name);
  return row && toFeed(row);
}

const selectAll = allRows(['accountId'], (query, parameter: Parameter<{ accountId: string }>) =>
  select(query).where('account_id', '=', parameter('accountId')).orderBy('name'),
);

export async function findFeeds(executor: Executor, accountId: string): Promise<StoredFeed[]> {
  return (await selectAll(executor, accountId)).map(toFeed);
}

type After = { afterAccount: string; afterName: string; limit: number };

const selectEvery = allRows(['afterAccount', 'afterName', 'limit'], (query, parameter: Parameter<After>) =>
  select(query)
    .select('account_id as accountId')
    .where(sql<boolean>`(account_id, name) > (${parameter('afterAccount')}, ${parameter('afterName')})`)
    .orderBy('account_id')
    .orderBy('name')
    .limit(parameter('limit')),
);

export async function findEveryFeed(
  executor: Executor,
  ...after: [afterAccount: string, afterName: string, limit: number]
): Promise<(StoredFeed & { accountId: string })[]> {
  return (await selectEvery(executor, ...after)).map((row) => ({ ...row, ...toFeed(row) }));
}

function toFeed({ settings, ...row }: Row): StoredFeed {
  // Settings that were introduced after the feed was stored have their defaults.
  return { ...row, settings: { ...DEFAULT_SETTINGS, ...JSON.parse(settings) } };
}

const insert = insertRow('feeds', ['accountId', 'name', 'settings', 'listingCount', 'createdAt']);

export async function insertFeed(
  executor: Executor,
  accountId: string,
  { name, settings, createdAt }: StoredFeed,
): Promise<void> {
  await insert(executor, { accountId, name, settings: JSON.stringify(settings), listingCount: 0, createdAt });
}

/** `settings` is JSON text. */
export const updateSettings = updateRows('feeds', ['accountId', 'name'], ['settings']);

export const removeFeed = removeRows('feeds', ['accountId', 'name']);

/** Adds `by`, which can be negative, to the number of a feed's listings. */
export const growFeed = command(['accountId', 'name', 'by'], (query, parameter: Parameter<Key & { by: number }>) =>
  query
    .updateTable('feeds')
    .set({ listing_count: sql`listing_count + ${parameter('by')}` })
    .where('account_id', '=', parameter('accountId'))
    .where('name', '=', parameter('name')),
);

type Lease = Key & { runId: string; leaseUntil: number };

export const takeLease = updateRows('feeds', ['accountId', 'name'], ['runId', 'leaseUntil']);

/** Extends the lease of a run. @returns false if the run has lost it */
export const renewLease = hasRow(['accountId', 'name', 'runId', 'leaseUntil'], (query, parameter: Parameter<Lease>) =>
  query
    .updateTable('feeds')
    .set({ lease_until: parameter('leaseUntil') })
    .where('account_id', '=', parameter('accountId'))
    .where('name', '=', parameter('name'))
    .where('run_id', '=', parameter('runId'))
    .where('lease_until', 'is not', null)
    .returning('name'),
);

/** The columns of earlier CSV files as JSON text. */
export const findLastColumns = findRow('feeds', ['accountId', 'name'], ['lastColumns']);

type End = Key & { runId: string; lastSuccessAt: number | null; lastColumns: string | null };

/**
 * Ends the lease of a run. Stores `lastSuccessAt` and `lastColumns`; null keeps the stored value.
 * @returns false if the run has lost its lease
 */
export const endLease = hasRow(
  ['accountId', 'name', 'runId', 'lastSuccessAt', 'lastColumns'],
  (query, parameter: Parameter<End>) =>
    query
      .updateTable('feeds')
      .set(({ fn, ref }) => ({
        lease_until: null,
        last_success_at: fn.coalesce(parameter('lastSuccessAt'), ref('last_success_at')),
        last_columns: fn.coalesce(parameter('lastColumns'), ref('last_columns')),
      }))
      .where('account_id', '=', parameter('accountId'))
      .where('name', '=', parameter('name'))
      .where('run_id', '=', parameter('runId'))
      .where('lease_until', 'is not', null)
      .returning('name'),
);

type Lost = { name: string; accountId: string; runId: string };

/** The feeds, of all accounts, whose last run did not renew its lease in time. */
export const findLostRuns = allRows(['now', 'limit'], (query, parameter: Parameter<{ now: number; limit: number }>) =>
  query
    .selectFrom('feeds')
    .select(['account_id as accountId', 'name', 'run_id as runId'])
    .where('lease_until', '<=', parameter('now'))
    .limit(parameter('limit'))
    .$castTo<Lost>(),
);

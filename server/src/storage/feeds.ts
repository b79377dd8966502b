import { sql } from 'kysely';
import { DEFAULT_SETTINGS, type FeedSettings } from '../model/feeds.ts';
import type { Executor, Parameter } from './database.ts';
import { allRows, columnsOf, command, hasRow } from './functions.ts';
import { findRow, findRows, findSomeRows, insertRow, type RowOf, removeRows, updateRows } from './rows.ts';

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

const MEMBERS = ['name', 'settings', 'listingCount', 'createdAt', 'lastSuccessAt', 'runId', 'leaseUntil'] as const;

type Row = Pick<RowOf<'feeds'>, (typeof MEMBERS)[number]>;
type Key = { accountId: string; name: string };

const selectOne = findRow('feeds', ['accountId', 'name'], MEMBERS);

export async function findFeed(executor: Executor, accountId: string, name: string): Promise<StoredFeed | undefined> {
  const row = await selectOne(executor, accountId, name);
  return row && toFeed(row);
}

const selectAll = findRows('feeds', ['accountId'], MEMBERS, 'name');

export async function findFeeds(executor: Executor, accountId: string): Promise<StoredFeed[]> {
  return (await selectAll(executor, accountId)).map(toFeed);
}

type After = { afterAccount: string; afterName: string; limit: number };

const selectEvery = allRows(['afterAccount', 'afterName', 'limit'], (query, parameter: Parameter<After>) =>
  query
    .selectFrom('feeds')
    .select(columnsOf(['accountId', ...MEMBERS]))
    .where(sql<boolean>`(account_id, name) > (${parameter('afterAccount')}, ${parameter('afterName')})`)
    .orderBy('account_id')
    .orderBy('name')
    .limit(parameter('limit')),
);

export async function findEveryFeed(
  executor: Executor,
  ...after: [afterAccount: string, afterName: string, limit: number]
): Promise<(StoredFeed & { accountId: string })[]> {
  return (await selectEvery(executor, ...after)).map(toFeed);
}

function toFeed<R extends Row>({ settings, listingCount: listings, ...row }: R) {
  // Settings that were introduced after the feed was stored have their defaults.
  const parsed: FeedSettings = { ...DEFAULT_SETTINGS, ...JSON.parse(settings) };
  return { ...row, listings, settings: parsed };
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

/** The feeds, of all accounts, whose run or deletion did not renew its lease by a time (UTC milliseconds). */
export const findLostRuns = findSomeRows('feeds', ['leaseUntil <='], ['accountId', 'name', 'runId']);

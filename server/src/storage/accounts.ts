import type { Account } from '../model/accounts.ts';
import { LIMIT_COLUMNS, type StoredLimits } from './account-limits.ts';
import type { Executor, Parameter } from './database.ts';
import { allRows, firstRow } from './functions.ts';
import { findRow, findSomeRows, insertRow, removeRows, updateRows } from './rows.ts';

const insert = insertRow('accounts', ['id', 'name', 'currency', 'areaUnits', 'createdAt']);

const insertHead = insertRow('account_heads', ['accountId', 'sequence', 'listingCount']);

/** Stores a new account. `createdAt` is in UTC milliseconds. */
export async function insertAccount(executor: Executor, account: Account, createdAt: number): Promise<void> {
  await insert(executor, { ...account, createdAt });
  await insertHead(executor, { accountId: account.id, sequence: 0, listingCount: 0 });
}

export type ListedAccount = Account & StoredLimits & { createdAt: number; listings: number; bytes: number };

/** All accounts, oldest first, for the operator only. */
export const listAccounts = allRows([], (query) =>
  query
    .selectFrom('accounts')
    .innerJoin('account_heads', 'account_heads.account_id', 'accounts.id')
    .select([
      'id',
      'name',
      'currency',
      'area_units as areaUnits',
      'created_at as createdAt',
      'listing_count as listings',
      'stored_bytes as bytes',
      ...LIMIT_COLUMNS,
    ])
    .orderBy('id'),
);

export const findAccount = findRow('accounts', ['id'], ['id', 'name', 'currency', 'areaUnits']);

export const HEAD_COLUMNS = [
  'accounts.id',
  'accounts.name',
  'currency',
  'area_units as areaUnits',
  'sequence',
  'listing_count as listingCount',
  'newest_id as newestId',
  'stored_bytes as storedBytes',
  'listings_max as listingsMax',
  'bytes_max as bytesMax',
] as const;

export const findAccountHead = firstRow(['id'], (query, parameter: Parameter<{ id: string }>) =>
  query
    .selectFrom('accounts')
    .innerJoin('account_heads', 'account_heads.account_id', 'accounts.id')
    .select(HEAD_COLUMNS)
    .where('id', '=', parameter('id'))
    .where('account_id', '=', parameter('id')),
);

export const updateAccount = updateRows('accounts', ['id'], ['name', 'currency', 'areaUnits']);

/** Removes the account's head. This waits for running writes to the account's data, and prevents further ones. */
export const closeAccount = removeRows('account_heads', ['accountId']);

/**
 * Removes an account and its remaining data, except its logged requests. Remove its listings and events first: a
 * cascade to all of them would delay other writes.
 */
export const removeAccount = removeRows('accounts', ['id']);

const selectNames = findSomeRows('accounts', [], ['name'], 'id');

/** The names of the oldest accounts, for the operator only. */
export async function listAccountNames(executor: Executor, limit: number): Promise<string[]> {
  return (await selectNames(executor, limit)).map(({ name }) => name);
}

const selectIdsAfter = findSomeRows('accounts', ['id >'], ['id'], 'id');

export async function findAccountIds(executor: Executor, afterId: string, limit: number): Promise<string[]> {
  return (await selectIdsAfter(executor, afterId, limit)).map(({ id }) => id);
}

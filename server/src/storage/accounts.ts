import type { Account, AccountHead } from '../model/accounts.ts';
import { LIMIT_COLUMNS, type StoredLimits } from './account-limits.ts';
import { type Executor, statement } from './database.ts';

const insert = statement<Account & { createdAt: number }>((query, parameter) =>
  query.insertInto('accounts').values({
    id: parameter('id'),
    name: parameter('name'),
    currency: parameter('currency'),
    area_units: parameter('areaUnits'),
    created_at: parameter('createdAt'),
  }),
);

const insertHead = statement<{ id: string }>((query, parameter) =>
  query.insertInto('account_heads').values({ account_id: parameter('id'), sequence: 0, listing_count: 0 }),
);

/** Stores a new account; `createdAt` in UTC milliseconds. */
export async function insertAccount(executor: Executor, account: Account, createdAt: number): Promise<void> {
  await executor.execute(insert, { ...account, createdAt });
  await executor.execute(insertHead, { id: account.id });
}

/** An account as the operator sees it, with what it uses. */
export type ListedAccount = Account & StoredLimits & { createdAt: number; listings: number; bytes: number };

const selectAll = statement<Record<never, never>, ListedAccount>((query) =>
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

/** All accounts, oldest first: for the operator only. */
export function listAccounts(executor: Executor) {
  return executor.execute(selectAll, {});
}

const selectById = statement<{ id: string }, Account>((query, parameter) =>
  query
    .selectFrom('accounts')
    .select(['id', 'name', 'currency', 'area_units as areaUnits'])
    .where('id', '=', parameter('id')),
);

export async function findAccount(executor: Executor, id: string): Promise<Account | undefined> {
  const [account] = await executor.execute(selectById, { id });
  return account;
}

/** Of `accounts` and `account_heads`. */
export const HEAD_COLUMNS = [
  'accounts.id',
  'accounts.name',
  'currency',
  'area_units as areaUnits',
  'sequence',
  'listing_count as listingCount',
  'stored_bytes as storedBytes',
  'listings_max as listingsMax',
  'bytes_max as bytesMax',
] as const;

const selectHead = statement<{ id: string }, AccountHead>((query, parameter) =>
  query
    .selectFrom('accounts')
    .innerJoin('account_heads', 'account_heads.account_id', 'accounts.id')
    .select(HEAD_COLUMNS)
    .where('id', '=', parameter('id'))
    .where('account_id', '=', parameter('id')),
);

export async function findAccountHead(executor: Executor, id: string): Promise<AccountHead | undefined> {
  const [account] = await executor.execute(selectHead, { id });
  return account;
}

const update = statement<Account>((query, parameter) =>
  query
    .updateTable('accounts')
    .set({ name: parameter('name'), currency: parameter('currency'), area_units: parameter('areaUnits') })
    .where('id', '=', parameter('id')),
);

/** Stores what an account is called and what its listings get by default. */
export async function updateAccount(executor: Executor, account: Account): Promise<void> {
  await executor.execute(update, account);
}

const removeHead = statement<{ id: string }>((query, parameter) =>
  query.deleteFrom('account_heads').where('account_id', '=', parameter('id')),
);

/** Waits for those who write the account's listings; from then on nobody can. */
export async function closeAccount(executor: Executor, id: string): Promise<void> {
  await executor.execute(removeHead, { id });
}

const remove = statement<{ id: string }>((query, parameter) =>
  query.deleteFrom('accounts').where('id', '=', parameter('id')),
);

/** Removes an account with all that belongs to it, but for its listings' words: remove those listings before. */
export async function removeAccount(executor: Executor, id: string): Promise<void> {
  await executor.execute(remove, { id });
}

const selectNames = statement<{ limit: number }, { name: string }>((query, parameter) =>
  query.selectFrom('accounts').select('name').orderBy('id').limit(parameter('limit')),
);

/** What the oldest accounts are called: for the operator only. */
export async function listAccountNames(executor: Executor, limit: number): Promise<string[]> {
  const rows = await executor.execute(selectNames, { limit });
  return rows.map(({ name }) => name);
}

const selectIdsAfter = statement<{ afterId: string; limit: number }, { id: string }>((query, parameter) =>
  query
    .selectFrom('accounts')
    .select('id')
    .where('id', '>', parameter('afterId'))
    .orderBy('id')
    .limit(parameter('limit')),
);

/** The ids of the accounts that come after this one: for work that goes through all of them. */
export async function findAccountIds(executor: Executor, afterId: string, limit: number): Promise<string[]> {
  const rows = await executor.execute(selectIdsAfter, { afterId, limit });
  return rows.map(({ id }) => id);
}

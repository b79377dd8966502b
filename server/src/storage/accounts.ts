import { sql } from 'kysely';
import type { Account } from '../model/accounts.ts';
import { type Session, statement } from './database.ts';

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
export async function insertAccount(session: Session, account: Account, createdAt: number): Promise<void> {
  await session.execute(insert, { ...account, createdAt });
  await session.execute(insertHead, { id: account.id });
}

const selectAll = statement<Record<never, never>, Account & { createdAt: number; listings: number }>((query) =>
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
    ])
    .orderBy('id'),
);

/** All accounts, oldest first: for the operator only. */
export function listAccounts(session: Session) {
  return session.execute(selectAll, {});
}

const selectById = statement<{ id: string }, Account>((query, parameter) =>
  query
    .selectFrom('accounts')
    .select(['id', 'name', 'currency', 'area_units as areaUnits'])
    .where('id', '=', parameter('id')),
);

export async function findAccount(session: Session, id: string): Promise<Account | undefined> {
  const [account] = await session.execute(selectById, { id });
  return account;
}

const update = statement<Account>((query, parameter) =>
  query
    .updateTable('accounts')
    .set({ name: parameter('name'), currency: parameter('currency'), area_units: parameter('areaUnits') })
    .where('id', '=', parameter('id')),
);

/** Stores what an account is called and what its listings get by default. */
export async function updateAccount(session: Session, account: Account): Promise<void> {
  await session.execute(update, account);
}

const remove = statement<{ id: string }>((query, parameter) =>
  query.deleteFrom('accounts').where('id', '=', parameter('id')),
);

/** Removes an account with all that belongs to it, but for its listings' words: remove those listings before. */
export async function removeAccount(session: Session, id: string): Promise<void> {
  await session.execute(remove, { id });
}

const advance = statement<{ accountId: string; listings: number }>((query, parameter) =>
  query
    .updateTable('account_heads')
    .set({
      sequence: sql`sequence + 1`,
      listing_count: sql`listing_count + ${parameter('listings')}`,
    })
    .where('account_id', '=', parameter('accountId')),
);

const selectSequence = statement<{ accountId: string }, { sequence: number }>((query, parameter) =>
  query.selectFrom('account_heads').select('sequence').where('account_id', '=', parameter('accountId')),
);

/**
 * Takes the account's next sequence number; `listings` is by how many its number of listings changes. Two statements,
 * because SQLite opens a savepoint for one that updates and returns, and the full-text index then writes out what it has
 * gathered: 14 µs against 3.
 */
export async function advanceSequence(session: Session, accountId: string, listings: number): Promise<number> {
  await session.execute(advance, { accountId, listings });
  const [head] = await session.execute(selectSequence, { accountId });
  if (head === undefined) throw new Error(`The account ${accountId} has no head`);
  return head.sequence;
}

/** So many accounts in one statement: its parameters are bound one by one, used or not. */
const IDS_LENGTH = 100;
const ID_NAMES = Array.from({ length: IDS_LENGTH }, (_, index) => `id${index}`);

const selectSequences = statement<Record<string, string>, { accountId: string; sequence: number }>((query, parameter) =>
  query
    .selectFrom('account_heads')
    .select(['account_id as accountId', 'sequence'])
    .where('account_id', 'in', ID_NAMES.map(parameter)),
);

/** Where each of these accounts stands; one that does not exist is left out. */
export async function findSequences(session: Session, accountIds: string[]): Promise<Map<string, number>> {
  const sequences = new Map<string, number>();
  for (let start = 0; start < accountIds.length; start += IDS_LENGTH) {
    const ids = Object.fromEntries(ID_NAMES.map((name, index) => [name, accountIds[start + index] ?? '']));
    const rows = await session.execute(selectSequences, ids);
    for (const { accountId, sequence } of rows) sequences.set(accountId, sequence);
  }
  return sequences;
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
export async function findAccountIds(session: Session, afterId: string, limit: number): Promise<string[]> {
  const rows = await session.execute(selectIdsAfter, { afterId, limit });
  return rows.map(({ id }) => id);
}

const selectCount = statement<{ accountId: string }, { listings: number }>((query, parameter) =>
  query
    .selectFrom('account_heads')
    .select('listing_count as listings')
    .where('account_id', '=', parameter('accountId')),
);

/** How many listings an account has. */
export async function findListingCount(session: Session, accountId: string): Promise<number> {
  const [head] = await session.execute(selectCount, { accountId });
  return head?.listings ?? 0;
}

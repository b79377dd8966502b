import type { Account } from '../model/accounts.ts';
import type { Access, ApiKey } from '../model/api-keys.ts';
import { type Session, statement } from './database.ts';

const insert = statement<ApiKey & { hash: string }>((query, parameter) =>
  query.insertInto('api_keys').values({
    id: parameter('id'),
    account_id: parameter('accountId'),
    name: parameter('name'),
    access: parameter('access'),
    hash: parameter('hash'),
    start: parameter('start'),
    created_by: parameter('createdBy'),
    created_at: parameter('createdAt'),
    expires_at: parameter('expiresAt'),
    last_used_at: parameter('lastUsedAt'),
  }),
);

/** Stores a key by the SHA-256 of its secret. */
export async function insertApiKey(session: Session, key: ApiKey, hash: string): Promise<void> {
  await session.execute(insert, { ...key, hash });
}

/** A key and its account, in one row, as each request needs them. */
export interface KeyHolder {
  keyId: string;
  keyName: string;
  access: Access;
  createdAt: number;
  expiresAt: number | null;
  accountId: string;
  accountName: string;
  currency: string;
  areaUnits: Account['areaUnits'];
}

const selectHolder = statement<{ hash: string }, KeyHolder>((query, parameter) =>
  query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([
      'api_keys.id as keyId',
      'api_keys.name as keyName',
      'access',
      'api_keys.created_at as createdAt',
      'expires_at as expiresAt',
      'accounts.id as accountId',
      'accounts.name as accountName',
      'currency',
      'area_units as areaUnits',
    ])
    .where('hash', '=', parameter('hash')),
);

/** The key with this SHA-256. Reads the database each time: a deleted key must end with the next request. */
export async function findKeyHolder(session: Session, hash: string): Promise<KeyHolder | undefined> {
  const [holder] = await session.execute(selectHolder, { hash });
  return holder;
}

const selectByAccount = statement<{ accountId: string }, ApiKey>((query, parameter) =>
  query
    .selectFrom('api_keys')
    .select([
      'id',
      'account_id as accountId',
      'name',
      'access',
      'start',
      'created_by as createdBy',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'last_used_at as lastUsedAt',
    ])
    .where('account_id', '=', parameter('accountId'))
    .orderBy('id'),
);

/** The account's keys, oldest first. */
export function listApiKeys(session: Session, accountId: string): Promise<ApiKey[]> {
  return session.execute(selectByAccount, { accountId });
}

const exists = statement<{ id: string }, { id: string }>((query, parameter) =>
  query.selectFrom('api_keys').select('id').where('id', '=', parameter('id')),
);

export async function apiKeyExists(session: Session, id: string): Promise<boolean> {
  const rows = await session.execute(exists, { id });
  return rows.length > 0;
}

const remove = statement<{ id: string }, { id: string }>((query, parameter) =>
  query.deleteFrom('api_keys').where('id', '=', parameter('id')).returning('id'),
);

/** Whether there was such a key; it is gone when the transaction commits. */
export async function removeApiKey(session: Session, id: string): Promise<boolean> {
  const rows = await session.execute(remove, { id });
  return rows.length > 0;
}

const touch = statement<{ id: string; usedAt: number }>((query, parameter) =>
  query
    .updateTable('api_keys')
    .set({ last_used_at: parameter('usedAt') })
    .where('id', '=', parameter('id')),
);

/** Notes when a key was last used, in UTC milliseconds. */
export async function setLastUsed(session: Session, id: string, usedAt: number): Promise<void> {
  await session.execute(touch, { id, usedAt });
}

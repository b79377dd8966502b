import type { AccountHead, Head } from '../model/accounts.ts';
import type { Access } from '../model/api-keys.ts';
import { HEAD_COLUMNS } from './accounts.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { firstRow } from './functions.ts';
import { findRow, findRows, hasRows, insertRow, removeRows, updateRows } from './rows.ts';

type KeyId = { accountId: string; id: string };

const MEMBERS = [
  'id',
  'accountId',
  'name',
  'access',
  'start',
  'createdBy',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
  'replacedBy',
] as const;

/** Stores a key, with the SHA-256 of its secret instead of the secret itself. */
export const insertApiKey = insertRow('api_keys', [...MEMBERS, 'hash']);

/** The principal of a request with an API key, and the head (sequence and epoch) of the key's account. */
export interface KeyPrincipal extends Head {
  keyId: string;
  accountId: string;
  access: Access;
  expiresAt: number | null;
  /** The account's own rate limit: how many requests each key can send within `rateSeconds`; null without one. */
  ratePoints: number | null;
  rateSeconds: number | null;
  suspendedFor: string | null;
}

export const selectPrincipal = statement<{ hash: string }, KeyPrincipal>((query, parameter, engine) =>
  query
    .selectFrom(engine.keyPrincipals(parameter('hash')).as('holder'))
    .select([
      'holder.id as keyId',
      'holder.account_id as accountId',
      'holder.access',
      'holder.expires_at as expiresAt',
      'holder.sequence',
      'holder.epoch',
      'holder.rate_points as ratePoints',
      'holder.rate_seconds as rateSeconds',
      'holder.suspended_for as suspendedFor',
    ]),
);

/**
 * Keys are never cached, because the next request with a deleted key must be rejected. The row includes the sequence:
 * reading it in a second statement would make a 304 response for a list about 10% slower.
 */
export async function findKeyPrincipal(executor: Executor, hash: string): Promise<KeyPrincipal | undefined> {
  const [principal] = await executor.execute(selectPrincipal, { hash });
  return principal;
}

export const findKeyDetails = firstRow(['accountId', 'id'], (query, parameter: Parameter<KeyId>) =>
  query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.name', 'accounts.name as accountName', 'api_keys.created_at as createdAt'])
    .where('api_keys.account_id', '=', parameter('accountId'))
    .where('api_keys.id', '=', parameter('id')),
);

/** Whether a key of any account was used after a time (UTC milliseconds). */
export const hasUsedKeys = hasRows('api_keys', ['lastUsedAt >']);

/** The account of a key, for the operator only. */
export const findKeyOwner = findRow('api_keys', ['id'], ['accountId']);

type KeyAccount = AccountHead & { keyName: string };

const selectAccount = statement<KeyId & { now: number }, KeyAccount>((query, parameter) =>
  query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .innerJoin('account_heads', 'account_heads.account_id', 'api_keys.account_id')
    .select([...HEAD_COLUMNS, 'api_keys.name as keyName'])
    .where('account_heads.account_id', '=', parameter('accountId'))
    .where('suspended_for', 'is', null)
    .where('api_keys.id', '=', parameter('id'))
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', parameter('now'))])),
);

/** Undefined if the key was deleted or has expired at `now` (UTC milliseconds), or if the account is suspended. */
export async function findKeyAccount(
  executor: Executor,
  accountId: string,
  keyId: string,
  now: number,
): Promise<KeyAccount | undefined> {
  const [account] = await executor.execute(selectAccount, { accountId, id: keyId, now });
  return account;
}

export const listApiKeys = findRows('api_keys', ['accountId'], MEMBERS, 'id');

export const findApiKey = findRow('api_keys', ['accountId', 'id'], MEMBERS);

/** The head of a key's account; undefined in the same cases as for `findKeyAccount`. */
export const findKeyHead = firstRow(
  ['accountId', 'id', 'now'],
  (query, parameter: Parameter<KeyId & { now: number }>) =>
    query
      .selectFrom('api_keys')
      .innerJoin('account_heads', 'account_heads.account_id', 'api_keys.account_id')
      .innerJoin('database_info', (join) => join.onTrue())
      .select(['sequence', 'epoch'])
      .where('account_heads.account_id', '=', parameter('accountId'))
      .where('suspended_for', 'is', null)
      .where('api_keys.id', '=', parameter('id'))
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', parameter('now'))])),
);

export const updateApiKey = updateRows('api_keys', ['accountId', 'id'], ['name', 'expiresAt', 'replacedBy']);

export const removeApiKey = removeRows('api_keys', ['accountId', 'id']);

export const removeApiKeys = removeRows('api_keys', ['accountId']);

/**
 * The clocks of other processes are assumed to be ahead by less than this. A stored time that is further in
 * the future was written before a clock was set back.
 */
const LATER_MAX_MS = 60 * 60 * 1000;

const touch = statement<KeyId & { usedAt: number; latest: number }>((query, parameter) =>
  query
    .updateTable('api_keys')
    .set({ last_used_at: parameter('usedAt') })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id'))
    .where((is) =>
      is.or([
        is('last_used_at', 'is', null),
        is('last_used_at', '<', parameter('usedAt')),
        is('last_used_at', '>', parameter('latest')),
      ]),
    ),
);

/** Stores when a key was last used (UTC milliseconds), unless a later use is stored. */
export async function setLastUsed(executor: Executor, accountId: string, id: string, usedAt: number): Promise<void> {
  await executor.execute(touch, { accountId, id, usedAt, latest: usedAt + LATER_MAX_MS });
}

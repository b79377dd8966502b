import type { AccountHead, Head } from '../model/accounts.ts';
import type { Access, ApiKey } from '../model/api-keys.ts';
import { HEAD_COLUMNS } from './accounts.ts';
import { type Executor, statement } from './database.ts';

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
export async function insertApiKey(executor: Executor, key: ApiKey, hash: string): Promise<void> {
  await executor.execute(insert, { ...key, hash });
}

/** What each request needs to know of its key, and where its account stood when the key was found. */
export interface KeyPrincipal extends Head {
  keyId: string;
  accountId: string;
  access: Access;
  expiresAt: number | null;
  /** The account's own limit for each of its keys: so many requests in so many seconds. */
  ratePoints: number | null;
  rateSeconds: number | null;
  /** Why the account is suspended; null while it is not. */
  suspendedFor: string | null;
}

/** For `findKeyPrincipal`. */
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
 * The key with this SHA-256. Reads the database each time: a deleted key must end with the next request. The account's
 * sequence comes with it, since a second statement would cost a list that has not changed a tenth of its time.
 */
export async function findKeyPrincipal(executor: Executor, hash: string): Promise<KeyPrincipal | undefined> {
  const [principal] = await executor.execute(selectPrincipal, { hash });
  return principal;
}

interface KeyDetails {
  name: string;
  accountName: string;
  createdAt: number;
}

const selectDetails = statement<{ accountId: string; id: string }, KeyDetails>((query, parameter) =>
  query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.name', 'accounts.name as accountName', 'api_keys.created_at as createdAt'])
    .where('api_keys.account_id', '=', parameter('accountId'))
    .where('api_keys.id', '=', parameter('id')),
);

/** What one of the account's keys and the account are called, and since when the key exists (UTC milliseconds). */
export async function findKeyDetails(
  executor: Executor,
  accountId: string,
  id: string,
): Promise<KeyDetails | undefined> {
  const [details] = await executor.execute(selectDetails, { accountId, id });
  return details;
}

const selectOwner = statement<{ id: string }, { accountId: string }>((query, parameter) =>
  query.selectFrom('api_keys').select('account_id as accountId').where('id', '=', parameter('id')),
);

/** The account that a key belongs to: for the operator only. */
export async function findKeyOwner(executor: Executor, id: string): Promise<string | undefined> {
  const [owner] = await executor.execute(selectOwner, { id });
  return owner?.accountId;
}

const selectAccount = statement<{ accountId: string; id: string; now: number }, AccountHead>((query, parameter) =>
  query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .innerJoin('account_heads', 'account_heads.account_id', 'api_keys.account_id')
    .select(HEAD_COLUMNS)
    .where('account_heads.account_id', '=', parameter('accountId'))
    .where('suspended_for', 'is', null)
    .where('api_keys.id', '=', parameter('id'))
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', parameter('now'))])),
);

/** The account of a key that is not deleted and has not expired `now`, in UTC milliseconds; none if it is suspended. */
export async function findKeyAccount(
  executor: Executor,
  accountId: string,
  keyId: string,
  now: number,
): Promise<AccountHead | undefined> {
  const [account] = await executor.execute(selectAccount, { accountId, id: keyId, now });
  return account;
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
export function listApiKeys(executor: Executor, accountId: string): Promise<ApiKey[]> {
  return executor.execute(selectByAccount, { accountId });
}

const selectHead = statement<{ accountId: string; id: string }, Head>((query, parameter) =>
  query
    .selectFrom('api_keys')
    .innerJoin('account_heads', 'account_heads.account_id', 'api_keys.account_id')
    .innerJoin('database_info', (join) => join.onTrue())
    .select(['sequence', 'epoch'])
    .where('account_heads.account_id', '=', parameter('accountId'))
    .where('suspended_for', 'is', null)
    .where('api_keys.id', '=', parameter('id')),
);

/** Where the account of a key stands; undefined without such a key, and while the account is suspended. */
export async function findKeyHead(executor: Executor, accountId: string, id: string): Promise<Head | undefined> {
  const [head] = await executor.execute(selectHead, { accountId, id });
  return head;
}

const remove = statement<{ accountId: string; id: string }, { id: string }>((query, parameter) =>
  query
    .deleteFrom('api_keys')
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id'))
    .returning('id'),
);

/** Removes a key: it is none any more when the transaction commits. @returns whether there was such a key */
export async function removeApiKey(executor: Executor, accountId: string, id: string): Promise<boolean> {
  const rows = await executor.execute(remove, { accountId, id });
  return rows.length > 0;
}

const removeAll = statement<{ accountId: string }>((query, parameter) =>
  query.deleteFrom('api_keys').where('account_id', '=', parameter('accountId')),
);

/** Removes every key of an account. */
export async function removeApiKeys(executor: Executor, accountId: string): Promise<void> {
  await executor.execute(removeAll, { accountId });
}

/** No other process's clock is so far ahead: such a time was written before the clock was set back. */
const LATER_MAX_MS = 60 * 60 * 1000;

const touch = statement<{ accountId: string; id: string; usedAt: number; latest: number }>((query, parameter) =>
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

/** Notes when a key was last used, in UTC milliseconds. */
export async function setLastUsed(executor: Executor, accountId: string, id: string, usedAt: number): Promise<void> {
  await executor.execute(touch, { accountId, id, usedAt, latest: usedAt + LATER_MAX_MS });
}

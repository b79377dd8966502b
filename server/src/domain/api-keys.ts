import { createId } from '../lib/ids.ts';
import type { Taken } from '../lib/limiter.ts';
import { parseName } from '../model/accounts.ts';
import {
  type Access,
  type ApiKey,
  generateSecret,
  hashSecret,
  isWellFormedSecret,
  startOfSecret,
} from '../model/api-keys.ts';
import type { AuditTarget } from '../model/audit.ts';
import { AppError } from '../model/errors.ts';
import {
  findKeyDetails,
  findKeyOwner,
  findKeyPrincipal,
  insertApiKey,
  type KeyPrincipal,
  removeApiKey,
} from '../storage/api-keys.ts';
import type { Database } from '../storage/database.ts';
import { findCountedKeyPrincipal, type KeyCount } from '../storage/key-counts.ts';
import { getAccount } from './accounts.ts';
import { recordAudit } from './audit.ts';
import { type Administrator, requireAdministrator } from './roles.ts';

export interface NewApiKey {
  accountId: string;
  name: string;
  access: Access;
  /** UTC milliseconds; null for a key that does not expire. */
  expiresAt: number | null;
  createdBy: string | null;
}

/**
 * Issues a key. `secret` is the key itself, which is not stored.
 * @throws {AppError} `not_found` for the account, `validation_failed` for a blank name or a past
 * expiry, or what `requireAdministrator` throws
 */
export async function issueApiKey(
  database: Database,
  request: NewApiKey,
  administrator: Administrator = 'operator',
): Promise<{ key: ApiKey; secret: string }> {
  const createdAt = Date.now();
  if (request.expiresAt !== null && request.expiresAt <= createdAt) {
    throw new AppError('validation_failed', 'The expiry time is in the past; give one in the future.');
  }
  const secret = generateSecret();
  const key: ApiKey = {
    ...request,
    id: createId('key'),
    name: parseName(request.name),
    start: startOfSecret(secret),
    createdAt,
    lastUsedAt: null,
  };
  await database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, key.accountId, administrator);
    await getAccount(transaction, key.accountId);
    await insertApiKey(transaction, key, hashSecret(secret));
    await recordAudit(transaction, key.accountId, actor, 'api_key.created', targetOf(key));
  }, key.accountId);
  return { key, secret };
}

/**
 * Deletes a key. From then on, every process rejects requests with it.
 * @throws {AppError} `not_found`, even for another account's key, or what `requireAdministrator`
 * throws
 */
export async function deleteApiKey(
  database: Database,
  keyId: string,
  administrator: Administrator = 'operator',
): Promise<void> {
  const accountId = administrator === 'operator' ? await findKeyOwner(database, keyId) : administrator.accountId;
  const key = accountId === undefined ? undefined : await findKeyDetails(database, accountId, keyId);
  if (accountId === undefined || key === undefined) throw noKey(keyId);
  await database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, accountId, administrator);
    // Another request may have deleted it in the meantime.
    if (!(await removeApiKey(transaction, accountId, keyId))) throw noKey(keyId);
    await recordAudit(transaction, accountId, actor, 'api_key.deleted', targetOf({ id: keyId, name: key.name }));
  }, accountId);
}

function noKey(id: string): AppError {
  return new AppError('not_found', `There is no key ${id}; it may have been deleted.`);
}

function targetOf({ id, name }: { id: string; name: string }): AuditTarget {
  return { type: 'api_key', id, name };
}

/** The reason for rejecting a key, for `WWW-Authenticate`. */
export type KeyRejection = { why: 'malformed' | 'unknown' | 'expired' } | { why: 'suspended'; reason: string };

/** A key's principal, with the key's used rate-limit points if the database counted the request. */
export interface Authenticated {
  principal: KeyPrincipal;
  taken: Taken | undefined;
}

/**
 * Finds a key's principal. If `count` is given and the database counts for several machines, the
 * same round trip counts the request.
 */
export async function authenticate(
  database: Database,
  secret: string,
  count: KeyCount | undefined,
): Promise<Authenticated | KeyRejection> {
  if (!isWellFormedSecret(secret)) return { why: 'malformed' };
  const { principal, taken } = await findPrincipal(database, hashSecret(secret), count);
  if (principal === undefined) return { why: 'unknown' };
  if (principal.expiresAt !== null && principal.expiresAt <= Date.now()) return { why: 'expired' };
  if (principal.suspendedFor !== null) return { why: 'suspended', reason: principal.suspendedFor };
  return { principal, taken };
}

async function findPrincipal(database: Database, hash: string, count: KeyCount | undefined) {
  const { counters } = database;
  if (counters !== undefined && count !== undefined) return findCountedKeyPrincipal(counters, hash, count);
  return { principal: await findKeyPrincipal(database, hash), taken: undefined };
}

import { createId } from '../../lib/ids.ts';
import type { Taken } from '../../lib/limiter.ts';
import { TIME_MAX_MS } from '../../lib/times.ts';
import { parseName } from '../../model/accounts.ts';
import {
  type Access,
  type ApiKey,
  generateSecret,
  hashSecret,
  isWellFormedSecret,
  startOfSecret,
} from '../../model/api-keys.ts';
import type { AuditActor, AuditTarget } from '../../model/audit.ts';
import { AppError } from '../../model/errors.ts';
import {
  findApiKey,
  findKeyOwner,
  findKeyPrincipal,
  insertApiKey,
  type KeyPrincipal,
  removeApiKey,
  updateApiKey,
} from '../../storage/api-keys.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findCountedKeyPrincipal, type KeyCount } from '../../storage/key-counts.ts';
import { recordAudit } from '../access/audit.ts';
import { type Administrator, requireAdministrator } from '../access/roles.ts';
import { getAccount } from '../accounts/accounts.ts';

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
 * @throws {AppError} `not_found` for the account, `validation_failed` for an invalid name or a past
 * expiry, or what `requireAdministrator` throws
 */
export async function issueApiKey(
  database: Database,
  request: NewApiKey,
  administrator: Administrator = 'operator',
): Promise<GeneratedKey> {
  if (request.expiresAt !== null && request.expiresAt <= Date.now()) {
    throw new AppError('validation_failed', 'The expiration time is in the past; choose one in the future.');
  }
  const generated = generateKey(request);
  const { key, secret } = generated;
  await database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, key.accountId, administrator);
    await getAccount(transaction, key.accountId);
    await insertApiKey(transaction, { ...key, hash: hashSecret(secret) });
    await recordAudit(transaction, key.accountId, actor, 'api_key.created', targetOf(key));
  }, key.accountId);
  return generated;
}

interface GeneratedKey {
  key: ApiKey;
  secret: string;
}

function generateKey(request: NewApiKey): GeneratedKey {
  const secret = generateSecret();
  const key: ApiKey = {
    ...request,
    id: createId('key'),
    name: parseName(request.name),
    start: startOfSecret(secret),
    createdAt: Date.now(),
    lastUsedAt: null,
    replacedBy: null,
  };
  return { key, secret };
}

/** @throws {AppError} `validation_failed` for an invalid name, or what `deleteApiKey` throws */
export function renameApiKey(
  database: Database,
  keyId: string,
  name: string,
  administrator: Administrator = 'operator',
): Promise<ApiKey> {
  const parsed = parseName(name);
  return changeKey(database, keyId, administrator, async ({ transaction, key, actor }) => {
    if (parsed === key.name) return key;
    const renamed = { ...key, name: parsed };
    await updateApiKey(transaction, key.accountId, keyId, renamed);
    const target = targetOf({ id: keyId, name: `${key.name}: now called ${parsed}` });
    await recordAudit(transaction, key.accountId, actor, 'api_key.renamed', target);
    return renamed;
  });
}

const HOUR_MS = 3_600_000;

/**
 * Issues a key with the name, access, and lifetime of an existing key. The existing key expires after
 * `hours`, or earlier if it would have expired anyway. With 0 hours, it is deleted immediately.
 * @throws {AppError} `conflict` for a key that has already been rolled, or what `deleteApiKey` throws
 */
export function rollApiKey(
  database: Database,
  keyId: string,
  hours: number,
  administrator: Administrator = 'operator',
): Promise<GeneratedKey> {
  return changeKey(database, keyId, administrator, async ({ transaction, key: old, actor }) => {
    await requireUnrolled(transaction, old);
    const now = Date.now();
    const { accountId, name, access, createdAt } = old;
    const expiresAt = old.expiresAt === null ? null : Math.min(now + old.expiresAt - createdAt, TIME_MAX_MS);
    const createdBy = administrator === 'operator' ? null : administrator.userName;
    const generated = generateKey({ accountId, name, access, expiresAt, createdBy });
    const { key, secret } = generated;
    const expiry = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + hours * HOUR_MS);
    await insertApiKey(transaction, { ...key, hash: hashSecret(secret) });
    const target = targetOf({ id: keyId, name: `${name}: ${describeRoll(key, hours, expiry)}` });
    await recordAudit(transaction, accountId, actor, 'api_key.rolled', target);
    if (hours > 0) {
      await updateApiKey(transaction, accountId, keyId, { name, expiresAt: expiry, replacedBy: key.id });
    } else {
      await removeApiKey(transaction, accountId, keyId);
      await recordAudit(transaction, accountId, actor, 'api_key.deleted', targetOf(old));
    }
    return generated;
  });
}

async function requireUnrolled(transaction: Executor, { accountId, id, replacedBy }: ApiKey): Promise<void> {
  if (replacedBy === null) return;
  const replacement = await findApiKey(transaction, accountId, replacedBy);
  // The original lifetime is no longer known, so a new key cannot get the same one.
  const advice = replacement
    ? `; roll its replacement ${replacedBy} instead`
    : ', and its replacement was deleted; create a new key instead';
  throw new AppError('conflict', `The key ${id} has already been rolled${advice}.`);
}

function describeRoll(key: ApiKey, hours: number, expiry: number): string {
  const end = hours > 0 ? `expires ${new Date(expiry).toISOString()}` : 'is deleted';
  return `replaced by ${key.start}… (${key.id}); the old key ${end}`;
}

/**
 * Deletes a key. Once it is deleted, every process rejects requests that use it.
 * @throws {AppError} `not_found` if the account has no such key, or what `requireAdministrator` throws
 */
export async function deleteApiKey(
  database: Database,
  keyId: string,
  administrator: Administrator = 'operator',
): Promise<void> {
  await changeKey(database, keyId, administrator, async ({ transaction, key, actor }) => {
    await removeApiKey(transaction, key.accountId, keyId);
    await recordAudit(transaction, key.accountId, actor, 'api_key.deleted', targetOf(key));
  });
}

interface KeyChange {
  transaction: Executor;
  key: ApiKey;
  actor: AuditActor;
}

/** Checks the administrator and runs `work` in one transaction. @throws {AppError} as `deleteApiKey` does */
async function changeKey<T>(
  database: Database,
  keyId: string,
  administrator: Administrator,
  work: (change: KeyChange) => Promise<T>,
): Promise<T> {
  const accountId =
    administrator === 'operator' ? (await findKeyOwner(database, keyId))?.accountId : administrator.accountId;
  if (accountId === undefined) throw noKey(keyId);
  return database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, accountId, administrator);
    const key = await findApiKey(transaction, accountId, keyId);
    if (key === undefined) throw noKey(keyId);
    return work({ transaction, key, actor });
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
 * Finds a key's principal, or the reason for rejecting the key. If `count` is given and the database counts
 * requests for several machines, the same round trip also counts this request.
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

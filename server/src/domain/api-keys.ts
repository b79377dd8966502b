import { createId } from '../lib/ids.ts';
import { parseName } from '../model/accounts.ts';
import {
  type Access,
  type ApiKey,
  generateSecret,
  hashSecret,
  isWellFormedSecret,
  startOfSecret,
} from '../model/api-keys.ts';
import { AppError } from '../model/errors.ts';
import { findKeyHolder, insertApiKey, type KeyHolder, removeApiKey } from '../storage/api-keys.ts';
import type { Database, Session } from '../storage/database.ts';
import { getAccount } from './accounts.ts';

export interface NewApiKey {
  accountId: string;
  name: string;
  access: Access;
  /** UTC milliseconds; null for a key that does not expire. */
  expiresAt: number | null;
  createdBy: string | null;
}

/**
 * Makes a key. `secret` is the key itself: it is returned this once and stored nowhere.
 * @throws {AppError} `not_found` without such an account; `validation_failed` for a blank name or a past expiry
 */
export async function issueApiKey(database: Database, request: NewApiKey): Promise<{ key: ApiKey; secret: string }> {
  const createdAt = Date.now();
  if (request.expiresAt !== null && request.expiresAt <= createdAt) {
    throw new AppError('validation_failed', 'The key would have expired already; give a time in the future.');
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
  await database.write(async (session) => {
    await getAccount(session, key.accountId);
    await insertApiKey(session, key, hashSecret(secret));
  });
  return { key, secret };
}

/**
 * Deletes a key: the next request that carries it is refused, in every process.
 * @throws {AppError} `not_found` without such a key
 */
export async function deleteApiKey(database: Database, keyId: string): Promise<void> {
  await database.write(async (session) => {
    const existed = await removeApiKey(session, keyId);
    if (!existed) throw new AppError('not_found', `There is no key ${keyId}; it may have been deleted before.`);
  });
}

/** Why a key was refused: only its holder is told, in `WWW-Authenticate`. */
export type KeyRefusal = 'malformed' | 'unknown' | 'expired';

/** Who sends a request; a refusal if the secret is no key, or none any more. */
export async function authenticate(session: Session, secret: string): Promise<KeyHolder | KeyRefusal> {
  if (!isWellFormedSecret(secret)) return 'malformed';
  const holder = await findKeyHolder(session, hashSecret(secret));
  if (holder === undefined) return 'unknown';
  if (holder.expiresAt !== null && holder.expiresAt <= Date.now()) return 'expired';
  return holder;
}

import { authenticate, type KeyRefusal, type KeyUse } from '../domain/api-keys.ts';
import { AppError } from '../model/errors.ts';
import type { KeyHolder } from '../storage/api-keys.ts';
import type { Database } from '../storage/database.ts';
import type { Exchange } from './exchange.ts';
import { countHeader } from './raw-headers.ts';
import { CHALLENGE } from './reply.ts';

/** RFC 6750 §2.1, the scheme in any case (RFC 9110 §11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

const DESCRIPTIONS: Record<KeyRefusal | 'unreadable', string> = {
  unreadable: 'Send one header like this: Authorization: Bearer API_KEY',
  malformed: 'This is not an API key; its checksum or form is wrong, so copy it again',
  unknown: 'There is no such API key; it may have been deleted',
  expired: 'This API key has expired',
};

/**
 * Whose key a request carries.
 * @throws {AppError} `unauthorized`, with the reason in `WWW-Authenticate` for the key's holder
 */
export async function requireApiKey({ incoming }: Exchange, database: Database, keyUse: KeyUse): Promise<KeyHolder> {
  const { authorization } = incoming.headers;
  if (authorization === undefined) throw unauthorized();
  const isOne = countHeader(incoming.rawHeaders, 'authorization') === 1;
  const secret = isOne ? BEARER.exec(authorization)?.[1] : undefined;
  const holder = secret === undefined ? 'unreadable' : await authenticate(database, secret);
  if (typeof holder === 'string') throw unauthorized(DESCRIPTIONS[holder]);
  keyUse.record(holder.keyId);
  return holder;
}

function unauthorized(description?: string): AppError {
  const reason = description === undefined ? '' : `, error="invalid_token", error_description="${description}"`;
  return new AppError('unauthorized', 'Invalid or missing API key', {
    headers: { 'WWW-Authenticate': CHALLENGE + reason },
  });
}

/** @throws {AppError} `insufficient_scope` for a key that may only read */
export function requireFullAccess({ access }: KeyHolder): void {
  if (access === 'full') return;
  throw new AppError('insufficient_scope', 'This key may only read; use a key with full access to change listings.');
}

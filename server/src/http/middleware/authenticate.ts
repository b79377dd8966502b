import type { MiddlewareHandler } from 'hono';
import { authenticate, type KeyRefusal, type KeyUse } from '../../domain/api-keys.ts';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import { countHeader } from '../raw-headers.ts';
import type { AppEnv } from '../reply.ts';

/** RFC 6750 §2.1, the scheme in any case (RFC 9110 §11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const CHALLENGE = 'Bearer realm="property-listings"';

const DESCRIPTIONS: Record<KeyRefusal, string> = {
  malformed: 'This is not an API key; its checksum or form is wrong, so copy it again',
  unknown: 'There is no such API key; it may have been deleted',
  expired: 'This API key has expired',
};

/** Lets a request pass that carries a key; the key's holder is then in the context. */
export function requireApiKey(database: Database, keyUse: KeyUse): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { headers, rawHeaders } = c.env.incoming;
    if (headers.authorization === undefined) throw unauthorized();
    const isOne = countHeader(rawHeaders, 'authorization') === 1;
    const secret = isOne ? BEARER.exec(headers.authorization)?.[1] : undefined;
    const holder = secret === undefined ? 'malformed' : await authenticate(database, secret);
    if (typeof holder === 'string') throw unauthorized(DESCRIPTIONS[holder]);
    keyUse.record(holder.keyId);
    c.set('holder', holder);
    await next();
  };
}

function unauthorized(description?: string): AppError {
  const reason = description === undefined ? '' : `, error="invalid_token", error_description="${description}"`;
  return new AppError('unauthorized', 'Invalid or missing API key', {
    headers: { 'WWW-Authenticate': CHALLENGE + reason },
  });
}

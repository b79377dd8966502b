import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { IdempotentRequest } from '../../domain/writing.ts';
import { AppError } from '../../model/errors.ts';
import type { Exchange } from './exchange.ts';
import { countHeader } from './raw-headers.ts';

/** Visible ASCII characters; the header's draft has them in quotes, most clients send them bare. */
const KEY = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"(.*)"$/;

/**
 * The Idempotency-Key of a request, without its quotes.
 * @throws {AppError} `invalid_idempotency_key`
 */
export function readIdempotencyKey({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = typeof header === 'string' ? (QUOTED.exec(header)?.[1] ?? header) : '';
  if (KEY.test(key) && countHeader(rawHeaders, 'idempotency-key') === 1) return key;
  throw new AppError(
    'invalid_idempotency_key',
    'Send one Idempotency-Key of 1 to 255 visible characters, such as a UUID.',
  );
}

/** Makes what the domain needs to recognise a retry. */
export function toIdempotentRequest(
  key: string | undefined,
  exchange: Exchange,
  body: Buffer,
): IdempotentRequest | undefined {
  if (key === undefined) return undefined;
  const hash = createHash('sha256').update(fingerprintStart(exchange)).update(body);
  return { key, fingerprint: hash.digest('base64url') };
}

/**
 * What tells a retry from another request that uses its key by mistake: all that the outcome could depend on. The body
 * is to follow.
 */
export function fingerprintStart({ incoming, path, query }: Exchange): string {
  const { method, headers } = incoming;
  const parts = [method, path, query, headers['content-type'], headers['if-match'], headers['if-none-match']];
  return JSON.stringify(parts.map((part) => part ?? null));
}

/** What tells that a reply is one to an earlier request. */
export function replayHeaders(isReplayed: boolean): Record<string, string> {
  return isReplayed ? { 'Idempotent-Replayed': 'true' } : {};
}

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { IdempotentRequest } from '../../domain/writing/writing.ts';
import { AppError } from '../../model/errors.ts';
import type { Exchange } from './exchange.ts';
import { countHeader } from './raw-headers.ts';

/** Visible ASCII. The draft standard requires quotes, which most clients omit. */
const KEY = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"(.*)"$/;

/** Returns the key without its quotes. @throws {AppError} `invalid_idempotency_key` */
export function readIdempotencyKey({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = typeof header === 'string' ? (QUOTED.exec(header)?.[1] ?? header) : '';
  if (KEY.test(key) && countHeader(rawHeaders, 'idempotency-key') === 1) return key;
  throw new AppError(
    'invalid_idempotency_key',
    'Send one Idempotency-Key of 1 to 255 visible ASCII characters, such as a UUID.',
  );
}

export function toIdempotentRequest(
  key: string | undefined,
  exchange: Exchange,
  body: Buffer,
): IdempotentRequest | undefined {
  if (key === undefined) return undefined;
  const hash = createHash('sha256').update(fingerprintStart(exchange)).update(body);
  return { key, fingerprint: hash.digest('base64url') };
}

/** The part of the fingerprint before the body: everything that affects the outcome, except the body itself. */
export function fingerprintStart({ incoming, path, query }: Exchange): string {
  const { method, headers } = incoming;
  const parts = [method, path, query, headers['content-type'], headers['if-match'], headers['if-none-match']];
  return JSON.stringify(parts.map((part) => part ?? null));
}

export function replayHeaders(isReplayed: boolean): Record<string, string> {
  return isReplayed ? { 'Idempotent-Replayed': 'true' } : {};
}

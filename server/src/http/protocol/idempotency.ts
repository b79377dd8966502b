import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { IdempotentRequest } from '../../domain/writing/writing.ts';
import { AppError } from '../../model/errors.ts';
import { INPUT_BYTES_MAX } from '../contract/operation.ts';
import { readBody } from './body.ts';
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

/**
 * Reads the key and the body of a change. An operation without a body also calls this: a client can send one, and it
 * is part of the fingerprint.
 * @throws {AppError} as `readIdempotencyKey` and `readBody` do
 */
export async function readIdempotent(
  exchange: Exchange,
  bytesMax = INPUT_BYTES_MAX,
): Promise<{ bytes: Buffer; idempotency: IdempotentRequest | undefined }> {
  const key = readIdempotencyKey(exchange.incoming);
  const bytes = await readBody(exchange, bytesMax);
  if (key === undefined) return { bytes, idempotency: undefined };
  const hash = createHash('sha256').update(fingerprintStart(exchange)).update(bytes);
  return { bytes, idempotency: { key, fingerprint: hash.digest('base64url') } };
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

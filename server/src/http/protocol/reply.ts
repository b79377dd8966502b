import { type AppError, INVALID_KEY } from '../../model/errors.ts';
import { ERRORS, INVALID_KEY_BODY } from '../contract/errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import type { ReadyBody } from './ready-body.ts';

export interface Reply {
  status: number;
  /** In addition to `commonHeaders`. */
  headers: Record<string, string>;
  /** Chunks are sent at the reader's pace. */
  body?: string | Buffer | ReadyBody | AsyncIterable<Buffer>;
  /** Must not be set with a strong ETag, which identifies the exact bytes. */
  isCompressible?: boolean;
}

/** The start of each `WWW-Authenticate` header (RFC 6750 §3). */
export const CHALLENGE = 'Bearer realm="property-listings"';

export function challengeFor(description: string): string {
  return `${CHALLENGE}, error="invalid_token", error_description="${description}"`;
}

/** The description for an `Authorization` header from which no key can be read. */
export const UNREADABLE_KEY = 'Send one header like this: Authorization: Bearer API_KEY';
/** For a key that was valid when the request began. */
const KEY_GONE = challengeFor(
  'This API key was deleted or has expired since the request began, or its account was suspended',
);

/** The default headers of every response. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Accept, Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

export function replyJson(
  status: number,
  body: string | Buffer | AsyncIterable<Buffer>,
  headers?: Record<string, string>,
): Reply {
  return { status, headers: { 'Content-Type': JSON_TYPE, ...headers }, body };
}

export function replyNotModified(etag: string): Reply {
  return { status: 304, headers: { ETag: etag } };
}

export function replyError(error: AppError, requestId: string): Reply {
  const isKeyRejected = error.message === INVALID_KEY;
  const body = isKeyRejected ? INVALID_KEY_BODY : errorBody(error, requestId);
  // A 401 response must say how to authenticate (RFC 9110 §15.5.2), but cookies have no authentication scheme.
  const challenge = isKeyRejected ? { 'WWW-Authenticate': KEY_GONE } : undefined;
  // Links to the error's page (RFC 8288, relation `help`) in a header, because the body for a rejected key is fixed.
  const help = { Link: `</docs/errors/${error.code}>; rel="help"` };
  return replyJson(ERRORS[error.code].status, body, { ...challenge, ...help, ...error.headers });
}

export function errorBody(error: AppError, requestId: string): string {
  const { code, message, members, details } = error;
  return JSON.stringify({ error: { code, message, requestId, ...members, details } });
}

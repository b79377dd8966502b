import type { AppError } from '../../model/errors.ts';
import { ERRORS, KEY_REFUSED, KEY_REFUSED_BODY } from '../contract/errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';

/** What is sent back; headers besides those that every reply has. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Chunks are sent as fast as the reader takes them; nothing at all in a 304. */
  body?: string | Buffer | AsyncIterable<string>;
  /** Whether the body is compressed for those who ask for it; never one with a strong ETag, which names its bytes. */
  isCompressible?: boolean;
}

/** RFC 6750 §3. */
export const CHALLENGE = 'Bearer realm="property-listings"';

/** For the key's holder, why it was refused. */
export function challengeFor(description: string): string {
  return `${CHALLENGE}, error="invalid_token", error_description="${description}"`;
}

/** Of a key with which the request was let in. */
const GONE_MEANWHILE = challengeFor(
  'This API key was deleted or has expired since the request began, or its account was suspended',
);

/** What every reply says, unless its own headers say otherwise. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Accept, Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

/** A reply with a JSON text as its body. */
export function replyJson(
  status: number,
  body: string | AsyncIterable<string>,
  headers?: Record<string, string>,
): Reply {
  return { status, headers: { 'Content-Type': JSON_TYPE, ...headers }, body };
}

/** A 304: the caller's copy is current. */
export function replyNotModified(etag: string): Reply {
  return { status: 304, headers: { ETag: etag } };
}

/** The reply to an error, in the one shape that all errors have. */
export function replyError(error: AppError, requestId: string): Reply {
  const isKeyRefused = error.message === KEY_REFUSED;
  const body = isKeyRefused ? KEY_REFUSED_BODY : errorBody(error, requestId);
  // RFC 9110 §15.5.2: a 401 says how to authenticate. There is no scheme for a cookie.
  const challenge = isKeyRefused ? { 'WWW-Authenticate': GONE_MEANWHILE } : undefined;
  // The page about the error (RFC 8288, the relation `help`): a header, since the body of a 401 is fixed.
  const help = { Link: `</docs/errors/${error.code}>; rel="help"` };
  return replyJson(ERRORS[error.code].status, body, { ...challenge, ...help, ...error.headers });
}

/** The body of an error reply: JSON text. */
function errorBody(error: AppError, requestId: string): string {
  const { code, message, members, details } = error;
  return JSON.stringify({ error: { code, message, requestId, ...members, details } });
}

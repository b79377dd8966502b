import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { AppError } from '../model/errors.ts';
import type { KeyHolder } from '../storage/api-keys.ts';
import { STATUS_OF_CODE, UNAUTHORIZED_BODY } from './errors.ts';

interface Variables {
  requestId: string;
  /** Set below `/v1`, once the key was found. */
  holder: KeyHolder;
}

export interface AppEnv {
  Bindings: HttpBindings;
  Variables: Variables;
}

export type AppContext = Context<AppEnv>;

export const JSON_TYPE = 'application/json';

/**
 * The headers of every reply: with `extra` in one plain object, which the adapter writes as it is, without building
 * a Headers object first.
 */
export function replyHeaders(
  c: AppContext,
  contentType: string,
  extra?: Record<string, string>,
): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, Accept, Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': c.get('requestId'),
    ...extra,
  };
}

/** A reply with a JSON text as its body. */
export function replyJson(c: AppContext, status: number, body: string, extra?: Record<string, string>): Response {
  return new Response(body, { status, headers: replyHeaders(c, JSON_TYPE, extra) });
}

/** A 304: the caller's copy is current. */
export function replyNotModified(c: AppContext, etag: string): Response {
  const { 'Content-Type': _, ...headers } = replyHeaders(c, JSON_TYPE, { ETag: etag });
  return new Response(null, { status: 304, headers });
}

/** The reply to an error, in the one shape that all errors have. */
export function replyError(c: AppContext, error: AppError): Response {
  const body = error.code === 'unauthorized' ? UNAUTHORIZED_BODY : errorBody(error, c.get('requestId'));
  return replyJson(c, STATUS_OF_CODE[error.code], body, error.headers);
}

/** The body of an error reply: JSON text. */
export function errorBody(error: AppError, requestId: string): string {
  const { code, message, members, details } = error;
  return JSON.stringify({ error: { code, message, requestId, ...members, details } });
}

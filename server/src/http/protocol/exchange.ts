import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../domain/access/principals.ts';
import { inSlices } from '../../lib/in-slices.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { KeyPrincipal } from '../../storage/api-keys.ts';
import { parseTarget } from './target.ts';

/** A request and its response. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  requestId: string;
  /** As sent, without percent-decoding; without a route if the path would have to be normalized. */
  path: string;
  /** For logs. */
  sentPath: string;
  query: string;
  /** When the request arrived, its handling began, and its response was ready, as returned by `performance.now()`. */
  arrivedMs: number;
  startedMs: number | undefined;
  repliedMs: number | undefined;
  /** Undefined before authentication, and in operations whose caller is `user` or `anyone`. */
  principal: Principal | undefined;
  /** The response headers that describe the key's rate limit. */
  rateLimit: Record<string, string> | undefined;
  errorCode: ErrorCode | undefined;
  errorBody: string | undefined;
  /** The account's sequence after the request's last change. */
  sequence: number | undefined;
  /** Whether the request was rejected because of overload; such requests share log lines. */
  isOverload: boolean;
}

/** An authenticated exchange. */
export interface Admitted<P extends Principal = Principal> extends Exchange {
  principal: P;
}

export function hasKey(exchange: Exchange): exchange is Admitted<KeyPrincipal> {
  return exchange.principal !== undefined && 'keyId' in exchange.principal;
}

/** Excludes API keys, which must not appear in the log. */
const REQUEST_ID = /^(?!.*plk_)[A-Za-z0-9._-]{1,128}$/;

/** The client's own id, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

export function openExchange(incoming: IncomingMessage, outgoing: ServerResponse): Exchange {
  const { path, sentPath, query } = parseTarget(incoming.url ?? '/');
  return {
    incoming,
    outgoing,
    requestId: requestIdOf(incoming),
    path,
    sentPath,
    query,
    arrivedMs: performance.now(),
    startedMs: undefined,
    repliedMs: undefined,
    principal: undefined,
    rateLimit: undefined,
    errorCode: undefined,
    errorBody: undefined,
    sequence: undefined,
    isOverload: false,
  };
}

/** The abort reason for work whose client has disconnected. Created once, because many can disconnect at once. */
export const CLIENT_LEFT = new AppError('invalid_header', 'The connection ended before the response was sent.');

/** The controllers of work whose clients have disconnected, until `abortLeaving` aborts them. */
const leaving: AbortController[] = [];

/** Listens to the request, because a response that waits for an earlier one does not notice a disconnection. */
export function abortWhenLeft({ incoming, outgoing }: Exchange): AbortSignal {
  const left = new AbortController();
  const onClose = () => {
    if (outgoing.writableFinished) return;
    leaving.push(left);
    if (leaving.length === 1) void abortLeaving();
  };
  if (incoming.destroyed) onClose();
  else incoming.once('close', onClose);
  return left.signal;
}

/** Aborts in slices: when many clients disconnect at once, ending all their work would block the event loop. */
async function abortLeaving(): Promise<void> {
  await inSlices(leaving, (each) => each.abort(CLIENT_LEFT));
  leaving.length = 0;
}

/** Disables the connection's idle timeout during `work`, which can take a long time without traffic. */
export async function withoutIdleTimeout<T>({ incoming }: Exchange, work: () => Promise<T>): Promise<T> {
  const { socket } = incoming;
  const { timeout = 0 } = socket;
  socket.setTimeout(0);
  return await work().finally(() => socket.setTimeout(timeout));
}

/** Responds to every valid HTTP request. The returned promise never rejects. */
export type App = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

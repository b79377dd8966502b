import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../domain/principals.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { KeyPrincipal } from '../../storage/api-keys.ts';

/** A request, and where its reply goes. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  requestId: string;
  /** As it was sent: percent signs are not decoded. */
  path: string;
  /** What stands behind `?`. */
  query: string;
  /** Who makes the request; undefined until it is let in, and where anyone may call. */
  principal: Principal | undefined;
  /** What the reply says of the key's rate limit; nothing when there is none. */
  rateLimit: Record<string, string> | undefined;
  /** The code of the error that is the reply. */
  errorCode: ErrorCode | undefined;
}

/** An exchange whose principal was let in. */
export interface Admitted<P extends Principal = Principal> extends Exchange {
  principal: P;
}

export function hasKey(exchange: Exchange): exchange is Admitted<KeyPrincipal> {
  return exchange.principal !== undefined && 'keyId' in exchange.principal;
}

/** Anything but a key, which would then lie in the log. */
const REQUEST_ID = /^(?!.*plk_)[A-Za-z0-9._-]{1,128}$/;

/** Opens an exchange; the caller's own request id is kept if it is a usable one. */
export function openExchange(incoming: IncomingMessage, outgoing: ServerResponse): Exchange {
  const given = incoming.headers['x-request-id'];
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return {
    incoming,
    outgoing,
    requestId,
    path,
    query: mark < 0 ? '' : target.slice(mark + 1),
    principal: undefined,
    rateLimit: undefined,
    errorCode: undefined,
  };
}

/** Made once: many may leave at the same time. */
const HAS_LEFT = new AppError('invalid_header', 'The connection ended before the reply did.');

/** Aborts when the client leaves. The reply does not know it while it stands behind another of its connection. */
export function abortWhenLeft({ incoming, outgoing }: Exchange): AbortSignal {
  const left = new AbortController();
  const onClose = () => {
    if (!outgoing.writableFinished) left.abort(HAS_LEFT);
  };
  if (incoming.destroyed) onClose();
  else incoming.once('close', onClose);
  return left.signal;
}

/** Answers every request that HTTP allows; never rejects. */
export type App = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

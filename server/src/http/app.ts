import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyUse } from '../domain/api-keys.ts';
import type { EventHub } from '../domain/event-hub.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import { requireApiKey, requireSession } from './authenticate.ts';
import type { TrustedProxies } from './client-address.ts';
import type { CursorCodec } from './cursor.ts';
import { ERRORS } from './errors.ts';
import { type Exchange, hasKey, hasSession, openExchange } from './exchange.ts';
import type { Guesses } from './guesses.ts';
import { logRequest } from './log-request.ts';
import { ADMIN } from './openapi/admin.ts';
import type { Api } from './openapi/api.ts';
import { V1 } from './openapi/v1.ts';
import { openApiDocument } from './openapi.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Reply, replyError, replyJson } from './reply.ts';
import { addDocs } from './routes/docs.ts';
import { addEvents } from './routes/events.ts';
import { addHealth } from './routes/health.ts';
import { addImports } from './routes/imports.ts';
import { addListingChanges } from './routes/listing-changes.ts';
import { addListings } from './routes/listings.ts';
import { addMe } from './routes/me.ts';
import { Routes } from './routes.ts';
import { send } from './send.ts';

/** What the routes work with. */
export interface Services {
  database: Database;
  eventHub: EventHub;
  cursors: CursorCodec;
  keyUse: KeyUse;
  log: Log;
  trustedProxies: TrustedProxies;
  /** None when requests are not limited. */
  rateLimit: RateLimit | undefined;
  guesses: Guesses;
  /** The program's version: part of each list's ETag. */
  release: string;
  isStopping: () => boolean;
}

/** Answers every request that HTTP allows; never rejects. */
export type App = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** The map of the service. */
export function createRoutes(services: Services): Routes {
  const routes = new Routes();
  const v1 = { routes, base: V1.base, admits: hasKey };
  const admin = { routes, base: ADMIN.base, admits: hasSession };
  for (const mount of [v1, admin]) {
    addListings(mount, services);
    addListingChanges(mount, services);
    addEvents(mount, services);
    addImports(mount, services);
  }
  addMe(v1, services);
  for (const api of [V1, ADMIN]) {
    const document = JSON.stringify(openApiDocument(api, services.release));
    routes.add('GET', api.base + OPENAPI_NAME, () => replyJson(200, document));
  }
  addHealth(routes, services);
  addDocs(routes);
  return routes;
}

/** What each request passes, in order. */
export function createApp(services: Services): App {
  const { log, trustedProxies, rateLimit, isStopping } = services;
  const routes = createRoutes(services);

  async function respond(exchange: Exchange): Promise<Reply> {
    if (needsCaller(exchange, V1)) {
      exchange.holder = await requireApiKey(exchange, services);
      if (rateLimit !== undefined) exchange.rateLimit = await rateLimit.spend(exchange.holder.keyId);
    } else if (needsCaller(exchange, ADMIN)) {
      exchange.holder = await requireSession(exchange, services);
    }
    return await routes.answer(exchange);
  }

  return async (incoming, outgoing) => {
    const exchange = openExchange(incoming, outgoing);
    logRequest(exchange, log, trustedProxies);
    try {
      const reply = await respond(exchange).catch((error: unknown) => replyToError(error, exchange, log));
      if (rateLimit !== undefined) await rateLimit.settle(exchange, reply.status);
      // A client that keeps the connection would send its next request on one that is just being closed.
      if (isStopping()) outgoing.shouldKeepAlive = false;
      await send(exchange, reply);
    } catch (error) {
      reportCut(error, exchange, log);
    }
  };
}

const OPENAPI_NAME = '/openapi.json';

/**
 * Whether a request belongs to an API: there nothing can be learned without a key or a session, not even what is not there.
 * The document holds nobody's data.
 */
function needsCaller({ path, incoming }: Exchange, { base }: Api): boolean {
  if (!path.startsWith(base)) return false;
  if (path === base + OPENAPI_NAME) return incoming.method !== 'GET' && incoming.method !== 'HEAD';
  return path.length === base.length || path[base.length] === '/';
}

function replyToError(error: unknown, exchange: Exchange, { logger }: Log): Reply {
  const { requestId } = exchange;
  const known = error instanceof AppError ? error : internalError(error);
  exchange.errorCode = known.code;
  if (ERRORS[known.code].status >= 500) logger.error({ requestId, err: known.cause ?? known }, known.message);
  return replyError(known, requestId);
}

function internalError(cause: unknown): AppError {
  return new AppError(
    'internal_error',
    'The service made a mistake; send the request again, or report its requestId.',
    { cause },
  );
}

/**
 * A reply that failed on its way: the connection is gone. A reader that leaves early, and a key that was deleted meanwhile,
 * are in the request's own line.
 */
function reportCut(error: unknown, exchange: Exchange, { logger }: Log): void {
  const { requestId, outgoing } = exchange;
  outgoing.destroy();
  if (error instanceof AppError && error.code === 'unauthorized') {
    exchange.errorCode = error.code;
    return;
  }
  const hasLeft = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  if (!hasLeft) logger.error({ requestId, err: error }, 'a reply was cut');
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventHub } from '../domain/event-hub.ts';
import type { KeyUse } from '../domain/key-use.ts';
import type { ListingCounts } from '../domain/listing-counts.ts';
import type { Log } from '../lib/log.ts';
import type { Mailer } from '../lib/mailer.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import type { Admission } from './admission.ts';
import { needsApiKey, requireApiKey, requireKeyOfRefused } from './authenticate.ts';
import type { TrustedProxies } from './client-address.ts';
import type { CursorCodec } from './cursor.ts';
import { ERRORS } from './errors.ts';
import { type Exchange, hasKey, hasSession, isAnybody, openExchange } from './exchange.ts';
import type { UploadGate } from './gate/upload-gate.ts';
import type { Guesses } from './guesses.ts';
import { admit } from './identity/admit.ts';
import type { PasswordAttempts, TokenAttempts } from './identity/attempts.ts';
import type { Identity } from './identity/identity.ts';
import type { InvitationLimit } from './identity/invitation-limit.ts';
import type { SetupLink } from './identity/setup-link.ts';
import type { ReadingThreads } from './imports/reading-threads.ts';
import { logRequest } from './log-request.ts';
import { ADMIN } from './openapi/admin.ts';
import { V1 } from './openapi/v1.ts';
import { overloaded, RefusalCount } from './overload.ts';
import { allowanceOf, type RateLimit } from './rate-limit.ts';
import { type Reply, replyError } from './reply.ts';
import { addAccount } from './routes/account.ts';
import { addActivity } from './routes/activity.ts';
import { addApiKeys } from './routes/api-keys.ts';
import { addAuth } from './routes/auth.ts';
import { addDashboard, isDashboardVisit, replyToLostVisit } from './routes/dashboard.ts';
import { addDocs } from './routes/docs.ts';
import { addEvents } from './routes/events.ts';
import { addHealth } from './routes/health.ts';
import { addImports } from './routes/imports.ts';
import { addAcceptance, addInvitations } from './routes/invitations.ts';
import { addListingChanges } from './routes/listing-changes.ts';
import { addListings } from './routes/listings.ts';
import { addMe } from './routes/me.ts';
import { addMembers } from './routes/members.ts';
import { addOpenApi } from './routes/openapi.ts';
import { addOverview } from './routes/overview.ts';
import { addProfile } from './routes/profile.ts';
import { addSecondFactor } from './routes/second-factor.ts';
import { addSession } from './routes/session.ts';
import { addSetup } from './routes/setup.ts';
import { Routes } from './routes.ts';
import { send } from './send.ts';

/** What the routes work with. */
export interface Services {
  database: Database;
  admission: Admission;
  uploadGate: UploadGate;
  readingThreads: ReadingThreads;
  eventHub: EventHub;
  cursors: CursorCodec;
  keyUse: KeyUse;
  listingCounts: ListingCounts;
  log: Log;
  trustedProxies: TrustedProxies;
  rateLimit: RateLimit;
  guesses: Guesses;
  identity: Identity;
  passwordAttempts: PasswordAttempts;
  tokenAttempts: TokenAttempts;
  invitationLimit: InvitationLimit;
  setupLink: SetupLink;
  /** None when the service cannot send mail. */
  mailer: Mailer | undefined;
  /** How people reach the service; undefined when they do by whatever address it has. */
  publicUrl: string | undefined;
  /** The address that it listens on. */
  host: string;
  /** The program's version: part of each list's ETag. */
  release: string;
  /** Whether the service stops. */
  isStopping: () => boolean;
  /** Whether this process leaves, because the service stops or another process takes its place. */
  isLeaving: () => boolean;
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
  addOverview(admin, services);
  addApiKeys(admin, services);
  addAccount(admin, services);
  addActivity(admin, services);
  addOpenApi(routes, V1, services);
  addOpenApi(routes, ADMIN, services);
  addHealth(routes, services);
  addDocs(routes);
  const open = { ...admin, admits: isAnybody };
  addSession(open, services);
  addAuth(open, services);
  addSecondFactor(open, services);
  addProfile(open, services);
  addSetup(open, services);
  addAcceptance(open, services);
  addMembers(admin, services);
  addInvitations(admin, services);
  addDashboard(routes);
  return routes;
}

/** What each request passes, in order. */
export function createApp(services: Services): App {
  const { admission, database, log, trustedProxies, rateLimit, keyUse, isLeaving } = services;
  const refusals = new RefusalCount(log, {
    first: 'more requests come than can be answered: some are refused',
    report: 'requests were refused, as too many were waiting',
  });
  const routes = createRoutes(services);

  function refusal({ requestId }: Exchange): Reply {
    refusals.add();
    return replyError(overloaded(), requestId);
  }

  async function respond(exchange: Exchange): Promise<Reply> {
    try {
      if (isDashboardVisit(exchange)) return { status: 302, headers: { Location: '/' } };
      if (needsApiKey(exchange)) {
        const { holder, taken } = await requireApiKey(exchange, services);
        exchange.holder = holder;
        if (database.isOverfull(holder.accountId)) return refusal(exchange);
        exchange.rateLimit = await rateLimit.spend(holder.keyId, taken, allowanceOf(holder));
        keyUse.countRequest(holder);
      } else if (isOfDashboard(exchange)) {
        await admit(exchange, services);
      }
      return await routes.answer(exchange);
    } catch (error) {
      return replyToError(error, exchange, log);
    }
  }

  /** Too much waits already: nothing is done with the request, but whoever has no key learns nothing else. */
  async function refuse(exchange: Exchange): Promise<Reply> {
    admission.noteRefusal(exchange);
    try {
      if (needsApiKey(exchange)) await requireKeyOfRefused(exchange, services);
      return refusal(exchange);
    } catch (error) {
      return replyToError(error, exchange, log);
    }
  }

  return async (incoming, outgoing) => {
    const exchange = openExchange(incoming, outgoing);
    const isRefused = admission.isFull(exchange);
    if (!isRefused) {
      logRequest(exchange, log, trustedProxies);
      const turn = admission.enter(exchange);
      if (turn !== undefined) await turn;
      // Nobody is there any more to hear what came of it.
      if (incoming.destroyed) return;
    }
    try {
      const answer = isRefused ? await refuse(exchange) : await respond(exchange);
      const reply = isOfDashboard(exchange) ? withoutStoring(answer) : answer;
      await rateLimit.settle(exchange, reply.status);
      if (isKeysError(reply) && hasKey(exchange)) keyUse.countError(exchange.holder);
      if (outgoing.destroyed) return;
      // A client that keeps the connection would send its next request on one that is just being closed.
      if (isLeaving()) outgoing.shouldKeepAlive = false;
      await send(exchange, reply);
    } catch (error) {
      reportCut(error, exchange, log);
    }
  };
}

function isOfDashboard({ path }: Exchange): boolean {
  return path.startsWith(`${ADMIN.base}/`);
}

/** One browser may have two people after each other: nothing is kept that the next one could see. */
function withoutStoring(reply: Reply): Reply {
  return { ...reply, headers: { 'Cache-Control': 'no-store', ...reply.headers } };
}

/** A request above the limit was not counted, nor is a key that was deleted meanwhile anybody's. */
function isKeysError({ status }: Reply): boolean {
  return status >= 400 && status !== 401 && status !== 429;
}

function replyToError(error: unknown, exchange: Exchange, { logger }: Log): Reply {
  const { requestId } = exchange;
  const known = error instanceof AppError ? error : internalError(error);
  exchange.errorCode = known.code;
  if (ERRORS[known.code].status >= 500) logger.error({ requestId, err: known.cause ?? known }, known.message);
  const lost = known.code === 'not_found' ? replyToLostVisit(exchange) : undefined;
  return lost ?? replyError(known, requestId);
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

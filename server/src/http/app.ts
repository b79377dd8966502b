import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import { ERRORS } from './contract/errors.ts';
import { ADMIN_BASE, V1_BASE } from './contract/paths.ts';
import { needsApiKey, requireApiKey, requireKeyOfRefused } from './gate/authenticate.ts';
import { allowanceOf } from './gate/rate-limit.ts';
import { admit } from './identity/admit.ts';
import { ADMIN } from './openapi/admin.ts';
import { V1 } from './openapi/v1.ts';
import type { App } from './protocol/exchange.ts';
import { type Exchange, hasKey, hasSession, isAnybody, openExchange } from './protocol/exchange.ts';
import { logRequest } from './protocol/log-request.ts';
import { overloaded, RefusalCount } from './protocol/overload.ts';
import { type Reply, replyError } from './protocol/reply.ts';
import { Routes } from './protocol/router.ts';
import { send } from './protocol/send.ts';
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
import type { Services } from './services.ts';

/** The map of the service. */
export function createRoutes(services: Services): Routes {
  const routes = new Routes();
  const v1 = { routes, base: V1_BASE, admits: hasKey };
  const admin = { routes, base: ADMIN_BASE, admits: hasSession };
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
        const { principal, taken } = await requireApiKey(exchange, services);
        exchange.principal = principal;
        if (database.isOverfull(principal.accountId)) return refusal(exchange);
        exchange.rateLimit = await rateLimit.spend(principal.keyId, taken, allowanceOf(principal));
        keyUse.countRequest(principal);
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
      if (isKeysError(reply) && hasKey(exchange)) keyUse.countError(exchange.principal);
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
  return path.startsWith(`${ADMIN_BASE}/`);
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

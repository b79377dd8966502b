import { ownTurn } from '../lib/turns.ts';
import { AppError } from '../model/errors.ts';
import { ping } from '../storage/database-info.ts';
import { createMap, type RouteMatch, V1 } from './map.ts';
import { createForwardedCheck } from './protocol/client-address.ts';
import { type App, CLIENT_LEFT, type Exchange, hasKey, openExchange } from './protocol/exchange.ts';
import { FailureLog } from './protocol/failure-log.ts';
import { logRequest } from './protocol/log-request.ts';
import { Overloaded, RejectionCount } from './protocol/overload.ts';
import { isProbe } from './protocol/probes.ts';
import { type Reply, replyError } from './protocol/reply.ts';
import { measureRequest } from './protocol/request-metrics.ts';
import { requireSendable, send } from './protocol/send.ts';
import { replyToLostVisit } from './routes/dashboard.ts';
import type { Services } from './services.ts';

export function createApp(services: Services): App {
  const { admission, database, log, trustedProxies, rateLimit, keyUse, isLeaving } = services;
  const rejections = new RejectionCount(log, {
    first: 'more requests than the service can handle; some are rejected',
    report: 'requests were rejected because too many were waiting',
  });
  const failures = new FailureLog(log, () => ping(database));
  const find = createMap(services);
  const checkForwarded = createForwardedCheck(log, trustedProxies);

  /** Rejects a request because of overload, unless `requireLikelyCaller` rejects its key first. */
  async function reject(exchange: Exchange, { api, isPublic }: RouteMatch): Promise<Reply> {
    admission.noteRejection(exchange);
    if (!isPublic) await api?.requireLikelyCaller?.(exchange, services);
    throw new Overloaded();
  }

  function replyTo(error: unknown, exchange: Exchange): Reply {
    if (!(error instanceof Overloaded)) {
      const known = toAppError(error);
      failures.add(known, exchange.requestId);
      return replyToError(known, exchange, services);
    }
    rejections.add();
    exchange.isOverload = true;
    return replyError(error, exchange.requestId);
  }

  /**
   * Cuts off a response, and logs why. If the client disconnected, or the key or session is no longer valid,
   * the request's own log line is enough.
   */
  function reportCut(error: unknown, exchange: Exchange): void {
    const { requestId, outgoing } = exchange;
    const hasLeft = error === CLIENT_LEFT || outgoing.destroyed;
    outgoing.destroy();
    if (error instanceof AppError && error.code === 'unauthorized') exchange.errorCode = error.code;
    else if (hasLeft) return;
    else if (error instanceof AppError && failures.isOfDatabase(error)) failures.add(error, requestId);
    else log.logger.error({ requestId, err: error }, 'a response was cut off');
  }

  return async (incoming, outgoing) => {
    const exchange = openExchange(incoming, outgoing);
    const found = find(exchange);
    const { api, isPublic, route } = found;
    const endMeasuring = measureRequest(exchange, route);
    const needsKey = api === V1 && !isPublic;
    let isRejected = admission.isFull(exchange, needsKey);
    const endLogging = isRejected ? undefined : logRequest(exchange, services);
    // A single listener, because an emitter with several listeners copies their list for each event.
    outgoing.on('close', () => {
      endMeasuring?.();
      endLogging?.();
    });
    if (!isRejected) {
      if (!isProbe(exchange)) checkForwarded(incoming);
      const turn = admission.enter(exchange, needsKey);
      if (turn !== undefined) {
        await turn;
        // While the request waited, others may have filled the database's queue.
        isRejected = needsKey && database.isOverfull();
      }
      // Requests for pages or with a session take longer than those with a key, so they yield to the event loop first.
      if (!needsKey && !isProbe(exchange)) await ownTurn();
      if (incoming.destroyed) return;
      exchange.startedMs = performance.now();
    }
    try {
      const answering = isRejected ? reject(exchange, found) : found.answer(exchange);
      const reply = await answering
        .then((handled) => requireSendable(handled, exchange))
        .catch((error: unknown) => {
          if (error === CLIENT_LEFT) throw error;
          if (error instanceof Overloaded && !isRejected) admission.noteAccountRejection(exchange);
          return replyTo(error, exchange);
        });
      exchange.repliedMs = performance.now();
      await rateLimit.settle(exchange, reply.status);
      if (isKeysError(reply) && hasKey(exchange)) keyUse.countError(exchange.principal);
      if (reply.status >= 400 && typeof reply.body === 'string') exchange.errorBody = reply.body;
      if (outgoing.destroyed) return;
      // Otherwise, the client would send its next request on a connection that is about to close.
      if (isLeaving()) outgoing.shouldKeepAlive = false;
      await send(exchange, api?.headers ? { ...reply, headers: { ...api.headers, ...reply.headers } } : reply);
    } catch (error) {
      reportCut(error, exchange);
    }
  };
}

/** Whether to count a response as an error of its key. A 401 (the key is no longer valid) and a 429 do not count. */
function isKeysError({ status }: Reply): boolean {
  return status >= 400 && status !== 401 && status !== 429;
}

function replyToError(error: AppError, exchange: Exchange, services: Services): Reply {
  exchange.errorCode = error.code;
  const lost = error.code === 'not_found' ? replyToLostVisit(exchange, services) : undefined;
  return lost ?? replyError(error, exchange.requestId);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = 'An unexpected error occurred; send the request again, or report its requestId.';
  return new AppError('internal_error', message, { cause: error });
}

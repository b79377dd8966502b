import { type App, openExchange } from '../http/protocol/exchange.ts';
import { logRequest } from '../http/protocol/log-request.ts';
import { LIVE_PATH } from '../http/protocol/probes.ts';
import { replyError } from '../http/protocol/reply.ts';
import { send } from '../http/protocol/send.ts';
import { LIVE } from '../http/routes/health.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';

/** Creates the app that responds while the service cannot use its database. The process is live but not ready. */
export function createStandInApp(log: Log, getReason: () => string): App {
  return async (incoming, outgoing) => {
    const exchange = openExchange(incoming, outgoing);
    const endLogging = logRequest(exchange, { log, trustedProxies: undefined });
    outgoing.on('close', () => endLogging?.());
    // Clients must open new connections for the service, which starts later and listens on its own socket.
    outgoing.shouldKeepAlive = false;
    const error = new AppError('unavailable', `${getReason()}; send the request again.`, {
      headers: { 'Retry-After': '1' },
    });
    const reply = exchange.path === LIVE_PATH ? LIVE : replyError(error, exchange.requestId);
    await send(exchange, reply).catch(() => {});
  };
}

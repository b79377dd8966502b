import type { Config } from '../config.ts';
import { type App, openExchange } from '../http/protocol/exchange.ts';
import { logRequest } from '../http/protocol/log-request.ts';
import { LIVE_PATH } from '../http/protocol/probes.ts';
import { replyError } from '../http/protocol/reply.ts';
import { send } from '../http/protocol/send.ts';
import { createHttpServer } from '../http/protocol/server.ts';
import { cutConnections, shutDown, trackConnections } from '../http/protocol/shutdown.ts';
import { LIVE } from '../http/routes/health.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import { listen } from './listening.ts';

/** Shutdown times of the stand-in server, whose responses are short and close their connections. */
const GRACE = { idleMs: 0, runningMs: 1_000 };

export interface StandIn {
  /** The port that the server listens on. */
  port: number;
  end(): Promise<void>;
}

/**
 * Starts a server that responds to every request, except liveness probes, with 503.
 * @param getReason returns a sentence without its period
 */
export async function startStandIn(config: Config, log: Log, getReason: () => string): Promise<StandIn> {
  const server = createHttpServer(createStandInApp(log, getReason), log, { publicUrl: config.publicUrl });
  const connections = trackConnections(server);
  const { port } = new URL(await listen(server, config));
  return {
    port: Number(port),
    async end() {
      cutConnections(new Set([...connections].filter((socket) => socket.bytesRead === 0)));
      await shutDown(server, connections, GRACE);
    },
  };
}

function createStandInApp(log: Log, getReason: () => string): App {
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

import type { Config } from '../config.ts';
import { createHttpServer } from '../http/protocol/server.ts';
import { cutConnections, shutDown, trackConnections } from '../http/protocol/shutdown.ts';
import type { Log } from '../lib/log.ts';
import { listen } from './listening.ts';
import { createStandInApp } from './stand-in-app.ts';

/** Shutdown times of the stand-in server, whose responses are short and close their connections. */
const GRACE = { idleMs: 0, runningMs: 1_000 };

export interface StandIn {
  /** The port that the server listens on. */
  port: number;
  end(): Promise<void>;
}

/**
 * Starts a server that responds to every request, except liveness probes, with an error: the service is not
 * ready.
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

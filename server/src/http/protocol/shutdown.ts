import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeSockets } from './sockets.ts';

const POLL_MS = 20;

export interface Grace {
  /** How long new requests on open connections are still served, with `Connection: close`. */
  idleMs: number;
  runningMs: number;
}

export type Connections = ReadonlySet<Socket>;

/** Returns a live set of the connections that the server accepts after this call. */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/** Cuts off connections; a chunked response then lacks its last chunk. */
export function cutConnections(connections: Connections): void {
  for (const socket of connections) socket.destroy();
}

/** Stops listening. Resolves when all connections have ended, or cuts them off after `runningMs`. */
export async function shutDown(server: Server, connections: Connections, grace: Grace): Promise<void> {
  const endTimeMs = performance.now() + grace.runningMs;
  const closed = closeSockets(server);
  await Promise.race([closed, sleep(grace.idleMs)]);
  while (performance.now() < endTimeMs) {
    server.closeIdleConnections();
    const finished = await Promise.race([closed.then(() => true), sleep(POLL_MS, false)]);
    if (finished) return;
  }
  cutConnections(connections);
  await closed;
}

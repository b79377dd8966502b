import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeSockets } from './sockets.ts';

const POLL_MS = 20;

export interface Grace {
  /** A request that comes on an open connection so soon still gets its reply, with `Connection: close`. */
  idleMs: number;
  /** What runs may take so long. */
  runningMs: number;
}

export type Connections = ReadonlySet<Socket>;

/** The connections of a server, from now on, as long as they are open. */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/** Resets what is open: where a reply has no other end than the connection's, as in HTTP/1.0, a cut one would look whole. */
export function cutConnections(connections: Connections): void {
  for (const socket of connections) {
    socket.resetAndDestroy();
    // Alone it would wait for a reader that pauses.
    socket.destroy();
  }
}

/**
 * Stops listening, lets what runs finish, and resolves when no connection is left; after `runningMs` the rest is cut.
 */
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

import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that was on its way when the signal came still gets its reply, with `Connection: close`. */
const IDLE_GRACE_MS = 300;
const POLL_MS = 20;

/**
 * Stops listening, lets what runs finish, and resolves when no connection is left; after `deadlineMs` the rest is cut.
 */
export async function shutDown(server: Server, deadlineMs: number): Promise<void> {
  const endTimeMs = performance.now() + deadlineMs;
  // http.Server.close() would cut idle connections at once, and with them requests that are just arriving.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  await Promise.race([closed, sleep(IDLE_GRACE_MS)]);
  while (performance.now() < endTimeMs) {
    server.closeIdleConnections();
    const finished = await Promise.race([closed.then(() => true), sleep(POLL_MS, false)]);
    if (finished) return;
  }
  server.closeAllConnections();
  await closed;
}

import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Maximum of connections that wait to be accepted; the system can allow fewer. */
const BACKLOG = 4_096;
/**
 * Node.js accepts one connection per listening socket and event-loop turn, so a single socket would
 * be slow.
 */
const SOCKETS = 8;
/** How long a server that stops accepts connections, if more and more arrive. */
const ACCEPT_MAX_MS = 500;

const sharing = new WeakMap<Server, NetServer[]>();

/** With `isAlone` (no other process uses the port), several sockets share the port on Linux. */
export async function openSockets(
  server: Server,
  { host, port, isAlone }: { host: string; port: number; isAlone: boolean },
): Promise<void> {
  if (process.platform !== 'linux' || !isAlone) return await open(server, { host, port });
  // With `reusePort`, the port could be shared with another service; this claim then fails.
  const claim = new NetServer();
  await open(claim, { host, port });
  const address = claim.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  await close(claim);
  const others = Array.from({ length: SOCKETS - 1 }, () => new NetServer({ allowHalfOpen: true, noDelay: true }));
  sharing.set(server, others);
  for (const each of [server, ...others]) await open(each, { host, port: address.port, reusePort: true });
  for (const each of others) each.on('connection', (socket) => server.emit('connection', socket));
}

/** Stops listening, and resolves when no connection is left. */
export async function closeSockets(server: Server): Promise<void> {
  await acceptWaiting(server);
  // http.Server.close() would cut off idle connections, and with them requests that are arriving.
  await Promise.all([server, ...(sharing.get(server) ?? [])].map(close));
}

/** Accepts the connections that wait in the sockets' queues: the system would reset them, and their requests would fail. */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = true;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on('connection', onConnection);
  const endMs = performance.now() + ACCEPT_MAX_MS;
  while (hasAccepted && performance.now() < endMs) {
    hasAccepted = false;
    await nextTurn();
  }
  server.off('connection', onConnection);
}

/** Resolves after the event loop has looked for new connections. */
async function nextTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

async function open(server: NetServer, where: { host: string; port: number; reusePort?: boolean }): Promise<void> {
  server.listen({ ...where, backlog: BACKLOG });
  await once(server, 'listening');
}

function close(server: NetServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  NetServer.prototype.close.call(server, () => resolve());
  return promise;
}

import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** Connections that wait to be taken: the system may allow fewer, and turns others away. */
const BACKLOG = 4_096;
/**
 * Node.js takes one connection from a listening socket in each turn of the event loop. With a single socket, whoever connects
 * would wait for as many turns as others have connected before.
 */
const SOCKETS = 8;

const sharing = new WeakMap<Server, NetServer[]>();

/** Listens on a port. With `isAlone` it does so with several sockets, where the system lets them share it. */
export async function openSockets(
  server: Server,
  { host, port, isAlone }: { host: string; port: number; isAlone: boolean },
): Promise<void> {
  if (process.platform !== 'linux' || !isAlone) return await open(server, { host, port });
  // What shares a port would share it with another service as well: whether there is one is found out first.
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

/** Stops listening. Resolves when no connection is left. */
export async function closeSockets(server: Server): Promise<void> {
  // http.Server.close() would cut idle connections at once, and with them requests that are just arriving.
  await Promise.all([server, ...(sharing.get(server) ?? [])].map(close));
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

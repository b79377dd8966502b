import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { BoundSocket, Server as NetServer, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Maximum number of connections waiting to be accepted; the system can allow fewer. */
const BACKLOG = 4_096;
/** Whether several sockets can listen on one port (`SO_REUSEPORT`), which the system gives new connections in equal parts. */
const SHARES_PORTS = process.platform === 'linux';
/**
 * Node.js accepts one connection per listening socket and event-loop turn, so a single socket would
 * be slow.
 */
export const SOCKETS = SHARES_PORTS ? 8 : 1;
/** How long a stopping server continues to accept connections if they keep arriving. */
const ACCEPT_MAX_MS = 500;

export interface Where {
  host: string;
  port: number;
}

const sharing = new WeakMap<Server, NetServer[]>();

/**
 * Binds sockets, which do not listen yet, to a port on which no other service listens.
 * @throws {Error} with `errno`
 */
export async function bindSockets({ host, port }: Where, count: number): Promise<BoundSocket[]> {
  const { address } = await lookup(host);
  // Fails if another service listens on the port, with which `reusePort` would share it.
  const alone = new BoundSocket({ host: address, port });
  if (count === 1) return [alone];
  const where = { host: address, port: alone.address().port };
  alone.close();
  return Array.from({ length: count }, () => bindAnother(where));
}

/** Binds another socket to a port that this process shares. */
export function bindAnother({ host, port }: Where): BoundSocket {
  return new BoundSocket({ host, port, reusePort: true });
}

/** @throws {Error} with `errno` if a server cannot listen */
export async function openSockets(server: Server, where: Where, count = SOCKETS): Promise<void> {
  await listenOn(server, await bindSockets(where, count));
}

/** Listens on several sockets. @throws {Error} with `errno` */
export async function listenOn(server: Server, [first, ...others]: readonly (BoundSocket | Socket)[]): Promise<void> {
  if (first === undefined) throw new Error('There are no sockets');
  await listen(server, first);
  const servers = others.map(() => new NetServer({ allowHalfOpen: true, noDelay: true }));
  sharing.set(server, servers);
  for (const each of servers) each.on('connection', (socket) => server.emit('connection', socket));
  await Promise.all(servers.map((each, index) => listen(each, others[index])));
}

/** A bound socket that this process has inherited from its parent as a file descriptor. */
export function inheritedSocket(fd: number): Socket {
  return new Socket({ fd, readable: false, writable: false });
}

/** Stops listening, and resolves when no connection is left. */
export async function closeSockets(server: Server): Promise<void> {
  await acceptWaiting(server);
  // http.Server.close() would cut off idle connections, and with them requests that are arriving.
  await Promise.all([server, ...(sharing.get(server) ?? [])].map(close));
}

/**
 * Accepts the connections that are waiting in the sockets' queues; otherwise, the system would
 * reset them, and their requests would fail.
 */
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

async function listen(server: NetServer, socket: unknown): Promise<void> {
  server.listen(socket, BACKLOG);
  await once(server, 'listening');
}

function close(server: NetServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  NetServer.prototype.close.call(server, () => resolve());
  return promise;
}

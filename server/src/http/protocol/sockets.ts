import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { BoundSocket, type ListenOptions, Server as NetServer, Socket } from 'node:net';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { FairQueue } from '../../lib/fair-queue.ts';
import { networkOf } from './client-address.ts';

/** Maximum number of connections waiting to be accepted; the system can allow fewer. */
const BACKLOG = 4_096;
/** Whether sockets can share a port (`SO_REUSEPORT`); the system gives each the same share of connections. */
export const SHARES_PORTS = process.platform === 'linux';
/** Node.js accepts one connection per listening socket and event-loop turn, so a single socket would be slow. */
const SOCKETS = 32;
/** The number of waiting connections that are opened (passed to the HTTP server) per event-loop turn. */
const OPENED_PER_TURN = 8;
/** Waiting connections above this number are opened at once: they do not count toward the limit on connections. */
const UNOPENED_MAX = 64;
/** How long a stopping server continues to accept connections if they keep arriving. */
const ACCEPT_MAX_MS = 500;

export interface Where {
  host: string;
  port: number;
}

const sharing = new WeakMap<Server, { others: NetServer[]; release: () => void }>();
/** The ports that this process has claimed, with the number of claims for each. */
const claims = new Map<string, { server: NetServer | undefined; count: number }>();

/** Listens on a port, with several sockets if the system can share it. @throws {Error} with `errno` */
export async function openSockets(server: Server, where: Where): Promise<void> {
  if (!SHARES_PORTS) return await openSocket(server, where);
  const claim = await claimPort(where);
  try {
    await listenOn(server, bindSockets(claim.where), claim.release);
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** Listens on several sockets. @throws {Error} with `errno` */
export async function listenOn(
  server: Server,
  [first, ...sockets]: readonly (BoundSocket | Socket)[],
  release = () => {},
): Promise<void> {
  const others = sockets.map(() => new NetServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }));
  sharing.set(server, { others, release });
  const accepted = new AcceptedConnections<Socket>((socket) => {
    server.emit('connection', socket);
    socket.resume();
  });
  for (const each of others) each.on('connection', (socket) => accepted.add(socket));
  await Promise.all([openSocket(server, first), ...others.map((each, index) => openSocket(each, sockets[index]))]);
}

/**
 * Accepted connections that are not open yet. Networks take turns, because a single network can open thousands at
 * once. The connections that the HTTP server itself accepts, at most one per turn, are open immediately.
 */
export class AcceptedConnections<S extends Pick<Socket, 'remoteAddress'>> {
  readonly #open: (socket: S) => void;
  readonly #waiting = new FairQueue<string, S>();
  #count = 0;

  constructor(open: (socket: S) => void) {
    this.#open = open;
  }

  add(socket: S): void {
    if (this.#count === 0) setImmediate(this.#openSome);
    this.#count += 1;
    this.#waiting.add(networkOf(socket.remoteAddress ?? ''), socket);
  }

  readonly #openSome = (): void => {
    const left = Math.min(this.#count - OPENED_PER_TURN, UNOPENED_MAX);
    while (this.#count > left) {
      const socket = this.#waiting.take();
      if (socket === undefined) return;
      this.#count -= 1;
      this.#open(socket);
    }
    if (this.#count > 0) setImmediate(this.#openSome);
  };
}

/**
 * Reserves a port that several sockets will share, because the system would let another service share the
 * port as well. Services see each other's claims even before they listen.
 * @returns the address and port; if `port` is 0, the system has chosen one
 * @throws {Error} with `errno` if another service listens on the port or has claimed it
 */
export async function claimPort({ host, port }: Where): Promise<{ where: Where; release(): void }> {
  const { address } = await lookup(host);
  const alone = new BoundSocket({ host: address, port });
  const where = { host: address, port: alone.address().port };
  alone.close();
  const name = `\0property-listings ${address} ${where.port}`;
  const claim = claims.get(name) ?? { server: await listenAt(name), count: 0 };
  claims.set(name, claim);
  claim.count += 1;
  const release = () => {
    claim.count -= 1;
    if (claim.count > 0) return;
    claims.delete(name);
    claim.server?.close();
  };
  return { where, release };
}

/**
 * Listens at an abstract Unix domain socket, which disappears with the process.
 * @returns undefined if the system forbids such sockets @throws {Error} `EADDRINUSE`
 */
async function listenAt(path: string): Promise<NetServer | undefined> {
  const server = new NetServer((socket) => socket.destroy()).unref();
  try {
    await openSocket(server, { path, exclusive: true });
    return server;
  } catch (error) {
    if (Object(error).code === 'EADDRINUSE') throw error;
    return undefined;
  }
}

/** Binds sockets to a claimed port. They do not listen yet. @throws {Error} with `errno` */
export function bindSockets({ host, port }: Where): BoundSocket[] {
  const sockets: BoundSocket[] = [];
  try {
    while (sockets.length < SOCKETS) sockets.push(new BoundSocket({ host, port, reusePort: true }));
    return sockets;
  } catch (error) {
    for (const each of sockets) each.close();
    throw error;
  }
}

/** A bound socket that this process has inherited from its parent as a file descriptor. */
export function inheritedSocket(fd: number): Socket {
  return new Socket({ fd, readable: false, writable: false });
}

/** Stops listening, and resolves when no connection is left. */
export async function closeSockets(server: Server): Promise<void> {
  await acceptWaiting(server);
  // http.Server.close() would cut off idle connections, and with them requests that are arriving.
  const { others = [], release } = sharing.get(server) ?? {};
  const closed = [server, ...others].map(close);
  // The next service can listen while this one finishes its requests.
  release?.();
  await Promise.all(closed);
}

/** Accepts the connections that are waiting in the sockets' queues, which the system would otherwise reset. */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = true;
  const onConnection = () => {
    hasAccepted = true;
  };
  const all = [server, ...(sharing.get(server)?.others ?? [])];
  for (const each of all) each.on('connection', onConnection);
  const endMs = performance.now() + ACCEPT_MAX_MS;
  while (hasAccepted && performance.now() < endMs) {
    hasAccepted = false;
    await nextTurn();
  }
  for (const each of all) each.off('connection', onConnection);
}

/** Resolves after the event loop has looked for new connections. */
async function nextTurn(): Promise<void> {
  await nextImmediate();
  await nextImmediate();
}

/** Listens on one socket or address. @throws {Error} with `errno` */
export async function openSocket(
  server: NetServer,
  on: BoundSocket | Socket | ListenOptions | undefined,
): Promise<void> {
  server.listen(on, BACKLOG);
  await once(server, 'listening');
}

function close(server: NetServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  NetServer.prototype.close.call(server, () => resolve());
  return promise;
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A bad connection, and what became of it. */
export interface Visitor {
  socket: Socket;
  text: string;
  /** Bytes sent slowly. */
  sent: number;
  openedAtMs: number;
  closedAtMs: number | undefined;
}

/** Visitors of one kind. */
export interface Crowd {
  name: string;
  count: number;
  greeting: string;
  /** Sent after that, byte by byte, the last byte forever. */
  slowly?: string;
  /** Never reads. */
  isDeaf?: boolean;
  /** How long the service lets them stay, at least. */
  stayMs: number;
  /** Comes back when turned away. */
  isStubborn?: boolean;
}

export interface Siege {
  crowd: Crowd;
  /** Including those that were turned away. */
  visitors: Visitor[];
  /** Errors of visitors that came back. */
  missed: string[];
  lift(): void;
  end(): void;
}

/** The limit of the accept queue. */
const ARRIVALS_MAX = 100;

/** `byteIntervalMs` is the time between two slow bytes. */
export async function besiege(port: number, crowd: Crowd, byteIntervalMs: number): Promise<Siege> {
  const visitors: Visitor[] = [];
  const missed: string[] = [];
  let isLifted = false;
  const open = async (): Promise<void> => {
    const visitor = await visit(port, crowd);
    visitors.push(visitor);
    visitor.socket.once('close', () => {
      visitor.closedAtMs = performance.now();
      if (crowd.isStubborn && !isLifted) open().catch((error) => missed.push(String(error)));
    });
  };
  for (let opened = 0; opened < crowd.count; opened += ARRIVALS_MAX)
    await Promise.all(Array.from({ length: Math.min(ARRIVALS_MAX, crowd.count - opened) }, open));
  const { slowly } = crowd;
  const timer = setInterval(() => {
    if (slowly === undefined) return;
    for (const visitor of visitors) {
      if (visitor.socket.writable) visitor.socket.write(slowly[visitor.sent] ?? slowly.at(-1) ?? '');
      visitor.sent += 1;
    }
  }, byteIntervalMs);
  return {
    crowd,
    visitors,
    missed,
    lift() {
      isLifted = true;
    },
    end() {
      isLifted = true;
      clearInterval(timer);
      for (const { socket } of visitors) socket.destroy();
    },
  };
}

async function visit(port: number, { greeting, isDeaf = false }: Crowd): Promise<Visitor> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  if (isDeaf) socket.pause();
  // Only the end matters.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const visitor: Visitor = { socket, text: '', sent: 0, openedAtMs: performance.now(), closedAtMs: undefined };
  if (greeting !== '') socket.write(greeting);
  if (!isDeaf)
    socket.on('data', (text: string) => {
      visitor.text += text;
    });
  return visitor;
}

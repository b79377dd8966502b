import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection that asks for nothing good, and what became of it. */
export interface Visitor {
  socket: Socket;
  text: string;
  /** How many bytes have been sent slowly. */
  sent: number;
  openedAtMs: number;
  closedAtMs: number | undefined;
}

/** Who comes, in what number, and what they do. */
export interface Crowd {
  name: string;
  count: number;
  /** Sent at once. */
  greeting: string;
  /** Sent after that, a byte at a time, and its last byte for ever. */
  slowly?: string;
  /** Takes nothing of what is sent to it. */
  isDeaf?: boolean;
  /** So long the service lets them stay, at least. */
  stayMs: number;
  /** Whoever is turned away comes again. */
  isStubborn?: boolean;
}

export interface Siege {
  crowd: Crowd;
  /** All that have come, also those who were turned away. */
  visitors: Visitor[];
  /** Why whoever came again was not let in. */
  missed: string[];
  /** Nobody comes again. */
  lift(): void;
  /** Ends what is still open. */
  end(): void;
}

/** The queue of connections that wait to be accepted is no longer than this. */
const ARRIVALS_MAX = 100;

/** Opens all connections of a crowd; `byteIntervalMs` lies between two bytes of who sends slowly. */
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
  // What matters is that and when it ended.
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

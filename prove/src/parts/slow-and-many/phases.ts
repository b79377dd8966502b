import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Trial } from '../../part.ts';
import { UNFINISHED } from './normal-calls.ts';

export interface Phase {
  name: string;
  crowds: readonly Crowd[];
  seconds: number;
  growthMaxBytes: number;
}

const IDLE = 10_000;
/** How long the service must keep connections that are idle, send headers or a body too slowly, or do not read. */
const STAY_MS = {
  full: { idle: 60_000, head: 9_500, body: 59_000, reader: 60_000 },
  small: { idle: 2_500, head: 1_800, body: 2_500, reader: 2_500 },
};
/** The number of open files that this process and the service need for other purposes. */
const OTHER_FILES = 1_500;
/** The allowed growth of memory from the garbage of normal requests. */
const NOISE_BYTES = 100e6;
const IDLE_BYTES = 25e3;
const DEAF_BYTES = 1.5e6;

export function phasesOf({ size }: Trial, key: string): { phases: Phase[]; skipped: string[] } {
  const { idle, silent, heads, bodies, deaf } = crowdsOf(STAY_MS[size], key);
  if (size === 'small') {
    const crowds = [idle(300), silent(50), heads(50), bodies(50), deaf(40)];
    const together = { name: 'all at once', crowds, seconds: 3, growthMaxBytes: NOISE_BYTES + 40 * DEAF_BYTES };
    return { phases: [together], skipped: [] };
  }
  const [, most] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const filesMax = most === undefined ? Number.POSITIVE_INFINITY : Number(most);
  const idleCount = Math.min(IDLE, filesMax - OTHER_FILES);
  const phase = (name: string, crowds: readonly Crowd[], growthBytes: number): Phase => {
    return { name, crowds, seconds: 60, growthMaxBytes: NOISE_BYTES + growthBytes };
  };
  const idleName = `${idleCount} idle connections and 500 that never send a byte`;
  const slowName = '1,000 that send a byte per second, half of them in the headers and half in the body';
  const phases = [
    phase(idleName, [idle(idleCount), silent(500)], idleCount * IDLE_BYTES),
    phase(slowName, [heads(500), bodies(500)], 1_000 * IDLE_BYTES),
    phase('200 that request the whole list and never read it', [deaf(200)], 200 * DEAF_BYTES),
  ];
  const skipped = `${IDLE - idleCount} of ${IDLE} idle connections, because a process on this machine can open only ${filesMax} files.`;
  return { phases, skipped: idleCount < IDLE ? [skipped] : [] };
}

export const DEAF_ID = 'deaf';

function crowdsOf(stayMs: (typeof STAY_MS)['full'], key: string) {
  const authorization = `Authorization: Bearer ${key}`;
  return {
    idle: (count: number): Crowd => ({
      ...{ name: 'idle', count, stayMs: stayMs.idle, greeting: greet('GET /livez') },
      isServed: true,
    }),
    silent: (count: number): Crowd => ({ name: 'silent', count, stayMs: stayMs.head, greeting: '' }),
    heads: (count: number): Crowd => ({
      ...{ name: 'slow heads', count, stayMs: stayMs.head, isStubborn: true },
      greeting: '',
      slowly: 'GET /livez HTTP/1.1\r\nHost: a',
    }),
    bodies: (count: number): Crowd => ({
      ...{ name: 'slow bodies', count, stayMs: stayMs.body },
      greeting: greet('POST /v1/listings', authorization, 'Content-Type: application/json', 'Content-Length: 5000'),
      slowly: `{"address":"${UNFINISHED}","beds":3,"baths":2} `,
    }),
    deaf: (count: number): Crowd => ({
      ...{ name: 'deaf', count, stayMs: stayMs.reader, isDeaf: true },
      greeting: greet('GET /v1/listings', authorization, `X-Request-Id: ${DEAF_ID}`, 'Accept: application/x-ndjson'),
    }),
  };
}

function greet(target: string, ...headers: string[]): string {
  return `${[`${target} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}

/** A connection that is misused, and what happens to it. */
export interface Visitor {
  socket: Socket;
  text: string;
  /** How many bytes have been sent slowly. */
  sent: number;
  openedAtMs: number;
  closedAtMs: number | undefined;
}

export interface Crowd {
  name: string;
  count: number;
  greeting: string;
  /** Whether the siege starts after the responses to the greetings, so that it does not measure connecting. */
  isServed?: boolean;
  /** Sent after the greeting, byte by byte. The last byte is repeated forever. */
  slowly?: string;
  isDeaf?: boolean;
  /** How long the service must keep these connections. */
  stayMs: number;
  /** Whether visitors connect again when they are disconnected. */
  isStubborn?: boolean;
}

export type Siege = Awaited<ReturnType<typeof besiege>>;

/** How many visitors connect at once. The accept queue has room for more. */
const ARRIVALS_MAX = 100;

/** `byteIntervalMs` is the time between two bytes that are sent slowly. */
export async function besiege(port: number, crowd: Crowd, byteIntervalMs: number) {
  // All visitors, including those that are disconnected, and the errors of those that tried to reconnect.
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

async function visit(port: number, { greeting, isServed = false, isDeaf = false }: Crowd): Promise<Visitor> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  if (isDeaf) socket.pause();
  // A reset counts as a close.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const visitor: Visitor = { socket, text: '', sent: 0, openedAtMs: performance.now(), closedAtMs: undefined };
  if (greeting !== '') socket.write(greeting);
  if (!isDeaf)
    socket.on('data', (text: string) => {
      visitor.text += text;
    });
  if (isServed) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return visitor;
}

import assert, { AssertionError } from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { takeReply } from '../../../../testkit/src/raw-http.ts';
import { MARK, type Stream, type Target } from './streams.ts';

/** A stream that is sent on its own connection, and cut after a number of bytes. */
export interface Attempt {
  stream: Stream;
  target: Target;
  /** How many bytes of the stream, and of the request after it, are sent before `way` applies. */
  cut: number;
  way: Way;
}

/** The traces that an attempt should leave in the log and in the listings. */
export type Trace = Awaited<ReturnType<typeof attempt>>;

/** The id of the request after each stream. */
export const FOLLOWER = 'follower-';
const NEXT = `GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${FOLLOWER}${MARK}\r\nConnection: close\r\n\r\n`;

/** Returns the stream's bytes, followed by a request that gets a response if the connection stays open. */
function textOf({ pieces }: Stream, target: Target): string {
  return pieces.map((piece) => piece.bytes(target)).join('') + NEXT;
}

export function describeAttempt({ stream, target, cut, way }: Attempt): string {
  const { length } = textOf(stream, target);
  const place = cut === length ? '' : `, where the client ${way} after byte ${cut} of ${length}`;
  return `${stream.name} to ${target.name}${place} (${stream.rule})`;
}

let attempts = 0;

export async function attempt(port: number, given: Attempt) {
  const { stream, target, cut, way } = given;
  attempts += 1;
  const mark = `mark-${String(attempts).padStart(8, '0')}`;
  const bytes = Buffer.from(textOf(stream, target).replaceAll(MARK, mark), 'latin1');
  const isWhole = way === 'continues';
  const text = await sendCut(port, bytes, cut, way);
  const isHead = (index: number) => stream.pieces[index]?.bytes(target).startsWith('HEAD ') ?? false;
  const statuses = readStatuses(text, isHead);
  const expected = stream.pieces.map((piece) => piece.statuses(target));
  if (stream.next(target) === 'answered') expected.push([200]);
  const complete = isWhole ? expected.length : countComplete(given);
  const words = `${describeAttempt(given)}: ${expected.slice(0, complete).join(', ')} expected, ${statuses.join(', ') || 'nothing'} received`;
  if (isWhole) assert.equal(statuses.length, expected.length, words);
  const isGood = (status: number, index: number) => {
    const isExpected = (expected[index] ?? []).includes(status);
    return index < complete ? isExpected : status !== 201 && (isExpected || (status >= 400 && status < 500));
  };
  assert.ok(statuses.every(isGood), words);
  assert.ok(statuses.length <= complete + 1, words);
  // The minimum and maximum number of requests in the log, which also has one that is rejected because of its body.
  const { requests: least, pieces } = stream;
  const requests = isWhole ? ([least, pieces.length] as const) : ([0, Math.min(pieces.length, complete + 1)] as const);
  return { mark, requests, isCreated: isCreated(given, statuses), attempt: given };
}

/** Counts the pieces of the stream, and the request after them, that were sent completely. */
function countComplete({ stream, target, cut }: Attempt): number {
  const pieces = [...stream.pieces.map((piece) => piece.bytes(target)), NEXT];
  let end = 0;
  return pieces.filter((piece) => {
    end += piece.length;
    return end <= cut;
  }).length;
}

/** Whether the listing must exist: yes if its request was acknowledged, no if it was cut, otherwise undefined. */
function isCreated(given: Attempt, statuses: readonly number[]): boolean | undefined {
  const { stream, target, way } = given;
  const index = stream.pieces.findIndex((piece) => piece.statuses(target)[0] === 201);
  if (index < 0 || index >= stream.requests) return false;
  if (statuses[index] === 201) return true;
  if (way !== 'continues' && countComplete(given) <= index) return false;
  return undefined;
}

/** Streams that are longer than this are cut only near their start and end and at random places. */
const LENGTH_MAX = 1_000;
const EDGE_LENGTH = 250;

export function wholeAttempts(streams: readonly Stream[], targets: readonly Target[]): Attempt[] {
  const seen = new Set<string>();
  return targets.flatMap((target) =>
    streams.flatMap((stream): Attempt[] => {
      const text = textOf(stream, target);
      if (seen.has(text)) return [];
      seen.add(text);
      return [{ stream, target, cut: text.length, way: 'continues' }];
    }),
  );
}

/** Cuts streams at every byte, in alternating ways. A beginning that several streams share is sent only once. */
export function cutAttempts(wholes: readonly Attempt[], ways: readonly Way[], random: () => number): Attempt[] {
  const seen = new Set<string>();
  return wholes.flatMap(({ stream, target }) => {
    const text = stream.pieces.map((piece) => piece.bytes(target)).join('');
    return placesIn(text.length, random).flatMap((cut): Attempt[] => {
      const beginning = text.slice(0, cut);
      if (seen.has(beginning)) return [];
      seen.add(beginning);
      const way = ways[cut % ways.length];
      return way === undefined ? [] : [{ stream, target, cut, way }];
    });
  });
}

function placesIn(length: number, random: () => number): number[] {
  if (length <= LENGTH_MAX) return Array.from({ length: length - 1 }, (_, index) => index + 1);
  const edges = Array.from({ length: EDGE_LENGTH }, (_, index) => [index + 1, length - index - 1]).flat();
  const pick = () => EDGE_LENGTH + Math.floor(random() * (length - 2 * EDGE_LENGTH));
  const between = Array.from({ length: EDGE_LENGTH }, pick);
  return [...edges, ...between];
}

export type Way = 'continues' | 'half-closes' | 'disconnects' | 'resets';

/** Longer than the service's timeout for headers. */
const END_TIMEOUT_MS = 20_000;

/** @returns all that the service sends @throws AssertionError if it is down or keeps the connection open */
function sendCut(port: number, bytes: Buffer, cut: number, way: Way): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  const timer = setTimeout(() => {
    reject(new AssertionError({ message: `the connection is still open, with this response: ${text}` }));
    socket.destroy();
  }, END_TIMEOUT_MS);
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') reject(new AssertionError({ message: 'the service no longer listens' }));
  });
  socket.once('close', () => {
    clearTimeout(timer);
    resolve(text);
  });
  socket.write(bytes.subarray(0, cut), () => goOn(socket, bytes.subarray(cut), way));
  return promise;
}

function goOn(socket: Socket, rest: Buffer, way: Way): void {
  if (way === 'half-closes') socket.end();
  if (way === 'disconnects') socket.destroy();
  if (way === 'resets') socket.resetAndDestroy();
  // Send the rest in a later turn of the event loop, so that it can be a separate packet.
  if (way === 'continues' && rest.length > 0) setImmediate(() => socket.write(rest));
}

function readStatuses(text: string, isHead: (index: number) => boolean): number[] {
  const statuses: number[] = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
    const reply = takeReply(rest, { hasBody: !isHead(statuses.length) });
    if (reply === undefined) return statuses;
    statuses.push(reply.status);
    rest = rest.slice(reply.head.length + 4 + reply.body.length);
  }
}

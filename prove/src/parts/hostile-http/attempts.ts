import assert from 'node:assert/strict';
import { MARK, type Stream, type Target } from './streams.ts';
import { readStatuses, sendCut, type Way } from './wire.ts';

/** A stream on its own connection, up to a byte. */
export interface Attempt {
  stream: Stream;
  target: Target;
  /** Counted over the stream and the request behind it. */
  cut: number;
  way: Way;
}

/** What an attempt implies about the log and the listings. */
export interface Trace {
  mark: string;
  requests: readonly [least: number, most: number];
  /** Undefined if unknown. */
  isCreated: boolean | undefined;
  attempt: Attempt;
}

/** The id of the request behind each stream. */
export const FOLLOWER = 'follower-';
const NEXT = `GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${FOLLOWER}${MARK}\r\nConnection: close\r\n\r\n`;

/** The stream, and a request behind it that must be answered if the connection stays open. */
export function textOf({ pieces }: Stream, target: Target): string {
  return pieces.map((piece) => piece.bytes(target)).join('') + NEXT;
}

export function describeAttempt({ stream, target, cut, way }: Attempt): string {
  const { length } = textOf(stream, target);
  const place = cut === length ? '' : `, where the client ${way} behind byte ${cut} of ${length}`;
  return `${stream.name} to ${target.name}${place} (${stream.rule})`;
}

let attempts = 0;

export async function attempt(port: number, given: Attempt): Promise<Trace> {
  const { stream, target, cut, way } = given;
  attempts += 1;
  const mark = `mark-${String(attempts).padStart(8, '0')}`;
  const bytes = Buffer.from(textOf(stream, target).replaceAll(MARK, mark), 'latin1');
  const isWhole = way === 'goes on';
  const text = await sendCut(port, bytes, cut, way);
  const isHead = (index: number) => stream.pieces[index]?.bytes(target).startsWith('HEAD ') ?? false;
  const statuses = readStatuses(text, isHead);
  const expected = stream.pieces.map((piece) => piece.statuses(target));
  if (stream.next(target) === 'answered') expected.push([200]);
  const complete = isWhole ? expected.length : countComplete(given);
  const words = `${describeAttempt(given)}: ${expected.slice(0, complete).join(', ')} expected, ${statuses.join(', ') || 'nothing'} came`;
  if (isWhole) assert.equal(statuses.length, expected.length, words);
  const isGood = (status: number, index: number) => isExpected(status, expected[index] ?? [], index < complete);
  assert.ok(statuses.every(isGood), words);
  assert.ok(statuses.length <= complete + 1, words);
  return { mark, requests: requestsOf(given), isCreated: isCreated(given, statuses), attempt: given };
}

function isExpected(status: number, expected: readonly number[], isComplete: boolean): boolean {
  if (isComplete) return expected.includes(status);
  return status !== 201 && (expected.includes(status) || (status >= 400 && status < 500));
}

/** How many pieces, and the request behind them, arrived whole. */
function countComplete({ stream, target, cut }: Attempt): number {
  const pieces = [...stream.pieces.map((piece) => piece.bytes(target)), NEXT];
  let end = 0;
  return pieces.filter((piece) => {
    end += piece.length;
    return end <= cut;
  }).length;
}

function requestsOf(given: Attempt): Trace['requests'] {
  const { stream, way } = given;
  // The body itself may be what is rejected.
  if (way === 'goes on') return [stream.requests, stream.pieces.length];
  return [0, Math.min(stream.pieces.length, countComplete(given) + 1)];
}

/** A listing exists if acknowledged, and not if its request was cut. */
function isCreated(given: Attempt, statuses: readonly number[]): boolean | undefined {
  const { stream, target, way } = given;
  const index = stream.pieces.findIndex((piece) => piece.statuses(target)[0] === 201);
  if (index < 0 || index >= stream.requests) return false;
  if (statuses[index] === 201) return true;
  if (way !== 'goes on' && countComplete(given) <= index) return false;
  return undefined;
}

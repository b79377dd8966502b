import assert from 'node:assert/strict';
import { CRLF, MARK, type Stream, type Target } from './streams.ts';
import { readReplies, sendCut, type Way } from './wire.ts';

/** One stream on one connection, up to a place. */
export interface Attempt {
  stream: Stream;
  target: Target;
  /** Of the stream with the request behind it; at its end it is whole. */
  cut: number;
  way: Way;
}

/** What an attempt leads one to expect of the log and of the listings. */
export interface Trace {
  mark: string;
  /** How many requests there must have been, at least and at most. */
  requests: readonly [least: number, most: number];
  /** Whether its listing is there; undefined if nobody can know. */
  isCreated: boolean | undefined;
  attempt: Attempt;
}

/** The id of the request that stands behind each stream, on the same connection. */
export const FOLLOWER = 'follower-';
const NEXT = `GET /livez HTTP/1.1${CRLF}Host: localhost${CRLF}X-Request-Id: ${FOLLOWER}${MARK}${CRLF}Connection: close${CRLF}${CRLF}`;

/** A stream as it is sent to a target, with a request behind it that must be answered if the connection goes on. */
export function textOf({ pieces }: Stream, target: Target): string {
  return pieces.map((piece) => piece.bytes(target)).join('') + NEXT;
}

export function describeAttempt({ stream, target, cut, way }: Attempt): string {
  const { length } = textOf(stream, target);
  const place = cut === length ? '' : `, where the client ${way} behind byte ${cut} of ${length}`;
  return `${stream.name} to ${target.name}${place} (${stream.rule})`;
}

let attempts = 0;

/** @throws AssertionError when it is not answered as it must be */
export async function attempt(port: number, given: Attempt): Promise<Trace> {
  const { stream, target, cut, way } = given;
  attempts += 1;
  const mark = `mark-${String(attempts).padStart(8, '0')}`;
  const bytes = Buffer.from(textOf(stream, target).replaceAll(MARK, mark), 'latin1');
  const isWhole = way === 'goes on';
  const text = await sendCut(port, bytes, cut, way);
  const isHead = (index: number) => stream.pieces[index]?.bytes(target).startsWith('HEAD ') ?? false;
  const statuses = readReplies(text, isHead).map(({ status }) => status);
  const expected = [
    ...stream.pieces.map((piece) => piece.statuses(target)),
    ...(stream.next(target) === 'answered' ? [[200]] : []),
  ];
  const complete = isWhole ? expected.length : countComplete(given);
  const words = `${describeAttempt(given)}: ${expected.slice(0, complete).join(', ')} expected, ${statuses.join(', ') || 'nothing'} came`;
  if (isWhole) assert.equal(statuses.length, expected.length, words);
  assert.ok(
    statuses.every((status, index) => isExpected(status, expected[index] ?? [], index < complete)),
    words,
  );
  assert.ok(statuses.length <= complete + 1, words);
  return { mark, requests: requestsOf(given), isCreated: isCreated(given, statuses), attempt: given };
}

/** What is cut may be refused in words of its own, or be answered before its body has come; it changes nothing. */
function isExpected(status: number, expected: readonly number[], isComplete: boolean): boolean {
  if (isComplete) return expected.includes(status);
  return status !== 201 && (expected.includes(status) || (status >= 400 && status < 500));
}

/** How many of the pieces, and of the request behind them, have come whole before the cut. */
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
  // The body of a request that is refused may be what is wrong with it.
  if (way === 'goes on') return [stream.requests, stream.pieces.length];
  return [0, Math.min(stream.pieces.length, countComplete(given) + 1)];
}

/** A listing is there if it was acknowledged, and is not if its request did not come whole. */
function isCreated(given: Attempt, statuses: readonly number[]): boolean | undefined {
  const { stream, target, way } = given;
  const index = stream.pieces.findIndex((piece) => piece.statuses(target)[0] === 201);
  if (index < 0 || index >= stream.requests) return false;
  if (statuses[index] === 201) return true;
  if (way !== 'goes on' && countComplete(given) <= index) return false;
  return undefined;
}

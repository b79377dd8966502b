import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { JsonError, parseJson } from '../../lib/json.ts';
import { AppError } from '../../model/errors.ts';
import { LISTING_BYTES_MAX } from '../contract/operation.ts';
import type { Exchange } from './exchange.ts';

export const SILENCE_MAX_MS = 30_000;
const DURATION_MAX_MS = 60_000;

/** `what` names the input in error messages. @throws {AppError} `invalid_json`, with the error's `offset` in bytes */
export function parseBody(bytes: Buffer, what = 'body'): unknown {
  if (!isUtf8(bytes)) {
    const message = looksGzipped(bytes)
      ? `The ${what} looks like gzip, which only imports and feeds accept; send it uncompressed.`
      : `The ${what} is not valid UTF-8; it is probably Windows-1252 (Latin-1). Send it as UTF-8.`;
    throw new AppError('invalid_json', message, { members: { offset: utf8Length(bytes) } });
  }
  // RFC 8259 §8.1 allows a parser to ignore a byte order mark.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const offset = bytes.length - Buffer.byteLength(text.slice(error.position));
    throw new AppError('invalid_json', `The ${what} is not valid JSON: ${error.message} at byte ${offset}.`, {
      members: { offset },
    });
  }
}

/** Whether the bytes begin like gzip (RFC 1952 §2.3.1); no UTF-8 text begins with these bytes. */
export function looksGzipped(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The length of the longest prefix of valid UTF-8. */
function utf8Length(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (beginsUtf8(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function beginsUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** @throws {AppError} `payload_too_large`, `request_timeout`, or `invalid_header` if the connection ends */
export async function readBody({ incoming, outgoing }: Exchange, bytesMax = LISTING_BYTES_MAX): Promise<Buffer> {
  if (Number(incoming.headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
  sendContinue(incoming, outgoing);
  return incoming.complete ? takeArrivedBody(incoming, bytesMax) : waitForBody(incoming, bytesMax);
}

/** Sends 100 Continue if the client waits for it, except to HTTP/1.0 (RFC 9110 §10.1.1). */
export function sendContinue(
  { headers, httpVersionMinor }: IncomingMessage,
  outgoing: Pick<ServerResponse, 'writeContinue'>,
): void {
  if (headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0) outgoing.writeContinue();
}

/** Reads a body that has fully arrived, without timers or listeners. `read()` returns one chunk at a time. */
function takeArrivedBody(incoming: IncomingMessage, bytesMax: number): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = incoming.read(); chunk !== null; chunk = incoming.read()) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (body.length > bytesMax) throw tooLarge(bytesMax);
  return body;
}

function waitForBody(incoming: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let silence: NodeJS.Timeout | undefined;
    let deadline: NodeJS.Timeout | undefined;
    // A body that arrives with the headers ends in this event-loop turn and does not need timers.
    const timerStart = setImmediate(() => {
      silence = setTimeout(onSlow, SILENCE_MAX_MS);
      deadline = setTimeout(onSlow, DURATION_MAX_MS);
    });
    // A connection that has already ended emits no more events.
    if (incoming.destroyed) return onAbort();
    incoming.on('data', onData).on('end', finish).on('error', onAbort).on('close', onAbort);

    function onData(chunk: Buffer): void {
      silence?.refresh();
      chunks.push(chunk);
      length += chunk.length;
      if (length > bytesMax) finish(tooLarge(bytesMax));
    }
    function onSlow(): void {
      finish(new AppError('request_timeout', 'The body took too long; send the request again.'));
    }
    function onAbort(): void {
      finish(new AppError('invalid_header', 'The connection ended before the body did.'));
    }
    function finish(error?: AppError): void {
      clearImmediate(timerStart);
      clearTimeout(silence);
      clearTimeout(deadline);
      incoming.off('data', onData).off('end', finish).off('error', onAbort).off('close', onAbort);
      if (error === undefined) resolve(Buffer.concat(chunks, length));
      else reject(error);
    }
  });
}

export function tooLarge(bytesMax: number): AppError {
  return new AppError('payload_too_large', `The body is larger than ${bytesMax} bytes; send less.`);
}

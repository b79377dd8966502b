import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { JsonError, type ParsedJson, parseJson } from '../../lib/json.ts';
import { AppError } from '../../model/errors.ts';
import type { Exchange } from './exchange.ts';

/** The contract's limit for one listing. */
export const BODY_BYTES_MAX = 1024 * 1024;
export const SILENCE_MAX_MS = 30_000;
const DURATION_MAX_MS = 60_000;

/**
 * Parses a body, or a part of one that `what` names, as JSON.
 * @throws {AppError} `invalid_json` with the `offset` of the fault in bytes
 */
export function parseBody(bytes: Buffer, what = 'body'): ParsedJson {
  if (!isUtf8(bytes)) {
    const message = looksPacked(bytes)
      ? `The ${what} looks like gzip, which is taken for imports only; send it as it is.`
      : `The ${what} is not valid UTF-8.`;
    throw new AppError('invalid_json', message, { members: { offset: utf8Length(bytes) } });
  }
  // RFC 8259 §8.1 lets a reader ignore a byte order mark.
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

/** Whether bytes begin as gzip does (RFC 1952 §2.3.1), and no text. */
export function looksPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** How many bytes from the start could begin valid UTF-8. */
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

/**
 * Reads the whole body from the connection, within its limits of size and time.
 * @throws {AppError} `payload_too_large` or `request_timeout`
 */
export async function readBody({ incoming, outgoing }: Exchange, bytesMax = BODY_BYTES_MAX): Promise<Buffer> {
  if (Number(incoming.headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
  askForBody(incoming, outgoing);
  return incoming.complete ? takeArrivedBody(incoming, bytesMax) : waitForBody(incoming, bytesMax);
}

/** Sends 100 if the client waits for it; an HTTP/1.0 client does not know it (RFC 9110 §10.1.1). */
export function askForBody(
  { headers, httpVersionMinor }: IncomingMessage,
  outgoing: Pick<ServerResponse, 'writeContinue'>,
): void {
  if (headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0) outgoing.writeContinue();
}

/** All of it has come: no need for timers and listeners. `read()` gives a piece of it at a time, as they came. */
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
    // A body that comes with its head ends in this turn of the event loop, and needs no timers.
    const patience = setImmediate(() => {
      silence = setTimeout(onSlow, SILENCE_MAX_MS);
      deadline = setTimeout(onSlow, DURATION_MAX_MS);
    });
    // A connection that has ended by now tells nobody any more.
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
      clearImmediate(patience);
      clearTimeout(silence);
      clearTimeout(deadline);
      incoming.off('data', onData).off('end', finish).off('error', onAbort).off('close', onAbort);
      if (error === undefined) resolve(Buffer.concat(chunks, length));
      else reject(error);
    }
  });
}

/** What is said of a body above its limit. */
export function tooLarge(bytesMax: number): AppError {
  return new AppError('payload_too_large', `The body is larger than ${bytesMax} bytes; send less.`);
}

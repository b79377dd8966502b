import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../../lib/log.ts';
import { AppError, INVALID_KEY } from '../../model/errors.ts';
import { CHUNK_BYTES_MIN } from './chunk-limit.ts';
import { requestIdOf } from './exchange.ts';
import { challengeFor, commonHeaders, replyError, UNREADABLE_KEY } from './reply.ts';
import { LINGER_MS } from './send.ts';

export interface RejectOptions {
  log: Log;
  /** Headers of every response. */
  headers: Record<string, string>;
}

interface Rejection {
  status: number;
  headers: Record<string, string | number>;
  body: string;
}

/** Rejects a request whose headers are ambiguous or too large, and closes its connection. */
export function rejectRequest(outgoing: ServerResponse, fault: AppError, options: RejectOptions): void {
  const { status, headers, body } = createRejection(fault, requestIdOf(outgoing.req), options);
  outgoing.writeHead(status, headers).end(body);
}

export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser was reading. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** The parser's error code, or `AUTHORIZATION` for an error in the `Authorization` header. */
export function faultOf({ code, rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (code !== 'HPE_INVALID_HEADER_TOKEN' || rawPacket === undefined) return code;
  const read = rawPacket.toString('latin1', 0, bytesParsed + 1);
  // A line that begins with white space continues the line before it.
  return /\nauthorization[ \t:](?:[^\n]|\n[ \t])*$/i.test(read) ? 'AUTHORIZATION' : code;
}

/**
 * Rejects input that the parser does not accept, or a body with too many chunks (`SMALL_CHUNKS`). Invalid input
 * never becomes a request, so the response is written to the socket, after any earlier responses on the
 * connection. Any other `code` comes from `faultOf`.
 */
export function rejectConnection(code: string | undefined, socket: Duplex, options: RejectOptions): void {
  if (code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // The connection was already rejected, so further input is discarded.
  if (!socket.writable) return;
  const owed = owedReply(socket);
  if (owed?.req.complete) rejectAfter(owed, code, socket, options);
  else if (isAnswered(owed, socket)) endSoon(socket);
  else endSoon(socket, rejectionText(code, owed?.req, options));
}

/** Rejects once the earlier response is sent. Nothing is read until then: the parser would repeat the error. */
function rejectAfter(owed: ServerResponse, code: string | undefined, socket: Duplex, options: RejectOptions): void {
  socket.pause();
  owed.once('finish', () => {
    socket.resume();
    rejectConnection(code, socket, options);
  });
}

/** Rejects CONNECT. `node:http` has detached the socket: an earlier response is cut off, and errors need a listener. */
export function rejectConnect(incoming: IncomingMessage, socket: Duplex, options: RejectOptions): void {
  socket.on('error', () => socket.destroy());
  if (owedReply(socket) === undefined) endSoon(socket, rejectionText('CONNECT', incoming, options));
  else socket.destroy();
}

/** The response in progress. A map of our own would retain old responses and cost a quarter of the throughput. */
function owedReply(socket: Duplex): ServerResponse | undefined {
  const owed: unknown = Reflect.get(socket, '_httpMessage');
  return owed instanceof ServerResponse ? owed : undefined;
}

/** Whether the error is in the body of a request whose response has already started. */
function isAnswered(owed: ServerResponse | undefined, socket: Duplex): boolean {
  if (owed !== undefined) return owed.headersSent;
  const latest: unknown = Reflect.get(Object(Reflect.get(socket, 'parser')), 'incoming');
  return latest instanceof IncomingMessage && !latest.complete;
}

/** Delays the reset, because a client that is still sending would otherwise lose the response. */
function endSoon(socket: Duplex, text = ''): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** `incoming` is undefined if the parser did not reach the end of the headers. */
function rejectionText(
  code: string | undefined,
  incoming: IncomingMessage | undefined,
  options: RejectOptions,
): string {
  const requestId = incoming === undefined ? randomUUID() : requestIdOf(incoming);
  const { status, headers, body } = createRejection(toIssue(code), requestId, options);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function createRejection(fault: AppError, requestId: string, options: RejectOptions): Rejection {
  const { log, headers: always } = options;
  const { status, headers, body } = replyError(fault, requestId);
  log.logger.info({ requestId, status }, `request rejected: ${fault.message}`);
  const text = String(body);
  const all = {
    ...commonHeaders(requestId),
    ...always,
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  return { status, headers: all, body: text };
}

export function headersTooLarge(): AppError {
  return new AppError('headers_too_large', 'The URL or the headers are larger than 16 KiB; shorten them.');
}

function toIssue(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge();
    case 'AUTHORIZATION':
      return new AppError('unauthorized', INVALID_KEY, {
        headers: { 'WWW-Authenticate': challengeFor(UNREADABLE_KEY) },
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The headers took too long; send the request again.');
    case 'SMALL_CHUNKS':
      return new AppError(
        'payload_too_large',
        `The body has too many chunks; send ${CHUNK_BYTES_MIN} bytes or more in each.`,
      );
    case 'CONNECT':
      return new AppError('invalid_header', 'This server is not a proxy; send requests for its own paths.');
    case 'HPE_INVALID_URL':
      return new AppError(
        'invalid_header',
        'The URL has characters that are not allowed; percent-encode them as UTF-8: é is %C3%A9.',
      );
    default:
      return new AppError('invalid_header', 'This is not a valid HTTP/1.1 request.');
  }
}

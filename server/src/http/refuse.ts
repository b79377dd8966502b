import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import { commonHeaders, replyError } from './reply.ts';
import { LINGER_MS } from './send.ts';

interface Refusal {
  status: number;
  headers: Record<string, string | number>;
  body: string;
}

/** Answers a request that no two programs would read alike, and closes its connection. */
export function refuseRequest(outgoing: ServerResponse, message: string, log: Log): void {
  const { status, headers, body } = createRefusal(new AppError('invalid_header', message), log);
  outgoing.writeHead(status, headers).end(body);
}

/**
 * Answers what the parser refuses. That never becomes a request, so the reply is written on the bare connection, after
 * those that are still owed there. `code` is that of the parser's error, or `CONNECT`.
 */
export function refuseConnection(code: string | undefined, socket: Duplex, log: Log): void {
  if (code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // It has been refused: what still comes is thrown away.
  if (!socket.writable) return;
  // Where node:http keeps the reply that a connection waits for. A table of our own, from connections to replies, made
  // the garbage collector keep replies of the past: a quarter of all requests per second.
  const owed: unknown = Reflect.get(socket, '_httpMessage');
  if (owed instanceof ServerResponse && owed.req.complete)
    owed.once('finish', () => refuseConnection(code, socket, log));
  else if (isAnswered(owed, socket)) endSoon(socket);
  else endSoon(socket, refusalText(code, log));
}

/** Whether the fault is in the body of a request that has its reply: it gets no other. */
function isAnswered(owed: unknown, socket: Duplex): boolean {
  if (owed instanceof ServerResponse) return owed.headersSent;
  const latest: unknown = Reflect.get(Object(Reflect.get(socket, 'parser')), 'incoming');
  return latest instanceof IncomingMessage && !latest.complete;
}

/** Who is still sending would find the connection broken before they read: it is reset only after a while. */
function endSoon(socket: Duplex, text = ''): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function refusalText(code: string | undefined, log: Log): string {
  const { status, headers, body } = createRefusal(toFault(code), log);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function createRefusal(fault: AppError, { logger }: Log): Refusal {
  const requestId = randomUUID();
  const { status, headers, body } = replyError(fault, requestId);
  logger.info({ requestId, status }, `request refused: ${fault.message}`);
  const text = String(body);
  const all = {
    ...commonHeaders(requestId),
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  return { status, headers: all, body: text };
}

function toFault(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', 'The headers are larger than 16 KiB; send fewer.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The headers took too long; send the request again.');
    case 'CONNECT':
      return new AppError('invalid_header', 'This is no proxy; ask it for what it has itself.');
    case 'HPE_INVALID_URL':
      return new AppError('invalid_header', 'A URL has no such characters; percent-encode them as UTF-8: é is %C3%A9.');
    default:
      return new AppError('invalid_header', 'This is not a request that HTTP/1.1 allows.');
  }
}

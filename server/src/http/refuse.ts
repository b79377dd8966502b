import { randomUUID } from 'node:crypto';
import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import { commonHeaders, replyError } from './reply.ts';

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
 * those that are still owed there.
 */
export function refuseConnection(error: Error & { code?: string }, socket: Duplex, log: Log): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // Where node:http keeps the reply that a connection waits for. A table of our own, from connections to replies, made
  // the garbage collector keep replies of the past: a quarter of all requests per second.
  const owed: unknown = Reflect.get(socket, '_httpMessage');
  if (!(owed instanceof ServerResponse)) writeRefusal(error, socket, log);
  else if (owed.req.complete) owed.once('finish', () => refuseConnection(error, socket, log));
  // The fault is in that request's own body, and may have been answered already.
  else if (owed.headersSent) socket.end();
  else writeRefusal(error, socket, log);
}

function writeRefusal(error: Error & { code?: string }, socket: Duplex, log: Log): void {
  const { status, headers, body } = createRefusal(toFault(error.code), log);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
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
    case 'HPE_INVALID_URL':
      return new AppError('invalid_header', 'A URL has no such characters; percent-encode them as UTF-8: é is %C3%A9.');
    default:
      return new AppError('invalid_header', 'This is not a request that HTTP/1.1 allows.');
  }
}

import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
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
 * the one that `lastReply` still owes there.
 */
export function refuseConnection(
  error: Error & { code?: string },
  socket: Duplex,
  lastReply: ServerResponse | undefined,
  log: Log,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const write = () => {
    const { status, headers, body } = createRefusal(toFault(error.code), log);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  };
  if (lastReply === undefined || lastReply.writableFinished) write();
  else if (lastReply.req.complete) lastReply.once('finish', write);
  // The fault is in the last request's own body, and may have been answered already.
  else if (lastReply.headersSent) socket.end();
  else write();
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
    default:
      return new AppError('invalid_header', 'This is not a request that HTTP/1.1 allows.');
  }
}

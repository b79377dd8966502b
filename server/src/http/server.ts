import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { AppError } from '../model/errors.ts';
import type { App } from './app.ts';
import { STATUS_OF_CODE } from './errors.ts';
import { countHeader } from './raw-headers.ts';
import { errorBody, JSON_TYPE } from './reply.ts';

const HEADER_BYTES_MAX = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 1_000;
/** Longer than the idle time of common load balancers (60 s), so that they close first and lose no request. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** A connection that moves no byte for so long is dropped: a reader that never reads. Above the longest long poll. */
const IDLE_TIMEOUT_MS = 75_000;
/** A path that no route has. What has no normal form names nothing. */
const NOWHERE = '/nowhere';

export interface ServerTimeouts {
  idleTimeoutMs?: number;
}

/**
 * The HTTP server in front of the app: refuses what two programs in a row could read differently (RFC 9112), before
 * the adapter tidies it up.
 */
export function createHttpServer(app: App, { idleTimeoutMs = IDLE_TIMEOUT_MS }: ServerTimeouts = {}): Server {
  const listener = getRequestListener(app.fetch, { hostname: 'localhost' });
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // A body that flows may take long: `readBody` has the limits.
    requestTimeout: 0,
    requireHostHeader: false,
  });
  // The size is limited above; a limit on the number would drop the rest in silence.
  server.maxHeadersCount = 0;
  server.timeout = idleTimeoutMs;
  const onRequest: RequestListener = (incoming, outgoing) => {
    if (!server.listening) outgoing.shouldKeepAlive = false;
    const fault = findFault(incoming);
    if (fault !== undefined) return refuse(outgoing, fault);
    incoming.url = normalTarget(incoming.url ?? '/');
    void listener(incoming, outgoing);
  };
  server.on('request', onRequest);
  // With "Expect: 100-continue" the body is asked for only once somebody reads it.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', onClientError);
  return server;
}

/** RFC 9112 §3.2 (exactly one valid Host) and §6.1 (no transfer coding in HTTP/1.0). */
function findFault(incoming: IncomingMessage): string | undefined {
  const { rawHeaders, httpVersion, headers } = incoming;
  const hosts = countHeader(rawHeaders, 'host');
  if (hosts > 1) return 'Send one Host header.';
  if (hosts === 0 && httpVersion === '1.1') return 'Send a Host header.';
  if (hosts === 1 && !HOST.test(headers.host ?? '')) return 'The Host header is not a host name with an optional port.';
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    return 'HTTP/1.0 knows no Transfer-Encoding; send a Content-Length.';
  }
  return undefined;
}

const HOST = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** The path and query of a request target in origin or absolute form (RFC 9112 §3.2). */
function normalTarget(target: string): string {
  if (USUAL_TARGET.test(target)) return target;
  const origin = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [path = ''] = origin.split('?', 1);
  if (!path.startsWith('/')) return path === '' ? `/${origin}` : NOWHERE;
  if (!UNUSUAL.test(path)) return origin;
  const hasDotSegment = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  if (!hasDotSegment && !path.includes('\\') && !path.includes('#')) return origin;
  return path.startsWith('/v1/') ? `/v1${NOWHERE}` : NOWHERE;
}

const USUAL_TARGET = /^\/[\w/-]*(?:\?|$)/;
const UNUSUAL = /[\\#%]|\/\./;

function refuse(outgoing: ServerResponse, message: string): void {
  const requestId = randomUUID();
  const body = errorBody(new AppError('invalid_header', message), requestId);
  outgoing.writeHead(400, { 'Content-Type': JSON_TYPE, 'X-Request-Id': requestId, Connection: 'close' });
  outgoing.end(body);
}

/** What the parser refuses never becomes a request: the reply is written on the bare connection. */
function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const fault = clientFault(error.code);
  const status = STATUS_OF_CODE[fault.code];
  const body = errorBody(fault, requestId);
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const REASONS: Partial<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function clientFault(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', `The headers are larger than ${HEADER_BYTES_MAX} bytes; send fewer.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The headers took too long; send the request again.');
    default:
      return new AppError('invalid_header', 'This is not a request that HTTP/1.1 allows.');
  }
}

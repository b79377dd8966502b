import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../lib/log.ts';
import { createCounter } from '../../lib/metrics.ts';
import { readOpenFilesMax } from '../../lib/open-files.ts';
import { AppError } from '../../model/errors.ts';
import { limitChunks } from './chunk-limit.ts';
import type { App } from './exchange.ts';
import { RejectionCount } from './overload.ts';
import { countHeader, headerBytes } from './raw-headers.ts';
import {
  faultOf,
  headersTooLarge,
  type ParserError,
  type RejectOptions,
  rejectConnect,
  rejectConnection,
  rejectRequest,
} from './reject.ts';
import { isHttps } from './same-origin.ts';
import { ABSOLUTE } from './target.ts';

const HEADER_BYTES_MAX = 16 * 1024;
/** Added to the parser's limit, which also counts the URL, but not the colons and line breaks of headers. */
const URL_BYTES_MIN = 4 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 1_000;
/** Longer than the timeout of common load balancers (60 s), so they close first, and no request is lost. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** An idle connection closes after one to two times this period, which is longer than any long poll. */
const IDLE_TIMEOUT_MS = 75_000;
/**
 * The maximum number of pipelined requests per connection; each takes memory while it waits. After
 * the response to the last one, the connection closes, and the client must send any further ones again.
 */
const PIPELINED_MAX = 128;
/** The maximum number of ignored requests per connection. One read of up to 64 KiB can contain 3,600 requests. */
const IGNORED_MAX = 4_000;
/** The parser's error for a request whose end is missing because the client has disconnected. */
const CUT_OFF = 'HPE_INVALID_EOF_STATE';

/** RFC 6797: for a year, browsers use only HTTPS. Subdomains are excluded, because they can host other sites. */
const HTTPS_ONLY = { 'Strict-Transport-Security': 'max-age=31536000' };

/** Open files reserved for databases, threads, and webhooks, or a quarter of the limit if that is lower. */
const OWN_FILES = 2_048;
/** An idle connection takes 13 KB of memory. */
const CONNECTIONS_MAX = 20_000;

export interface ServerLimits {
  idleTimeoutMs?: number;
  connectionsMax?: number;
  publicUrl?: string | undefined;
  /** How much longer requests in progress can take when the service stops. */
  shutdownMaxMs?: number;
}

/** Creates a server that rejects requests that a proxy could parse differently (RFC 9112). */
export function createHttpServer(app: App, log: Log, limits: ServerLimits = {}): Server {
  const { idleTimeoutMs = IDLE_TIMEOUT_MS, connectionsMax = readConnectionsMax(), publicUrl } = limits;
  const options: RejectOptions = { log, headers: isHttps(publicUrl) ? HTTPS_ONLY : {} };
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX + URL_BYTES_MIN,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // `readBody` and `readUpload` limit how long bodies can take.
    requestTimeout: 0,
    requireHostHeader: false,
  });
  // The size of the headers is limited; a limit on their number would silently drop some.
  server.maxHeadersCount = 0;
  server.timeout = idleTimeoutMs;
  const abandoned = new AbandonedConnections(server);
  server.on('connection', omitStackTraceOnClose);
  server.on('connection', readAddress);
  limitConnections(server, connectionsMax, log);

  const finished = new FinishedConnections();
  const pipelined = new PipelinedRequests();
  const onRequest: RequestListener = (incoming, outgoing) => {
    const { socket, headers } = incoming;
    if (finished.has(socket)) return finished.ignoreRequest(socket);
    for (const [name, value] of Object.entries(options.headers)) outgoing.setHeader(name, value);
    const fault = findFault(incoming);
    // After a request with an `Upgrade` header, `node:http` drops the input that it read together with the request.
    if (fault !== undefined || headers.upgrade !== undefined || pipelined.isLast(socket, outgoing)) {
      finished.add(socket);
      outgoing.shouldKeepAlive = false;
    }
    if (fault !== undefined) return rejectRequest(outgoing, fault, options);
    if (headers['transfer-encoding'] !== undefined)
      limitChunks(incoming, () => rejectConnection('SMALL_CHUNKS', socket, options));
    if (outgoing.socket !== null) void app(incoming, outgoing);
    else
      startInTurn(socket, outgoing, () => {
        void app(incoming, outgoing);
        if (incoming.complete && finished.has(socket)) finished.stopReading(socket);
      });
  };
  server.on('request', onRequest);
  // `readBody` and `readUpload` send 100 Continue once the handler reads the body.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (incoming, socket) => rejectConnect(incoming, socket, options));
  server.on('clientError', (error: ParserError, socket) => {
    const reject = () => rejectConnection(faultOf(error), socket, options);
    if (error.code === CUT_OFF) abandoned.add(socket, reject);
    else reject();
  });
  return server;
}

/**
 * Starts a pipelined request once the earlier responses of its connection have been sent, so a connection takes the
 * time and memory of only one request (RFC 9112 §9.3.2 allows parallel processing only for safe methods). Each request
 * starts in a later event-loop turn; otherwise, all of them could be served in one turn.
 */
function startInTurn(socket: Socket, outgoing: ServerResponse, start: () => void): void {
  outgoing.once('socket', () => {
    setImmediate(() => {
      // After a parse error, the connection's last response has already been sent.
      if (socket.writable) start();
    });
  });
}

/** Connections that accept no further requests: the next one's start may be ambiguous, or too many are pipelined. */
class FinishedConnections {
  readonly #ignored = new WeakMap<Socket, number>();

  add(socket: Socket): void {
    this.#ignored.set(socket, 0);
  }

  has(socket: Socket): boolean {
    return this.#ignored.has(socket);
  }

  /** Closes a connection with too many ignored requests, because each takes memory until the connection closes. */
  ignoreRequest(socket: Socket): void {
    const count = (this.#ignored.get(socket) ?? 0) + 1;
    this.#ignored.set(socket, count);
    if (count > IGNORED_MAX) socket.destroy();
    else this.stopReading(socket);
  }

  stopReading(socket: Socket): void {
    // Pauses later, because the parser resumes the socket at the end of each request.
    setImmediate(() => socket.pause());
  }
}

/** Counts the requests that are waiting for an earlier response on their connection. */
class PipelinedRequests {
  readonly #counts = new WeakMap<Socket, number>();

  /** Whether a new request is the last one that its connection accepts. */
  isLast(socket: Socket, outgoing: ServerResponse): boolean {
    // This response has the socket, so no other response is pending.
    if (outgoing.socket !== null) return false;
    const count = (this.#counts.get(socket) ?? 0) + 1;
    this.#counts.set(socket, count);
    outgoing.once('close', () => this.#counts.set(socket, (this.#counts.get(socket) ?? 1) - 1));
    return count >= PIPELINED_MAX;
  }
}

/** Each connection takes a file descriptor. */
function readConnectionsMax(): number {
  const filesMax = readOpenFilesMax() ?? Number.POSITIVE_INFINITY;
  return Math.min(CONNECTIONS_MAX, filesMax - Math.min(OWN_FILES, Math.floor(filesMax / 4)));
}

const closedConnections = createCounter({
  name: 'property_listings_connections_closed_total',
  help: 'Connections that were closed because too many were open.',
});

/** Closes excess connections, because without a free file descriptor, even open connections could not be served. */
function limitConnections(server: Server, connectionsMax: number, log: Log): void {
  const rejections = new RejectionCount(log, {
    first:
      `more than ${connectionsMax} connections: new ones are closed; ` +
      `the limit on open files determines the maximum, up to ${CONNECTIONS_MAX}`,
    report: 'connections were closed because too many were open',
  });
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    socket.once('close', () => {
      count -= 1;
    });
    if (count <= connectionsMax) return;
    closedConnections.add({});
    rejections.add();
    socket.destroy();
  });
}

/** Abandoned connections that end per event-loop turn. Ending one takes 0.1 ms. */
const ENDED_PER_TURN = 8;
/** If many are waiting, this fraction of them ends per turn. */
const ENDED_PART = 1 / 64;

/** Connections abandoned during a request. `node:http` would end all of them in one turn, which takes 60 ms for 600. */
class AbandonedConnections {
  readonly #ends = new Map<Duplex, () => void>();

  constructor(server: Server) {
    // Keeps `node:http` from ending connections with a request in progress. Undocumented, but long-standing.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on('connection', (socket: Socket) => {
      socket.once('end', () => {
        if (!socket.writableEnded) this.add(socket, () => socket.end());
      });
    });
  }

  /**
   * Calls `end` in a later turn, unless the connection has closed by then. Does nothing if the connection was
   * already added: if its request was cut off, the first `end` also sends an error response.
   */
  add(socket: Duplex, end: () => void): void {
    if (this.#ends.size === 0) setImmediate(this.#endSome);
    if (!this.#ends.has(socket)) this.#ends.set(socket, end);
  }

  readonly #endSome = (): void => {
    const count = Math.max(ENDED_PER_TURN, this.#ends.size * ENDED_PART);
    for (const [socket, end] of this.#ends.entries().take(Math.ceil(count))) {
      this.#ends.delete(socket);
      if (!socket.destroyed) end();
    }
    if (this.#ends.size > 0) setImmediate(this.#endSome);
  };
}

/**
 * When a client disconnects, `node:http` creates an error in its own listener, which runs between the two
 * listeners below. The error's stack trace is never read, and capturing it takes a quarter of the CPU time
 * when hundreds of clients disconnect at once.
 */
function omitStackTraceOnClose(socket: Socket): void {
  let { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    ({ stackTraceLimit } = Error);
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

/**
 * Reads the peer's address, which the socket then keeps. A few connections are opened per event-loop turn, but hundreds
 * of first requests can arrive in one turn; reading the addresses in that turn would take a fifth of its time.
 */
function readAddress(socket: Socket): void {
  void socket.remoteAddress;
}

function findFault(incoming: IncomingMessage): AppError | undefined {
  const { rawHeaders, url = '' } = incoming;
  if (Math.max(headerBytes(rawHeaders), url.length) > HEADER_BYTES_MAX) return headersTooLarge();
  const ambiguity = findAmbiguity(incoming);
  return ambiguity === undefined ? undefined : new AppError('invalid_header', ambiguity);
}

/** Describes a violation of RFC 9112 §3.2 (one valid Host, even in an absolute target) or §6.1 (transfer codings). */
function findAmbiguity(incoming: IncomingMessage): string | undefined {
  const { rawHeaders, httpVersion, headers, url = '/' } = incoming;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Send the request as HTTP/1.1.';
  const hosts = countHeader(rawHeaders, 'host');
  if (hosts > 1) return 'Send one Host header.';
  if (hosts === 0 && httpVersion === '1.1') return 'Send a Host header.';
  if (hosts === 1 && !isHost(headers.host ?? '')) return 'The Host header is not a host name with an optional port.';
  const authority = url.startsWith('/') ? undefined : ABSOLUTE.exec(url)?.[1];
  if (authority !== undefined && !isHost(authority))
    return 'The host in the request target is not a host name with an optional port.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && httpVersion === '1.0')
    return 'HTTP/1.0 does not support Transfer-Encoding; send a Content-Length.';
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'The only supported Transfer-Encoding is chunked.';
  return undefined;
}

/** The last valid host, kept because nearly all requests have the same host. */
let lastHost = '';

/** Whether a host is valid (RFC 9110 §7.2), including the numbers in addresses and ports. */
function isHost(text: string): boolean {
  if (text === lastHost) return true;
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastHost = text;
  return true;
}

const HOST = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

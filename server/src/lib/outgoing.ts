import { AssertionError } from 'node:assert';
import { type BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, Client, type Dispatcher, errors } from 'undici';
import { readOpenFilesMax } from './open-files.ts';
import { isInNetworks, isPublicAddress } from './public-addresses.ts';
import { type Resolve, resolveName } from './resolve-name.ts';

/** The time limit for a whole request: resolving the name, connecting, TLS, headers, and body. */
const REQUEST_MAX_MS = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** After this many bytes of a response's body, the connection is closed. */
const BODY_BYTES_MAX = 16 * 1024;
const BODY_BYTES_KEPT = 1024;
/** How long an idle connection is kept for the next request. Servers usually close theirs after 5 s. */
const IDLE_MS = 4_000;
/** While this many connections (to all servers) are idle, other connections are closed after their requests. */
const IDLE_CONNECTIONS_MAX = 1024;
/** The share of the limit on open files that idle connections can use. */
const IDLE_FILES_PART = 1 / 8;
/** Maximum bytes that a connection can receive for one request: enough for the headers and a body in small chunks. */
const RESPONSE_BYTES_MAX = 256 * 1024;

/** The outcome of a request. Without a response, `status` is null and `error` says why. */
export interface Outcome {
  status: number | null;
  retryAfter: string | undefined;
  durationMs: number;
  /** The first KiB of the body as text. */
  response: string | null;
  error: string | null;
}

/**
 * Sends requests to URLs that clients choose. It connects only to public addresses and allowed networks, and
 * checks the addresses of each connection after it has resolved the name. It does not follow redirects, use a
 * proxy, or decompress responses. It verifies TLS certificates, and limits the time and size of each
 * response.
 */
export class OutgoingRequests {
  readonly #allowed: BlockList | undefined;
  readonly #isOn: boolean;
  readonly #resolve: Resolve;
  readonly #options: Client.Options;
  readonly #agent: Agent;
  readonly #sockets = new Set<Socket>();
  readonly #idleMax = Math.min(IDLE_CONNECTIONS_MAX, (readOpenFilesMax() ?? Infinity) * IDLE_FILES_PART);
  #requests = 0;

  /**
   * @param allowed non-public networks to which requests are also sent, even with `http:`
   * @param isOn whether anything is sent
   */
  constructor(allowed: BlockList | undefined, isOn = true, resolve: Resolve = resolveName) {
    this.#allowed = allowed;
    this.#isOn = isOn;
    this.#resolve = resolve;
    this.#options = {
      connect: this.#createConnect(),
      allowH2: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      // The time of the whole request is limited instead.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
    };
    this.#agent = new Agent(this.#options);
  }

  /** Why a URL can never be requested; undefined if it can, or if that depends on how its host name resolves. */
  findIssue({ protocol, hostname }: URL): string | undefined {
    if (protocol === 'http:' && this.#allowed === undefined)
      return 'Must begin with https://; the operator can allow http:// for networks (WEBHOOK_ALLOW).';
    const host = withoutBrackets(hostname);
    if (isIP(host) === 0 || this.#isReachable(host, protocol)) return undefined;
    return 'Must be a public address; the operator can allow other networks (WEBHOOK_ALLOW).';
  }

  /** Posts a body. Never throws: errors are in the outcome. */
  async post(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<Outcome> {
    const startMs = performance.now();
    this.#requests += 1;
    try {
      const outcome = await this.#send(url, headers, body, { signal, endMs: startMs + REQUEST_MAX_MS }).catch(
        (error: unknown) => ({ status: null, retryAfter: undefined, response: null, error: describe(error) }),
      );
      return { ...outcome, durationMs: Math.round(performance.now() - startMs) };
    } finally {
      this.#requests -= 1;
    }
  }

  close(): void {
    void this.#agent.destroy();
    // Includes connections that are still being established, and those of repeated requests.
    for (const socket of this.#sockets) socket.destroy();
  }

  async #send(url: URL, headers: Record<string, string>, body: string, bounds: Bounds): Promise<Result> {
    if (!this.#isOn) throw new Error('The operator has turned webhooks off (WEBHOOKS=off)');
    const host = withoutBrackets(url.hostname);
    // A literal address is not looked up, so the check after the lookup does not apply to it.
    if (isIP(host) !== 0 && !this.#isReachable(host, url.protocol)) throw notPublic();
    const isKept = this.#sockets.size - this.#requests < this.#idleMax;
    const path = url.pathname + url.search;
    const request = { origin: url.origin, path, method: 'POST', headers, body, reset: !isKept } as const;
    try {
      return await dispatch(this.#agent, request, bounds);
    } catch (error) {
      if (!staleErrors.has(error as object)) throw error;
    }
    // The server had closed the idle connection, so the request is repeated on a new one.
    const client = new Client(url.origin, this.#options);
    try {
      return await dispatch(client, { ...request, reset: true }, bounds);
    } finally {
      void client.destroy();
    }
  }

  #createConnect(): buildConnector.connector {
    const create = (protocol: string) =>
      buildConnector({
        allowH2: false,
        timeout: REQUEST_MAX_MS,
        rejectUnauthorized: true,
        lookup: this.#lookupFor(protocol),
      } as object);
    const [connect, connectTls] = [create('http:'), create('https:')];
    return (options, done) => {
      // The connector returns the socket, although its type does not say so.
      const socket = (options.protocol === 'https:' ? connectTls : connect)(options, (...connected) => {
        const [, established] = connected;
        if (established) watchResponses(established);
        done(...connected);
      }) as unknown as Socket;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
  }

  #isReachable(address: string, protocol: string): boolean {
    return isInNetworks(address, this.#allowed) || (protocol === 'https:' && isPublicAddress(address));
  }

  /** Creates a function that resolves the name in a URL. If any of the addresses is not allowed, none is used. */
  #lookupFor(protocol: string): LookupFunction {
    return (name, options, done) => {
      this.#resolve(name, (error, addresses) => {
        const [first] = addresses ?? [];
        const bad = addresses?.find(({ address }) => !this.#isReachable(address, protocol));
        const issue = error ?? (bad === undefined ? undefined : notPublic());
        if (issue !== undefined || first === undefined) return done(issue ?? new Error('The name has no address'), '');
        if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      });
    };
  }
}

type Result = Omit<Outcome, 'durationMs'>;

interface Bounds {
  signal: AbortSignal;
  endMs: number;
}

/** The codes of errors that mean that the server closed a connection. */
const CLOSED_CODES = new Set<unknown>(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** Errors of connections that were closed while they were idle. */
const staleErrors = new WeakSet<object>();

/** Closes a connection that receives too many bytes for one request. Adds idle connections' errors to `staleErrors`. */
function watchResponses(socket: Socket): void {
  let bytes = 0;
  let writtenBefore: number | undefined;
  socket.on('readable', () => {
    // The event is also emitted when the stream ends, with nothing to read.
    if (socket.readableLength === 0) return;
    if (socket.bytesWritten !== writtenBefore) bytes = 0;
    writtenBefore = socket.bytesWritten;
    bytes += socket.readableLength;
    if (bytes > RESPONSE_BYTES_MAX) socket.destroy(new Error('The response is too long'));
  });
  socket.once('error', (error) => {
    const wasIdle = writtenBefore !== undefined && writtenBefore < socket.bytesWritten;
    if (wasIdle && 'code' in error && CLOSED_CODES.has(error.code)) staleErrors.add(error);
  });
}

/**
 * Sends a request and reads the beginning of its response. Errors after the headers have arrived are ignored.
 * @throws if there is no response
 */
function dispatch(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, bounds: Bounds): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const kept: Buffer[] = [];
  let bytes = 0;
  let head: Pick<Result, 'status' | 'retryAfter'> | undefined;
  let isEnded = false;
  let started: Dispatcher.DispatchController | undefined;
  const end = (error?: unknown) => {
    isEnded = true;
    clearTimeout(timer);
    bounds.signal.removeEventListener('abort', stop);
    if (head === undefined) reject(error);
    else resolve({ ...head, response: toText(Buffer.concat(kept).subarray(0, BODY_BYTES_KEPT)), error: null });
  };
  const abort = (reason: Error) => {
    end(reason);
    started?.abort(reason);
  };
  const stop = () => abort(new Error('The request was stopped'));
  const timer = setTimeout(() => abort(tookTooLong()), bounds.endMs - performance.now());
  bounds.signal.addEventListener('abort', stop);
  if (bounds.signal.aborted) stop();
  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      started = controller;
      // The request ended while it waited for a connection.
      if (isEnded) controller.abort(new Error('The request has ended'));
    },
    onResponseStart(_, status, headers) {
      // Lower statuses are informational.
      if (status >= 200) head = { status, retryAfter: [headers['retry-after']].flat()[0] };
    },
    onResponseData(controller, chunk) {
      if (bytes < BODY_BYTES_KEPT) kept.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) controller.abort(new Error('The response is long'));
    },
    onResponseEnd: () => end(),
    onResponseError: (_, error) => end(error),
  });
  return promise;
}

function tookTooLong(): Error {
  return new Error(`The request took longer than ${REQUEST_MAX_MS / 1000} s`);
}

/** Does not show the address, because that would reveal how private names resolve. */
function notPublic(): Error {
  return new Error('The host has an address that is not public; the operator can allow its network (WEBHOOK_ALLOW)');
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * Decodes UTF-8 into text that JSON and both databases can store. Replaces control characters other than line
 * feeds and tabs, and omits an incomplete last character.
 */
function toText(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  return text.replaceAll(/[\p{Cc}--[\n\t]]/gv, '\ufffd');
}

/** Describes an error in words, without its stack or internal details. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return describe(error.errors[0]);
  // The message would show the address, and with several addresses, perhaps only some took too long.
  if (error instanceof errors.ConnectTimeoutError) return describe(error.cause ?? tookTooLong());
  if (error instanceof AssertionError) return 'The response is not valid HTTP';
  const message = error instanceof Error ? withoutAddress(error) : String(error);
  // The rest of the message is a hint for the operator, not for the client.
  const text = message.replace(/; if the root CA is installed locally.*/, '');
  return toText(Buffer.from(text).subarray(0, 200));
}

/** An address would reveal how private names resolve. */
function withoutAddress(error: NodeJS.ErrnoException): string {
  return 'address' in error ? `${error.syscall} ${error.code}` : error.message;
}

import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import { isInNetworks, isPublicAddress } from './public-addresses.ts';
import { type Resolve, resolveName } from './resolve-name.ts';

/** The time for a whole request: name, connection, TLS, headers, and body. */
const REQUEST_MAX_MS = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;
/** After this much of a response's body, the connection is closed. */
const BODY_BYTES_MAX = 16 * 1024;
const BODY_BYTES_KEPT = 1024;
/** How long an idle connection is kept for the next request. Servers usually close theirs after 5 s. */
const IDLE_MS = 4_000;
/** Idle connections to all servers. With the attempts in flight, fewer than the usual limit of 1,024 open files. */
const IDLE_CONNECTIONS_MAX = 256;
/** How often idle connections are counted, which looks at all of them. */
const IDLE_CHECK_EVERY = 16;

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
 * Sends requests to URLs that clients choose. Connects only to public addresses and to allowed networks, which is
 * checked for each connection, after the name was resolved. It follows no redirects, uses no proxy, verifies TLS
 * certificates, does not decompress, and bounds time and size of each response.
 */
export class OutgoingRequests {
  readonly #allowed: BlockList | undefined;
  readonly #isOn: boolean;
  readonly #resolve: Resolve;
  #freed = 0;
  readonly #agents: { http: http.Agent; https: https.Agent };

  /**
   * @param allowed networks that are not public, to which `http:` is also possible
   * @param isOn whether anything is sent
   */
  constructor(allowed: BlockList | undefined, isOn = true, resolve: Resolve = resolveName) {
    this.#allowed = allowed;
    this.#isOn = isOn;
    this.#resolve = resolve;
    const options = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX, timeout: IDLE_MS };
    this.#agents = { http: new http.Agent(options), https: new https.Agent(options) };
    for (const agent of Object.values(this.#agents)) agent.on('free', () => this.#noteFree());
  }

  /** Why a URL can never be requested; undefined if that depends on the addresses of its name. */
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
    const send = (isAlone: boolean) => this.#send(url, headers, body, startMs + REQUEST_MAX_MS, signal, isAlone);
    const outcome = await send(false)
      // The server may have closed an idle connection before it received the request: repeats it on a new one.
      .catch((error: unknown) => (error instanceof StaleConnection ? send(true) : Promise.reject(error)))
      .catch((error: unknown) => ({ status: null, retryAfter: undefined, response: null, error: describe(error) }));
    return { ...outcome, durationMs: Math.round(performance.now() - startMs) };
  }

  /** Closes idle connections. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /** Closes the oldest idle connections above the limit: `maxFreeSockets` bounds only those to one server. */
  #noteFree(): void {
    this.#freed += 1;
    if (this.#freed % IDLE_CHECK_EVERY !== 0) return;
    const idle = Object.values(this.#agents).flatMap(({ freeSockets }) => Object.values(freeSockets).flat());
    for (const socket of idle.slice(0, Math.max(0, idle.length - IDLE_CONNECTIONS_MAX))) socket?.destroy();
  }

  async #send(
    url: URL,
    headers: Record<string, string>,
    body: string,
    endMs: number,
    signal: AbortSignal,
    isAlone: boolean,
  ): Promise<Omit<Outcome, 'durationMs'>> {
    const { promise, resolve, reject } = Promise.withResolvers<Omit<Outcome, 'durationMs'>>();
    const host = withoutBrackets(url.hostname);
    if (!this.#isOn) throw new Error('The operator has turned webhooks off (WEBHOOKS=off)');
    // A literal address is not looked up.
    if (isIP(host) !== 0 && !this.#isReachable(host, url.protocol)) throw notPublic();
    const isTls = url.protocol === 'https:';
    const request = (isTls ? https : http).request(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      // Without an agent, the request has a connection of its own.
      agent: !isAlone && (isTls ? this.#agents.https : this.#agents.http),
      lookup: this.#lookupFor(url.protocol),
      maxHeaderSize: HEADER_BYTES_MAX,
      rejectUnauthorized: true,
      signal,
    });
    let incoming: IncomingMessage | undefined;
    // Once the headers have arrived, the status is known, and nothing that happens to the body matters.
    const fail = (error: Error) => {
      if (incoming === undefined) reject(isStale(request, error) ? new StaleConnection() : error);
    };
    const timer = setTimeout(() => request.destroy(tookTooLong()), endMs - performance.now());
    request.on('response', (arrived) => {
      incoming = arrived;
      readResponse(arrived, resolve);
    });
    request.on('error', fail);
    request.on('upgrade', (_, socket) => socket.destroy());
    request.on('close', () => {
      clearTimeout(timer);
      fail(new Error('The connection was closed without a response'));
    });
    request.end(body);
    return await promise;
  }

  #isReachable(address: string, protocol: string): boolean {
    return isInNetworks(address, this.#allowed) || (protocol === 'https:' && isPublicAddress(address));
  }

  /** Resolves the name of a connection. If one of its addresses is not public, none is used. */
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

class StaleConnection extends Error {}

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

function isStale({ reusedSocket }: http.ClientRequest, error: Error): boolean {
  return reusedSocket && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** Reads the beginning of a response. Once its headers have arrived, an error of the body does not matter. */
function readResponse(incoming: IncomingMessage, resolve: (outcome: Omit<Outcome, 'durationMs'>) => void): void {
  const kept: Buffer[] = [];
  let bytes = 0;
  const finish = () => {
    const response = toText(Buffer.concat(kept).subarray(0, BODY_BYTES_KEPT));
    resolve({
      status: incoming.statusCode ?? null,
      retryAfter: incoming.headers['retry-after'],
      response,
      error: null,
    });
  };
  incoming.on('data', (chunk: Buffer) => {
    if (bytes < BODY_BYTES_KEPT) kept.push(chunk);
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) incoming.destroy();
  });
  incoming.on('error', finish);
  incoming.on('close', finish);
}

/** Text that JSON and both databases can store: without control characters and half characters. */
function toText(bytes: Buffer): string {
  // The last character may be cut.
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  return text.replaceAll(/[\p{Cc}--[\n\t]]/gv, '\ufffd');
}

/** The reason in words, without stack and internals. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return describe(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return toText(Buffer.from(text).subarray(0, 200));
}

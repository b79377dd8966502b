import { type Answer, Call } from './call.ts';
import {
  CALL_OPTIONS,
  type CallOptions,
  type ClientOptions,
  checkLimits,
  checkNames,
  readSettings,
  type Settings,
} from './options.ts';
import { unreadable } from './replies.ts';
import { type Query, received, send, toSearch } from './request.ts';
import { pause, type Repeat, retryDelayMs } from './retry.ts';
import { Watch } from './watch.ts';

/** Must match the version in package.json. */
const VERSION = '0.2.0';

type Body = Pick<RequestInit, 'body'> & { duplex?: 'half' };

/** Creates the body for one attempt. A body that is streamed pauses the watch while the source is slow. */
export type MakeBody = (watch: Watch) => Body | Promise<Body>;

/** A request to one of the API's operations. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Relative to the base URL. */
  path: string;
  query?: Query;
  headers?: Record<string, string>;
  body?: MakeBody;
  /** Default: `always`, with an Idempotency-Key for writes. */
  repeat?: Repeat;
  /** How long the service may wait before it responds, for example to a long poll. Added to `timeoutMs`. */
  waitMs?: number;
}

/** Sends requests with the API key, and retries transient errors. */
export class Transport {
  readonly #settings: Settings;

  /** @throws {ConfigurationError} if the key or the base URL is malformed */
  constructor(options: ClientOptions) {
    this.#settings = readSettings(options);
  }

  /** A call with a JSON response. */
  call<T extends object>(operation: Operation, options?: CallOptions): Call<T> {
    return this.#start(operation, options, readJson<T>);
  }

  /** A call with an empty response. */
  callWithoutBody(operation: Operation, options?: CallOptions): Call<void> {
    return this.#start(operation, options, async ({ status }, watch) => {
      if (status !== 204) throw unreadable();
      watch.end();
    });
  }

  /** A call that streams the bytes of its response. It is retried only until the response starts. */
  open(operation: Operation, options?: CallOptions): Call<AsyncGenerator<Uint8Array, void>> {
    return this.#start(operation, options, async (response, watch) => {
      if (!isOfType(response, operation.headers?.Accept)) throw unreadable();
      watch.rest();
      return readChunks(response, watch);
    });
  }

  /** @throws {ConfigurationError} for numbers out of range */
  limitsOf({ timeoutMs = this.#settings.timeoutMs, maxRetries = this.#settings.maxRetries }: CallOptions) {
    return checkLimits({ timeoutMs, maxRetries });
  }

  /** Sends the request at once, even if the result is never awaited. */
  #start<T>(operation: Operation, options: CallOptions = {}, read: Read<T>): Call<T> {
    const answer = this.#repeat(operation, options, read);
    return new Call(() => answer);
  }

  async #repeat<T>(operation: Operation, options: CallOptions, read: Read<T>): Promise<Answer<T>> {
    const headers = this.#headers(operation, options);
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#attempt(operation, options, headers, read);
      } catch (error) {
        const delayMs = retryDelayMs(error, operation.repeat ?? 'always', attempts, this.limitsOf(options).maxRetries);
        if (delayMs === undefined) throw error;
        await pause(delayMs, options.signal);
      }
    }
  }

  async #attempt<T>(operation: Operation, options: CallOptions, headers: Headers, read: Read<T>): Promise<Answer<T>> {
    const watch = new Watch(this.limitsOf(options).timeoutMs + (operation.waitMs ?? 0), options.signal);
    try {
      const response = await this.#send(operation, headers, watch);
      return { data: await read(response, watch), response };
    } catch (error) {
      watch.end();
      throw error;
    }
  }

  async #send({ method, path, query, body }: Operation, headers: Headers, watch: Watch): Promise<Response> {
    const { signal } = watch;
    const { baseUrl, fetch } = this.#settings;
    const given = await body?.(watch);
    signal.throwIfAborted();
    watch.start();
    return send(baseUrl + path + toSearch(query), { method, headers, signal, fetch, ...given });
  }

  /** Called once per call, so that every attempt has the same Idempotency-Key. The caller's headers take precedence. */
  #headers({ method, headers: own = {}, repeat }: Operation, options: CallOptions): Headers {
    checkNames(options, CALL_OPTIONS);
    const headers = new Headers({
      Accept: 'application/json',
      'User-Agent': `property-listings-client/${VERSION}`,
      ...own,
    });
    headers.set('Authorization', `Bearer ${this.#settings.apiKey}`);
    const isKeyed = method !== 'GET' && repeat === undefined;
    const key = options.idempotencyKey ?? (isKeyed ? createKey() : undefined);
    if (key !== undefined) headers.set('Idempotency-Key', key);
    if (options.ifMatch !== undefined) headers.set('If-Match', toEtag(options.ifMatch));
    if (options.ifNoneMatch !== undefined) headers.set('If-None-Match', toEtag(options.ifNoneMatch));
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    return headers;
  }
}

/** Reads a response. The watch ends when the whole response has been read. */
type Read<T> = (response: Response, watch: Watch) => Promise<T>;

async function readJson<T extends object>(response: Response, watch: Watch): Promise<T> {
  const text = await received(response.text(), watch.signal);
  if (!isOfType(response, 'application/json')) throw unreadable();
  watch.end();
  return parse<T>(text);
}

async function* readChunks({ body }: Response, watch: Watch): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  try {
    while (reader !== undefined) {
      watch.start();
      const { done, value } = await received(reader.read(), watch.signal);
      watch.rest();
      if (done) return;
      yield value;
    }
  } finally {
    watch.end();
  }
}

/** Parses an object or array. @throws {ConnectionError} for anything else */
export function parse<T extends object>(text: string): T {
  try {
    const value = JSON.parse(text);
    if (Object(value) === value) return value;
  } catch {
    // Fall through: the service never sends this.
  }
  throw unreadable();
}

function isOfType(response: Response, type = ''): boolean {
  return response.headers.get('Content-Type')?.startsWith(type) ?? false;
}

/** A listing's ETag is its version in quotes. */
function toEtag(given: number | string): string {
  return typeof given === 'number' ? `"${given}"` : given;
}

/** 128 random bits. `crypto.randomUUID` is missing in pages without HTTPS. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { type Answer, Call } from './call.ts';
import type { CallOptions, Settings } from './options.ts';
import { CALL_OPTIONS, checkLimits, checkNames } from './options.ts';
import { unreadable } from './replies.ts';
import { type Query, received, send, toSearch } from './request.ts';
import { pause, type Repeat, retryDelayMs } from './retry.ts';
import { VERSION } from './version.ts';
import { Watch } from './watch.ts';

type Body = Pick<RequestInit, 'body'> & { duplex?: 'half' };

/** A body, made for each try; it tells the watch whose turn it is. */
export type MakeBody = (watch: Watch) => Body | Promise<Body>;

/** One of the service's operations. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the base URL. */
  path: string;
  query?: Query;
  headers?: Record<string, string>;
  body?: MakeBody;
  /** When it is not said, always, and with an Idempotency-Key if it writes. */
  repeat?: Repeat;
  /** How long the service is asked to wait before it answers. */
  waitMs?: number;
}

/** Sends what the client asks for, with the key, and again if that helps. */
export class Transport {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** A call whose reply is JSON. */
  call<T extends object>(operation: Operation, options?: CallOptions): Call<T> {
    return this.#start(operation, options, readJson<T>);
  }

  /** A call whose reply has no body. */
  callWithoutReply(operation: Operation, options?: CallOptions): Call<void> {
    return this.#start(operation, options, async ({ status }) => {
      if (status !== 204) throw unreadable();
    });
  }

  /** The bytes of a reply as they come, of one try. @throws when it is cut, as far as HTTP tells */
  async *stream(operation: Operation, options: CallOptions = {}): AsyncGenerator<Uint8Array, void> {
    const watch = this.#watch(operation, options);
    try {
      const response = await this.#send(operation, this.#headers(operation, options), watch);
      if (!isOfType(response, operation.headers?.Accept)) throw unreadable();
      const reader = response.body?.getReader();
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

  /** How often what fails is tried again in this call. */
  retriesOf(options: CallOptions): number {
    return options.maxRetries ?? this.#settings.maxRetries;
  }

  /** It begins at once, whether anybody waits for it or not. */
  #start<T>(operation: Operation, options: CallOptions = {}, read: Read<T>): Call<T> {
    const answer = this.#repeat(operation, options, read);
    return new Call(() => answer);
  }

  async #repeat<T>(operation: Operation, options: CallOptions, read: Read<T>): Promise<Answer<T>> {
    const headers = this.#headers(operation, options);
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#try(operation, options, headers, read);
      } catch (error) {
        const delayMs = retryDelayMs(error, operation.repeat ?? 'always', tries, this.retriesOf(options));
        if (delayMs === undefined) throw error;
        await pause(delayMs, options.signal);
      }
    }
  }

  async #try<T>(operation: Operation, options: CallOptions, headers: Headers, read: Read<T>): Promise<Answer<T>> {
    const watch = this.#watch(operation, options);
    try {
      const response = await this.#send(operation, headers, watch);
      return { data: await read(response, watch.signal), response };
    } finally {
      watch.end();
    }
  }

  #watch({ waitMs = 0 }: Operation, options: CallOptions): Watch {
    const maxRetries = this.retriesOf(options);
    const { timeoutMs } = checkLimits({ timeoutMs: options.timeoutMs ?? this.#settings.timeoutMs, maxRetries });
    return new Watch(timeoutMs + waitMs, options.signal);
  }

  async #send({ method, path, query, body }: Operation, headers: Headers, watch: Watch): Promise<Response> {
    const { signal } = watch;
    const { baseUrl, fetch } = this.#settings;
    const given = await body?.(watch);
    signal.throwIfAborted();
    watch.start();
    return send(baseUrl + path + toSearch(query), { method, headers, signal, fetch, ...given });
  }

  /** What the caller gives counts. The same Idempotency-Key goes with each try, whatever became of the others. */
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

type Read<T> = (response: Response, signal: AbortSignal) => Promise<T>;

async function readJson<T extends object>(response: Response, signal: AbortSignal): Promise<T> {
  const text = await received(response.text(), signal);
  if (!isOfType(response, 'application/json')) throw unreadable();
  return parse<T>(text);
}

/** JSON that holds something. @throws {ConnectionError} for all else */
export function parse<T extends object>(text: string): T {
  try {
    const value = JSON.parse(text);
    if (Object(value) === value) return value;
  } catch {
    // As for a lone number: not what the service says.
  }
  throw unreadable();
}

function isOfType(response: Response, type = ''): boolean {
  return response.headers.get('Content-Type')?.startsWith(type) ?? false;
}

/** A listing's version is its ETag. */
function toEtag(given: number | string): string {
  return typeof given === 'number' ? `"${given}"` : given;
}

/** 128 random bits; `crypto.randomUUID` is not there in pages without HTTPS. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

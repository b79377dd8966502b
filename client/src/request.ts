import { maskKeys } from './api-key.ts';
import { ConnectionError } from './errors.ts';
import { toApiError } from './replies.ts';

export { maskKeys } from './api-key.ts';
export { ApiError, ConnectionError, type FieldFault } from './errors.ts';
export { toApiError } from './replies.ts';
export { pause, retryDelayMs } from './retry.ts';
export { Watch } from './watch.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A parameter: ranges are objects (`beds: { gte: 3 }`), several values an array; what is undefined is not sent. */
export type QueryValue = string | number | boolean | Date | null | undefined | readonly QueryValue[] | QueryRange;

interface QueryRange {
  readonly [operator: string]: QueryValue;
}

export type Query = Readonly<Record<string, QueryValue>>;

/** What `fetch` takes, with its body as it is sent. */
export interface RequestOptions extends RequestInit {
  /** Another one than the platform's. */
  fetch?: Fetch | undefined;
  /** `fetch` asks for it where the body is a stream. */
  duplex?: 'half';
}

/**
 * Sends a request once.
 * @returns the reply, of which only the head has come
 * @throws {ApiError} for every other reply than 2xx
 * @throws {ConnectionError} when no reply came
 * @throws the signal's reason when it is aborted
 */
export async function send(url: string, { fetch: given, ...init }: RequestOptions): Promise<Response> {
  // Called without an object before it: in a browser or an edge worker `fetch` is nobody else's method.
  const fetch = given ?? globalThis.fetch;
  // A redirected POST would come back as a GET; and the key goes nowhere else.
  const sending = async () => fetch(url, { redirect: 'manual', ...init });
  const response = await received(sending(), init.signal);
  if (response.ok) return response;
  throw toApiError(response.status, await received(response.text(), init.signal), response.headers);
}

/** What arrives from the network; or a ConnectionError, or the signal's reason. */
export async function received<T>(arriving: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  try {
    return await arriving;
  } catch (error) {
    signal?.throwIfAborted();
    throw new ConnectionError(`The connection to the service failed (${reasonOf(error)}).`);
  }
}

/** In few words. Nothing else of a foreign error is kept: an own `fetch` may put the request into it, and with it the key. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = Object(error);
  return cause === undefined ? maskKeys(String(code ?? message ?? error)) : reasonOf(cause);
}

/** Parameters with their `?`; nothing where there are none. */
export function toSearch(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) append(search, name, value);
  const text = search.toString();
  return text && `?${text}`;
}

function append(search: URLSearchParams, name: string, value: QueryValue): void {
  if (value === undefined || value === null) return;
  if (isRange(value)) {
    for (const [operator, bound] of Object.entries(value)) append(search, `${name}[${operator}]`, bound);
    return;
  }
  search.append(name, value instanceof Date ? value.toISOString() : String(value));
}

function isRange(value: QueryValue): value is QueryRange {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

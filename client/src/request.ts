import { maskKeys } from './api-key.ts';
import { ConnectionError } from './errors.ts';
import { toApiError } from './replies.ts';

export { maskKeys } from './api-key.ts';
export { ApiError, ConnectionError, type ValidationIssue } from './errors.ts';
export { toApiError } from './replies.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A query parameter. A range is an object (`beds: { gte: 3 }`). Several values are an array, which is sent as
 * a list separated by commas or, for names like `city[]`, as repeated parameters. An empty array is sent as an
 * empty value, which the service rejects. Null and undefined values are not sent.
 */
export type QueryValue = string | number | boolean | Date | null | undefined | readonly QueryValue[] | QueryRange;

interface QueryRange {
  readonly [operator: string]: QueryValue;
}

export type Query = Readonly<Record<string, QueryValue>>;

export interface RequestOptions extends RequestInit {
  /** Replaces the platform's `fetch`. */
  fetch?: Fetch | undefined;
  /** `fetch` requires it if the body is a stream. */
  duplex?: 'half';
}

/**
 * Sends a request once.
 * @returns the response, once its headers have arrived
 * @throws {ApiError} for a response other than 2xx
 * @throws {ConnectionError} if there is no response
 * @throws the signal's reason if it is aborted
 */
export async function send(url: string, { fetch: given, ...init }: RequestOptions): Promise<Response> {
  // Browsers and edge workers throw if `fetch` is called as a method of another object.
  const fetch = given ?? globalThis.fetch;
  // Do not follow redirects: a redirected POST can become a GET, and the key must not go to another host.
  const sending = async () => fetch(url, { redirect: 'manual', ...init });
  const response = await received(sending(), init.signal);
  if (response.ok) return response;
  throw toApiError(response.status, await received(response.text(), init.signal), response.headers);
}

/** Waits for the response or its body, and converts network errors. @throws {ConnectionError} or the signal's reason */
export async function received<T>(arriving: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  try {
    return await arriving;
  } catch (error) {
    signal?.throwIfAborted();
    throw new ConnectionError(`The connection to the service failed (${reasonOf(error)}).`);
  }
}

/** Only the code or message, because a custom `fetch` may attach the request, which contains the key. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = Object(error);
  return cause === undefined ? maskKeys(String(code ?? message ?? error)) : reasonOf(cause);
}

/** The query string with its `?`; empty if there are no parameters. */
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
  if (Array.isArray(value) && value.length > 0 && name.endsWith('[]')) {
    for (const each of value) append(search, name, each);
    return;
  }
  search.append(name, value instanceof Date ? value.toISOString() : String(value));
}

function isRange(value: NonNullable<QueryValue>): value is QueryRange {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}

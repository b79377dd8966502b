import { ApiError, ConnectionError, send as sendOnce, toSearch as writeQuery } from '@property-listings/client/request';
import { shownAccountHeader } from './shown';

export { ApiError, type FieldFault, toApiError } from '@property-listings/client/request';

export type Query = Record<string, string | undefined>;

interface RequestOptions {
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Goes on when the page is closed. */
  keepalive?: boolean;
}

/**
 * Calls the service as the person who is signed in.
 * @returns the reply's JSON, null for 204
 * @throws {ApiError} for every other reply than 2xx, and when there is none
 */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  return JSON.parse(text === '' ? 'null' : text);
}

/** Like `request`, for replies that are not JSON. */
export async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  const { query, body, headers, ...rest } = options;
  const json = body === undefined ? undefined : { 'Content-Type': 'application/json' };
  try {
    return await sendOnce(path + toSearch(query), {
      ...rest,
      method,
      headers: { Accept: 'application/json', ...shownAccountHeader(), ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw error instanceof ConnectionError ? unreachable(UNREACHABLE) : toRefusal(error);
  }
}

const UNREACHABLE = 'The service cannot be reached. Check your connection and try again.';

/** What the service did not answer: as it has no status, it is 0. */
export function unreachable(message: string): ApiError {
  return new ApiError(0, 'unreachable', message);
}

/** Parameters that are there, with their `?`: a field that was left empty asks for nothing. */
export function toSearch(query: Query = {}): string {
  return writeQuery(Object.fromEntries(Object.entries(query).filter(([, value]) => value)));
}

/** Another window of the browser has changed the account; nothing was done. */
export const ACCOUNT_CHANGED = 'account_changed';

let reloadSession = () => {};

/** Called when a reply lets one doubt that the session is what it was. */
export function onSessionDoubt(reload: () => void): void {
  reloadSession = reload;
}

/** What went wrong, as it came; the session is loaded anew if that is why. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof ApiError && (error.status === 401 || error.code === ACCOUNT_CHANGED)) reloadSession();
  return error;
}

import { ApiError, ConnectionError, send as sendOnce, toSearch as writeQuery } from '@property-listings/client/request';
import { shownAccountHeader } from './shown';

export { ApiError, toApiError, type ValidationIssue } from '@property-listings/client/request';

export type Query = Record<string, string | undefined>;
/** An object is sent as `name[member]=value` for each member, even if the value is empty. */
export type UploadQuery = Record<string, string | Record<string, string> | undefined>;

interface RequestOptions {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Completes the request even if the page is closed. */
  keepalive?: boolean;
}

/**
 * Calls the service with the session cookie.
 * @returns the parsed JSON, null for 204
 * @throws {ApiError} for any status other than 2xx, and if the service is unreachable
 */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  return JSON.parse(text === '' ? 'null' : text);
}

/** Like `request`, for responses that are not JSON. */
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
    throw error instanceof ConnectionError ? unreachable(UNREACHABLE) : checkSession(error);
  }
}

export const UNREACHABLE = 'The service can’t be reached. Check your connection and try again.';

/** An error without a response; its status is 0. */
export function unreachable(message: string): ApiError {
  return new ApiError(0, 'unreachable', message);
}

/** Formats the query string, including its `?`. Parameters with empty values are omitted. */
export function toSearch(query: UploadQuery = {}): string {
  return writeQuery(Object.fromEntries(Object.entries(query).filter(([, value]) => value)));
}

/**
 * The error code of a request that was rejected because another window of this browser has switched the
 * account. The request had no effect.
 */
export const ACCOUNT_CHANGED = 'account_changed';

let reloadSession = () => {};

export function onSessionDoubt(reload: () => void): void {
  reloadSession = reload;
}

/** Returns the error. Reloads the session if the error shows that the session has ended or changed. */
export function checkSession(error: unknown): unknown {
  if (error instanceof ApiError && (error.status === 401 || error.code === ACCOUNT_CHANGED)) reloadSession();
  return error;
}

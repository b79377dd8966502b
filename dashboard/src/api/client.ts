import { shownAccountHeader } from './shown';

/** A field that the service refused, with its own words: `field` is a path such as `photos[2].url`. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** What the service answered when it refused, or `status` 0 when it could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly details: FieldFault[];
  /** What the error has besides. */
  readonly members: Record<string, unknown>;

  constructor(
    status: number,
    code: string,
    message: string,
    members: { requestId?: string; details?: FieldFault[]; [name: string]: unknown } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = members.requestId;
    this.details = members.details ?? [];
    this.members = members;
  }
}

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
  const response = await fetch(path + toSearch(query), {
    ...rest,
    method,
    headers: { Accept: 'application/json', ...shownAccountHeader(), ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (rest.signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', 'The service cannot be reached. Check your connection and try again.');
  });
  if (!response.ok) throw toRefusal(response.status, await response.text());
  return response;
}

/** Parameters that are there, with their `?`. */
export function toSearch(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Another window of the browser has changed the account; nothing was done. */
export const ACCOUNT_CHANGED = 'account_changed';

let reloadSession = () => {};

/** Called when a reply lets one doubt that the session is what it was. */
export function onSessionDoubt(reload: () => void): void {
  reloadSession = reload;
}

/** What the service said when it refused; the session is loaded anew if that is why. */
export function toRefusal(status: number, text: string): ApiError {
  const error = toApiError(status, text);
  if (status === 401 || error.code === ACCOUNT_CHANGED) reloadSession();
  return error;
}

/** Reads the one shape that all errors of the service have; a proxy before it has others. */
function toApiError(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text);
    if (typeof error.message === 'string') return new ApiError(status, error.code, error.message, error);
  } catch {
    // Not the service's words.
  }
  return new ApiError(status, 'unexpected', `The service answered with status ${status}. Try again in a moment.`);
}

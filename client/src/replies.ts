import { maskKeys } from './api-key.ts';
import * as classes from './error-codes.ts';
import { ApiError, ConnectionError, type ErrorMembers, NotModifiedError } from './errors.ts';

/** The headers of a response, from `fetch` or elsewhere. */
interface HeaderReader {
  get(name: string): string | null;
}

/** Converts a response other than 2xx to an error. */
export function toApiError(status: number, text: string, headers: HeaderReader): ApiError {
  const waitMs = toMilliseconds(headers.get('Retry-After'));
  const requestId = headers.get('X-Request-Id') ?? undefined;
  if (status === 304) return new NotModifiedError(304, 'not_modified', 'Nothing has changed.', { requestId });
  const error = parseError(maskKeys(text));
  if (error === undefined)
    return new ApiError(status, 'unexpected_reply', foreignResponse(status), { requestId }, waitMs);
  const { code, message, ...members } = error;
  const fullMessage = [message, ...rejectionOf(headers)].join(': ');
  return new (CLASSES[toClassName(code)] ?? ApiError)(status, code, fullMessage, { requestId, ...members }, waitMs);
}

type ErrorClass = new (...given: ConstructorParameters<typeof ApiError>) => ApiError;

/** Codes newer than this client have no class. Other entry points of the package add classes for their own codes. */
export const CLASSES: Record<string, ErrorClass> = { ...classes };

// Bundlers shorten class names, but error names appear in messages.
for (const [name, type] of Object.entries(CLASSES)) type.prototype.name = name;

/** `not_found` → `NotFoundError`, `internal_error` → `InternalError`. */
function toClassName(code: string): string {
  return `_${code.replace(/_error$/, '')}_error`.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The reason for a rejected key, which only the `WWW-Authenticate` header contains (RFC 6750, section 3). */
function rejectionOf(headers: HeaderReader): string[] {
  return /error_description="([^"]+)"/.exec(maskKeys(headers.get('WWW-Authenticate') ?? ''))?.slice(1) ?? [];
}

/** Accepts only the service's error format. Errors from a proxy have a different format. */
function parseError(text: string): (ErrorMembers & { code: string; message: string }) | undefined {
  try {
    const { error } = JSON.parse(text);
    const texts = [error, ...(error.details ?? [])].flatMap(({ code, message }) => [code, message]);
    return texts.every((text) => typeof text === 'string') ? error : undefined;
  } catch {
    return undefined;
  }
}

function foreignResponse(status: number): string {
  if (status >= 500) return `The service or a proxy returned ${status}. Try again.`;
  return `The response with status ${status} did not come from the service. Check the base URL and any proxy.`;
}

/** Parses `Retry-After`, which is a number of seconds or a date (RFC 9110, section 10.2.3). */
function toMilliseconds(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = Number(retryAfter);
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** The error for a 2xx response that is incomplete or did not come from the service. */
export function unreadable(): ConnectionError {
  return new ConnectionError('The response is incomplete or did not come from the service.');
}

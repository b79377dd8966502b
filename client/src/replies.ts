import { maskKeys } from './api-key.ts';
import * as classes from './error-codes.ts';
import { ApiError, ConnectionError, type ErrorMembers, NotModifiedError } from './errors.ts';

/** The headers of a reply, however it came. */
interface HeaderReader {
  get(name: string): string | null;
}

/** The error that a reply other than 2xx is. */
export function toApiError(status: number, text: string, headers: HeaderReader): ApiError {
  const waitMs = toMilliseconds(headers.get('Retry-After'));
  const requestId = headers.get('X-Request-Id') ?? undefined;
  if (status === 304) return new NotModifiedError(304, 'not_modified', 'Nothing has changed.', { requestId });
  const error = parseError(maskKeys(text));
  if (error === undefined) return new ApiError(status, 'unexpected_reply', foreignReply(status), { requestId }, waitMs);
  const { code, message, ...members } = error;
  const words = [message, ...refusalOf(headers)].join(': ');
  return new (CLASSES[toClassName(code)] ?? ApiError)(status, code, words, { requestId, ...members }, waitMs);
}

type ErrorClass = new (...given: ConstructorParameters<typeof ApiError>) => ApiError;

/** A code that is newer than this client has none. */
const CLASSES: Readonly<Record<string, ErrorClass>> = classes;

// A bundler may shorten the names of classes; those of errors are shown.
for (const [name, type] of Object.entries(CLASSES)) type.prototype.name = name;

/** `not_found` → `NotFoundError`, `internal_error` → `InternalError`. */
function toClassName(code: string): string {
  return `_${code.replace(/_error$/, '')}_error`.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Why a key was refused: only this header tells (RFC 6750 §3). */
function refusalOf(headers: HeaderReader): string[] {
  return /error_description="([^"]+)"/.exec(maskKeys(headers.get('WWW-Authenticate') ?? ''))?.slice(1) ?? [];
}

/** The one shape that errors of the service have; a proxy before it has others. */
function parseError(text: string): (ErrorMembers & { code: string; message: string }) | undefined {
  try {
    const { error } = JSON.parse(text);
    const texts = [error, ...(error.details ?? [])].flatMap(({ code, message }) => [code, message]);
    return texts.every((text) => typeof text === 'string') ? error : undefined;
  } catch {
    return undefined;
  }
}

function foreignReply(status: number): string {
  if (status >= 500) return `The service answered with status ${status}. Try again in a moment.`;
  return `Status ${status} did not come from the service itself: look at the base URL, and at what is between.`;
}

/** Of `Retry-After`: seconds, or a time (RFC 9110 §10.2.3). */
function toMilliseconds(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = Number(retryAfter);
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** A reply of 2xx that the service does not give: garbage, or of somebody else. */
export function unreadable(): ConnectionError {
  return new ConnectionError('The reply cannot be read: it was changed on the way, or is not one of the service.');
}

import type { ErrorCode } from './types.ts';

/** The base class of the client's errors; `code` is a stable identifier. */
export class PropertyListingsError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** An option of the client or of a call is missing or invalid. The message never contains the API key. */
export class ConfigurationError extends PropertyListingsError {
  constructor(message: string) {
    super('invalid_configuration', message);
  }
}

/** The service is unreachable, the connection was lost, or the response is incomplete or not from the service. */
export class ConnectionError extends PropertyListingsError {
  constructor(message: string, options?: ErrorOptions & { code?: string }) {
    super(options?.code ?? 'connection_failed', message, options);
  }
}

/** The service sent nothing for `timeoutMs`. This is not the DOMException `TimeoutError` of `AbortSignal.timeout`. */
export class TimeoutError extends ConnectionError {
  constructor(timeoutMs: number) {
    super(`The service sent nothing for ${timeoutMs} ms. Retry, or increase timeoutMs.`, { code: 'timeout' });
  }
}

/** A list was cut off after some of its listings were yielded, and could not be resumed. */
export class ListCutError extends ConnectionError {
  constructor(count: number, options?: ErrorOptions) {
    const remedy = 'Request it again, or in pages: list(…).pages().';
    super(`The list was cut off after ${count} listings. ${remedy}`, {
      ...options,
      code: 'list_cut',
    });
  }
}

/**
 * An invalid field, identified by its path, such as `photos[2].url` or `query.limit`. In an import, `line` is
 * the line on which the row begins or, in a JSON array, the number of the row.
 */
export interface ValidationIssue {
  field: string;
  code: string;
  message: string;
  line?: number;
}

/** The members of an error response besides its code and message. */
export interface ErrorMembers {
  requestId?: string | undefined;
  details?: ValidationIssue[] | undefined;
  [name: string]: unknown;
}

/** The maximum number of issues in an error message. `details` can contain more. */
const ISSUES_MAX = 5;

/** A response other than 2xx. Most known codes have a subclass. The message names the first invalid fields. */
export class ApiError<Code extends string = ErrorCode | (string & {})> extends PropertyListingsError {
  declare readonly code: Code;
  readonly status: number;
  /** The message without the invalid fields, to display together with `details`. */
  readonly summary: string;
  /** Identifies the request in the service's logs; include it when you report a problem. */
  readonly requestId: string | undefined;
  /** The invalid fields, if any; the service reports at most 100. */
  readonly details: ValidationIssue[];
  /** All other members of the error, such as `currentVersion` or `listingId`. */
  readonly members: Record<string, unknown>;
  /** How long the service asks the client to wait before a retry. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, members: ErrorMembers = {}, retryAfterMs?: number) {
    const { requestId, details, ...others } = members;
    super(code, withIssues(message, details));
    this.summary = message;
    this.status = status;
    this.requestId = requestId;
    this.details = details ?? [];
    this.members = others;
    this.retryAfterMs = retryAfterMs;
  }
}

function withIssues(summary: string, details: ValidationIssue[] = []): string {
  // If there is only one issue, the summary is its message.
  const issues = details.filter(({ message }) => !summary.includes(message));
  const shown = issues.slice(0, ISSUES_MAX).map(({ line, field, message }) => {
    return `${line === undefined ? '' : `line ${line}: `}${field}: ${message}`;
  });
  if (issues.length > ISSUES_MAX) shown.push(`And ${issues.length - ISSUES_MAX} more.`);
  return [summary, ...shown].join(' ');
}

/** The response was 304, because the version or ETag in `ifNoneMatch` is still current. */
export class NotModifiedError extends ApiError<'not_modified'> {}

// Bundlers shorten class names, but error names appear in messages.
PropertyListingsError.prototype.name = 'PropertyListingsError';
ConfigurationError.prototype.name = 'ConfigurationError';
ConnectionError.prototype.name = 'ConnectionError';
TimeoutError.prototype.name = 'TimeoutError';
ListCutError.prototype.name = 'ListCutError';
ApiError.prototype.name = 'ApiError';
NotModifiedError.prototype.name = 'NotModifiedError';

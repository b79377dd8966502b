import type { ErrorCode } from './types.ts';

/** Whatever this client throws by itself; `code` says in a word what happened. */
export class PropertyListingsError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The client cannot be made like this. The message never holds the key. */
export class ConfigurationError extends PropertyListingsError {
  constructor(message: string) {
    super('invalid_configuration', message);
  }
}

/** No whole reply came: not reached, cut, or the answer of something else than the service. */
export class ConnectionError extends PropertyListingsError {
  constructor(message: string, options?: ErrorOptions & { code?: string }) {
    super(options?.code ?? 'connection_failed', message, options);
  }
}

/** Nothing came for as long as `timeoutMs` says. What `AbortSignal.timeout` throws has this name, too, but is a DOMException. */
export class TimeoutError extends ConnectionError {
  constructor(timeoutMs: number) {
    super(`The service was silent for ${timeoutMs} ms. Try again, or raise timeoutMs.`, { code: 'timeout' });
  }
}

/** A list was cut after some of it had been given, and cannot be taken up where it ended. */
export class ListCutError extends ConnectionError {
  constructor(count: number, options?: ErrorOptions) {
    const remedy = 'Ask for it again, or for its pages: list(…).pages().';
    super(`The list was cut after ${count} listings: the rest is missing. ${remedy}`, { ...options, code: 'list_cut' });
  }
}

/** One fault of a field, with its path (`photos[2].url`, `query.limit`); in an import with the row's line. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
  line?: number;
}

/** What an error reply says besides its code and message. */
export interface ErrorMembers {
  requestId?: string | undefined;
  details?: FieldFault[] | undefined;
  [name: string]: unknown;
}

/** So many fields are named in an error's message; all are in its details. */
const FAULTS_MAX = 5;

/** The service refused. Each of its codes has a class of its own. The message names the fields at fault, the first of them. */
export class ApiError<Code extends string = ErrorCode | (string & {})> extends PropertyListingsError {
  declare readonly code: Code;
  readonly status: number;
  /** The message without the fields, for whoever shows `details` beside it. */
  readonly summary: string;
  /** To be named when asking for help. */
  readonly requestId: string | undefined;
  /** All fields at fault, if fields are. */
  readonly details: FieldFault[];
  /** What the error has besides, such as `currentVersion` or `listingId`. */
  readonly members: Record<string, unknown>;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, members: ErrorMembers = {}, retryAfterMs?: number) {
    const { requestId, details, ...others } = members;
    super(code, withFaults(message, details));
    this.summary = message;
    this.status = status;
    this.requestId = requestId;
    this.details = details ?? [];
    this.members = others;
    this.retryAfterMs = retryAfterMs;
  }
}

function withFaults(summary: string, details: FieldFault[] = []): string {
  // One fault may be the message already.
  const faults = details.filter(({ message }) => !summary.includes(message));
  const told = faults.slice(0, FAULTS_MAX).map(({ line, field, message }) => {
    return `${line === undefined ? '' : `line ${line}: `}${field}: ${message}`;
  });
  if (faults.length > FAULTS_MAX) told.push(`And ${faults.length - FAULTS_MAX} more.`);
  return [summary, ...told].join(' ');
}

/** What was asked for is as it was: `ifNoneMatch` matched. */
export class NotModifiedError extends ApiError<'not_modified'> {}

// A bundler may shorten the names of classes; those of errors are shown.
PropertyListingsError.prototype.name = 'PropertyListingsError';
ConfigurationError.prototype.name = 'ConfigurationError';
ConnectionError.prototype.name = 'ConnectionError';
TimeoutError.prototype.name = 'TimeoutError';
ListCutError.prototype.name = 'ListCutError';
ApiError.prototype.name = 'ApiError';
NotModifiedError.prototype.name = 'NotModifiedError';

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

/** Nothing came for as long as `timeoutMs` says. */
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

/** The service refused. Each of its codes has a class of its own. */
export class ApiError<Code extends string = string> extends PropertyListingsError {
  declare readonly code: Code;
  readonly status: number;
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
    super(code, message);
    this.status = status;
    this.requestId = requestId;
    this.details = details ?? [];
    this.members = others;
    this.retryAfterMs = retryAfterMs;
  }
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

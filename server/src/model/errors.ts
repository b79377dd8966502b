export const ERROR_CODES = [
  'invalid_json',
  'invalid_query',
  'unknown_parameter',
  'invalid_cursor',
  'invalid_idempotency_key',
  'invalid_header',
  'unauthorized',
  'insufficient_scope',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'external_id_taken',
  'belongs_to_feed',
  'feed_guard',
  'feed_busy',
  'account_changed',
  'conflict',
  'events_expired',
  'version_mismatch',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_key_reused',
  'import_failed',
  'rate_limited',
  'too_many_imports',
  'headers_too_large',
  'http_version_not_supported',
  'internal_error',
  'unavailable',
  'outcome_unknown',
  'storage_full',
  'quota_exceeded',
] as const;

/** The message of every `unauthorized` error about an API key. These errors share one precomputed response body. */
export const INVALID_KEY = 'Invalid or missing API key';

export type ErrorCode = (typeof ERROR_CODES)[number];

export type FieldCode =
  | 'required'
  | 'invalid_type'
  | 'not_an_integer'
  | 'out_of_range'
  | 'blank'
  | 'too_long'
  | 'invalid_choice'
  | 'invalid_format'
  | 'unknown_field'
  | 'read_only'
  | 'inconsistent'
  | 'duplicate';

/** An invalid field; `field` is a path such as `photos[2].url` or `query.limit`. */
export interface ValidationIssue {
  field: string;
  code: FieldCode;
  message: string;
}

/** An issue in a row of a file. If its `code` is an `ErrorCode`, the issue concerns the whole row. */
export interface RowIssue extends Omit<ValidationIssue, 'code'> {
  line: number;
  code: FieldCode | ErrorCode;
}

export interface AppErrorOptions {
  details?: (ValidationIssue | RowIssue)[] | undefined;
  /** Additional members of the error object, such as `offset` or `listingId`. */
  members?: Record<string, unknown>;
  /** Additional response headers, such as `Allow`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An error with a message for the client, which says what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: (ValidationIssue | RowIssue)[] | undefined;
  readonly members: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    // A stack trace takes 0.1 ms, and a file can have 100,000 invalid rows.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = options.details;
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }

  /** Returns a copy with additional members, which do not replace existing ones. */
  with(members: Record<string, unknown>): AppError {
    const { code, message, details, headers, cause } = this;
    return new AppError(code, message, { details, members: { ...members, ...this.members }, headers, cause });
  }
}

/** Returns the result of `work`, or the `AppError` that it throws. */
export function attempt<T>(work: () => T): T | AppError {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** An error as plain data for another thread, because a cloned `Error` loses its code and other members. */
export type PlainError = Pick<AppError, 'code' | 'message' | 'details' | 'members' | 'headers'>;

export function toPlainError({ code, message, details, members, headers }: AppError): PlainError {
  return { code, message, details, members, headers };
}

export function fromPlainError({ code, message, ...options }: PlainError): AppError {
  return new AppError(code, message, options);
}

import { ApiError } from './errors.ts';

// One class per error code, except those of feeds. `toApiError` finds the class by its name.
export class InvalidJsonError extends ApiError<'invalid_json'> {}
export class InvalidQueryError extends ApiError<'invalid_query'> {}
export class UnknownParameterError extends ApiError<'unknown_parameter'> {}
export class InvalidCursorError extends ApiError<'invalid_cursor'> {}
export class InvalidIdempotencyKeyError extends ApiError<'invalid_idempotency_key'> {}
export class InvalidHeaderError extends ApiError<'invalid_header'> {}
export class UnauthorizedError extends ApiError<'unauthorized'> {}
export class InsufficientScopeError extends ApiError<'insufficient_scope'> {}
export class ForbiddenError extends ApiError<'forbidden'> {}
export class NotFoundError extends ApiError<'not_found'> {}
export class MethodNotAllowedError extends ApiError<'method_not_allowed'> {}
export class NotAcceptableError extends ApiError<'not_acceptable'> {}
export class RequestTimeoutError extends ApiError<'request_timeout'> {}
export class ExternalIdTakenError extends ApiError<'external_id_taken'> {
  declare readonly members: { listingId: string };
  /** The listing that has the external ID. */
  get listingId(): string {
    return this.members.listingId;
  }
}
export class AccountChangedError extends ApiError<'account_changed'> {}
export class ConflictError extends ApiError<'conflict'> {}
export class EventsExpiredError extends ApiError<'events_expired'> {}
export class VersionMismatchError extends ApiError<'version_mismatch'> {
  declare readonly members: { currentVersion: number | null };
  /** Null if the listing does not exist. */
  get currentVersion(): number | null {
    return this.members.currentVersion;
  }
}
export class PreconditionFailedError extends ApiError<'precondition_failed'> {}
export class PayloadTooLargeError extends ApiError<'payload_too_large'> {}
export class UnsupportedMediaTypeError extends ApiError<'unsupported_media_type'> {}
export class ValidationFailedError extends ApiError<'validation_failed'> {}
export class IdempotencyKeyReusedError extends ApiError<'idempotency_key_reused'> {}
export class ImportFailedError extends ApiError<'import_failed'> {}
export class RateLimitedError extends ApiError<'rate_limited'> {}
export class TooManyImportsError extends ApiError<'too_many_imports'> {}
export class HeadersTooLargeError extends ApiError<'headers_too_large'> {}
export class HttpVersionNotSupportedError extends ApiError<'http_version_not_supported'> {}
export class InternalError extends ApiError<'internal_error'> {}
export class UnavailableError extends ApiError<'unavailable'> {}
export class OutcomeUnknownError extends ApiError<'outcome_unknown'> {}
export class StorageFullError extends ApiError<'storage_full'> {}
export class QuotaExceededError extends ApiError<'quota_exceeded'> {}

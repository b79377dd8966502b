import type { ErrorCode } from '../model/errors.ts';

/** The one table of error codes and their statuses. */
export const STATUS_OF_CODE = {
  invalid_json: 400,
  invalid_query: 400,
  unknown_parameter: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  invalid_header: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  idempotency_in_progress: 409,
  external_id_taken: 409,
  events_expired: 410,
  version_mismatch: 412,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  idempotency_key_reused: 422,
  import_failed: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
  outcome_unknown: 503,
  storage_full: 507,
} as const satisfies Record<ErrorCode, number>;

/** The whole body of a 401: fixed by the specification, without anything of the request. */
export const UNAUTHORIZED_BODY = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';

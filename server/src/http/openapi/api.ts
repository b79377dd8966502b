import type { ErrorCode } from '../../model/errors.ts';
import type { ErrorExample } from '../contract/errors/entry.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { RequestHeader } from '../contract/request-headers.ts';

/** Errors of every operation of both APIs. */
export const COMMON_ERRORS: ErrorCode[] = [
  'unknown_parameter',
  'not_acceptable',
  'headers_too_large',
  'internal_error',
  'unavailable',
];

/** The description of an API, except for its operations. */
export interface ApiDescription {
  base: string;
  title: string;
  /** Markdown. */
  introduction: string;
  securitySchemes: Record<string, object>;
  /** The headers that every response to an authenticated request can have. */
  replyHeaders: readonly string[];
  /** The headers that an operation reads in addition to its `requestHeaders`. */
  requestHeadersOf(operation: AnyOperation): RequestHeader[];
  errorsOf(operation: AnyOperation): ErrorCode[];
  /** Examples of errors whose messages differ in this API. */
  errorExamples: Partial<Record<ErrorCode, ErrorExample>>;
}

export interface Api extends ApiDescription {
  /** In the order in which the reference lists them. */
  operations: readonly AnyOperation[];
}

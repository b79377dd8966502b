import type { ErrorCode } from '../../model/errors.ts';
import type { ErrorExample } from '../contract/errors/entry.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { RequestHeader } from '../contract/request-headers.ts';

/** An API as its document introduces it. */
export interface ApiDescription {
  /** The path that its operations stand below. */
  base: string;
  title: string;
  /** What holds for all operations; Markdown. */
  introduction: string;
  /** How callers say who they are. */
  securitySchemes: Record<string, object>;
  /** What every reply to somebody who was let in has. */
  replyHeaders: readonly string[];
  /** The headers that an operation reads besides its own. */
  requestHeadersOf(operation: AnyOperation): RequestHeader[];
  /** The codes that an operation can answer with. */
  errorsOf(operation: AnyOperation): ErrorCode[];
  /** What those say here that say something else in another API. */
  errorExamples: Partial<Record<ErrorCode, ErrorExample>>;
}

export interface Api extends ApiDescription {
  /** In the order of the reference. */
  operations: readonly AnyOperation[];
}

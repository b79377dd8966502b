import type { ErrorCode } from '../../model/errors.ts';
import type { ErrorExample } from '../contract/errors/entry.ts';
import type { Operation } from '../contract/operation.ts';
import type { RequestHeader } from '../contract/request-headers.ts';

/** One of the service's APIs: all that stands below a path, and what its document says of it. */
export interface Api {
  /** The path that its operations stand below. */
  base: string;
  title: string;
  /** What holds for all operations; Markdown. */
  introduction: string;
  /** In the order of the reference. */
  operations: readonly Operation[];
  /** How callers say who they are. */
  securitySchemes: Record<string, object>;
  /** What every reply to somebody who was let in has. */
  replyHeaders: readonly string[];
  /** The headers that an operation reads besides its own. */
  requestHeadersOf(operation: Operation): RequestHeader[];
  /** The codes that an operation can answer with. */
  errorsOf(operation: Operation): ErrorCode[];
  /** What those say here that say something else in another API. */
  errorExamples: Partial<Record<ErrorCode, ErrorExample>>;
}

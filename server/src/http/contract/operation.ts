import type { z } from 'zod';
import type { ErrorCode } from '../../model/errors.ts';
import type { ErrorExample } from './errors/entry.ts';
import type { RequestHeader } from './request-headers.ts';
import type { noQuery, Partners, QuerySchema } from './schemas/query.ts';

export interface OperationReply {
  status: number;
  description: string;
  schema?: z.ZodType;
  example?: unknown;
  /** The descriptions of headers, by their names. */
  headers?: Record<string, string>;
  /** The same response in media types other than JSON. */
  media?: Record<string, OperationMedia>;
}

export interface OperationMedia {
  schema: z.ZodType;
  example: unknown;
}

export const LISTING_BYTES_MAX = 1024 * 1024;
/**
 * The maximum for bodies other than listings and files. It has room for the ids of 400 listings (13 KB), which the
 * dashboard can delete at once. Checking 16 KiB takes less than a millisecond, which matters because some operations
 * do not require authentication.
 */
export const INPUT_BYTES_MAX = 16 * 1024;

export interface OperationBody {
  /** The accepted media types, the preferred one first. */
  types: readonly string[];
  encodings?: readonly string[];
  /** Default: `INPUT_BYTES_MAX`. */
  bytesMax?: number;
  schema: z.ZodType;
  example: unknown;
  /** An example for each media type that is not JSON. */
  texts?: Record<string, string>;
}

/**
 * The callers that an operation admits:
 * - `account`: keys and members of the account
 * - `full`: keys with full access, and administrators
 * - `key`, `member`, `administrator`: only these
 * - `user`: signed-in users, even without an account
 * - `anyone`: also requests without authentication
 */
export type Caller = 'account' | 'full' | 'key' | 'member' | 'administrator' | 'user' | 'anyone';

/** A method of a path. It describes the checks before the handler runs, and the entry in the OpenAPI document. */
export interface Operation<C extends Caller, S extends QuerySchema = typeof noQuery> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path below the API's base path, with parameters in braces. */
  path: string;
  operationId: string;
  caller: C;
  summary: string;
  description: string;
  /** Default: no parameters. */
  query?: S;
  partners?: Partners;
  /** The request headers in addition to those of every operation. */
  requestHeaders?: readonly RequestHeader[];
  body?: OperationBody;
  /** The media types of the response, JSON first; undefined for JSON only. */
  types?: readonly string[];
  replies: OperationReply[];
  /** The error codes in addition to those of every operation. */
  errors: ErrorCode[];
  /** Examples of errors whose messages differ for this operation. */
  errorExamples?: Partial<Record<ErrorCode, ErrorExample>>;
}

export type AnyOperation = Operation<Caller, QuerySchema>;

/** Declares an operation. Without `errors`, it has only those of every operation. */
export function operation<C extends Caller, S extends QuerySchema = typeof noQuery>(
  caller: C,
  method: AnyOperation['method'],
  path: string,
  rest: Omit<Operation<C, S>, 'caller' | 'method' | 'path' | 'errors'> & { errors?: ErrorCode[] },
): Operation<C, S> {
  return { caller, method, path, errors: [], ...rest };
}

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
  /** Name → description. */
  headers?: Record<string, string>;
  /** How it looks as other media types than JSON. */
  media?: Record<string, OperationMedia>;
}

export interface OperationMedia {
  schema: z.ZodType;
  example: unknown;
}

export interface OperationBody {
  /** The media types it takes, the best first. */
  types: readonly string[];
  /** In which ways it may be packed. */
  encodings?: readonly string[];
  schema: z.ZodType;
  example: unknown;
  /** Of the types that are not JSON: an example of each, which is text. */
  texts?: Record<string, string>;
}

/**
 * Who may call an operation: an account, by one of its keys or members; only keys; only members; only administrators of the
 * account; any user who is signed in, with or without an account; anyone at all.
 */
export type Caller = 'account' | 'key' | 'member' | 'administrator' | 'user' | 'anyone';

/** One method of one path: what is checked before its handler runs, and what the OpenAPI document says of it. */
export interface Operation<C extends Caller, S extends QuerySchema = typeof noQuery> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the base of its mount, parameters in braces. */
  path: string;
  operationId: string;
  caller: C;
  summary: string;
  description: string;
  query: S;
  /** Parameters of which one means nothing without the other. */
  partners?: Partners;
  /** The headers it reads besides those that every operation does. */
  requestHeaders?: readonly RequestHeader[];
  body?: OperationBody;
  /** The media types of its reply if it has more than JSON; JSON is the first. */
  types?: readonly string[];
  replies: OperationReply[];
  /** The codes it can answer with besides those that every operation can. */
  errors: ErrorCode[];
  /** What those say here that say something else elsewhere. */
  errorExamples?: Partial<Record<ErrorCode, ErrorExample>>;
}

export type AnyOperation = Operation<Caller, QuerySchema>;

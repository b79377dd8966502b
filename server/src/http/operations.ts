import type { z } from 'zod';
import type { Holder } from '../domain/holders.ts';
import { requireRole } from '../domain/managers.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { ErrorExample } from './errors/entry.ts';
import { type Admitted, type Exchange, hasSession } from './exchange.ts';
import { negotiateType, requireBodyType } from './negotiate.ts';
import type { RequestHeader } from './openapi/request-headers.ts';
import { JSON_TYPE, type Reply } from './reply.ts';
import type { Routes } from './routes.ts';
import { type Partners, type QuerySchema, queryReader } from './schemas/query.ts';

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

/** One method of one path: what is checked before its handler runs, and what the OpenAPI document says of it. */
export interface Operation<S extends QuerySchema = QuerySchema> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the base of its mount, parameters in braces. */
  path: string;
  operationId: string;
  /** Who may call it: everybody of the account if it is left out. */
  role?: 'administrator';
  /** If it belongs to no account: who may call it, whoever is signed in or really anybody. */
  caller?: 'person' | 'anybody';
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

/** Where operations are to be had, and by whom. */
export interface Mount<H extends Holder | undefined = Holder> {
  routes: Routes;
  /** The path that they stand below. */
  base: string;
  admits(exchange: Exchange): exchange is Admitted<H>;
}

/** Gives an operation its handler; the checks come in the order of the contract's §1. */
export function addOperation<S extends QuerySchema, H extends Holder | undefined>(
  { routes, base, admits }: Mount<H>,
  operation: Operation<S>,
  handler: (
    exchange: Admitted<H>,
    query: Readonly<z.output<S>>,
    parameters: Record<string, string>,
    mediaType: string,
  ) => Promise<Reply>,
): void {
  const { types = [JSON_TYPE] } = operation;
  const readQuery = queryReader(operation.query, operation.partners);
  routes.add(operation.method.toUpperCase(), base + operation.path, (exchange, parameters) => {
    if (!admits(exchange)) throw new Error(`${operation.operationId} was reached by nobody who was let in`);
    if (operation.role !== undefined && hasSession(exchange)) requireRole(exchange.holder.person);
    const mediaType = negotiateType(exchange.incoming.headers, types);
    if (operation.body !== undefined)
      requireBodyType(exchange.incoming, operation.body.types, operation.body.encodings);
    return handler(exchange, readQuery(exchange.query), parameters, mediaType);
  });
}

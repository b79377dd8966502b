import type { z } from 'zod';
import type { ErrorCode } from '../model/errors.ts';
import { hasKey, type KeyedExchange } from './exchange.ts';
import { requireBodyType, requireJsonAccepted } from './negotiate.ts';
import type { Reply } from './reply.ts';
import type { Routes } from './routes.ts';
import { parseQuery, type QuerySchema } from './schemas/query.ts';

export interface OperationReply {
  status: number;
  description: string;
  schema?: z.ZodType;
  example?: unknown;
  /** Name → description. */
  headers?: Record<string, string>;
}

/** One method of one path: what is checked before its handler runs, and what the OpenAPI document says of it. */
export interface Operation<S extends QuerySchema = QuerySchema> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/v1`, parameters in braces. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  query: S;
  /** The media types it takes, the best first. */
  body?: { types: readonly string[]; schema: z.ZodType; example: unknown };
  replies: OperationReply[];
  /** The codes it can answer with besides those that every operation can. */
  errors: ErrorCode[];
}

/** Gives an operation its handler; the checks come in the order of the contract's §1. */
export function addOperation<S extends QuerySchema>(
  routes: Routes,
  operation: Operation<S>,
  handler: (exchange: KeyedExchange, query: z.output<S>, parameters: Record<string, string>) => Promise<Reply>,
): void {
  routes.add(operation.method.toUpperCase(), `/v1${operation.path}`, (exchange, parameters) => {
    if (!hasKey(exchange)) throw new Error(`${operation.operationId} was reached without a key`);
    requireJsonAccepted(exchange.incoming.headers);
    if (operation.body !== undefined) requireBodyType(exchange.incoming, operation.body.types);
    return handler(exchange, parseQuery(exchange.query, operation.query), parameters);
  });
}

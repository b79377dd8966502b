import type { z } from 'zod';
import { AppError, type ErrorCode } from '../model/errors.ts';
import type { App } from './app.ts';
import { requireJsonAccepted, requireJsonBody } from './negotiate.ts';
import type { AppContext } from './reply.ts';
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
  method: 'get' | 'post';
  /** Below `/v1`, parameters in braces. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  query: S;
  body?: { schema: z.ZodType; example: unknown };
  replies: OperationReply[];
  /** The codes it can answer with besides those that every operation can. */
  errors: ErrorCode[];
}

/** Gives an operation its handler; the checks come in the order of the contract's §1. */
export function mount<S extends QuerySchema>(
  app: App,
  operation: Operation<S>,
  handler: (c: AppContext, query: z.output<S>) => Response | Promise<Response>,
): void {
  const route = `/v1${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  app.on(operation.method, route, (c) => {
    requireJsonAccepted(c);
    if (operation.body !== undefined) requireJsonBody(c);
    return handler(c, parseQuery(c.req.url, operation.query));
  });
}

/** Answers 405 on every path that has a route, for the methods it has none for. Call it after all routes. */
export function refuseOtherMethods(app: App): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const known = methods.get(path) ?? new Set();
    known.add(method);
    if (method === 'GET') known.add('HEAD');
    methods.set(path, known);
  }
  for (const [path, known] of methods) {
    const allow = [...known].sort().join(', ');
    app.all(path, () => {
      throw new AppError('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
    });
  }
}

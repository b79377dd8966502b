import type { z } from 'zod';
import type { Principal } from '../../domain/principals.ts';
import { requireRole } from '../../domain/roles.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import type { Operation } from '../contract/operation.ts';
import { type QuerySchema, queryReader } from '../contract/schemas/query.ts';
import { type Admitted, type Exchange, hasSession } from './exchange.ts';
import { negotiateType, requireBodyType } from './negotiate.ts';
import type { Reply } from './reply.ts';
import type { Routes } from './router.ts';

/** Where operations are to be had, and by whom. */
export interface Mount<H extends Principal | undefined = Principal> {
  routes: Routes;
  /** The path that they stand below. */
  base: string;
  admits(exchange: Exchange): exchange is Admitted<H>;
}

/** Gives an operation its handler; the checks come in the order of the contract's §1. */
export function addOperation<S extends QuerySchema, H extends Principal | undefined>(
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
    if (operation.role !== undefined && hasSession(exchange)) requireRole(exchange.principal.user);
    const mediaType = negotiateType(exchange.incoming.headers, types);
    if (operation.body !== undefined)
      requireBodyType(exchange.incoming, operation.body.types, operation.body.encodings);
    return handler(exchange, readQuery(exchange.query), parameters, mediaType);
  });
}

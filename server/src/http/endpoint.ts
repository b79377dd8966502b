import type { z } from 'zod';
import type { Principal, SessionPrincipal } from '../domain/access/principals.ts';
import type { KeyPrincipal } from '../storage/api-keys.ts';
import { JSON_TYPE } from './contract/media-types.ts';
import type { Caller, Operation } from './contract/operation.ts';
import { type noQuery, type QuerySchema, queryReader } from './contract/schemas/query.ts';
import type { UserExchange } from './identity/sessions.ts';
import type { Api } from './openapi/api.ts';
import type { Admitted, Exchange } from './protocol/exchange.ts';
import { negotiateType, requireBodyType } from './protocol/negotiate.ts';
import type { Reply } from './protocol/reply.ts';
import type { Services } from './services.ts';

/** The exchange that a handler receives, by caller. */
interface Exchanges {
  account: Admitted<Principal>;
  /** On `/v1`, the key can be read-only: the handler requires full access, after it has parsed any body. */
  full: Admitted<Principal>;
  key: Admitted<KeyPrincipal>;
  member: Admitted<SessionPrincipal>;
  administrator: Admitted<SessionPrincipal>;
  user: UserExchange;
  anyone: Exchange;
}

type Authenticators<C extends Caller> = {
  [K in C]: (exchange: Exchange, services: Services) => Promise<Exchanges[K]>;
};

export interface Call<S extends QuerySchema = typeof noQuery> {
  query: Readonly<z.output<S>>;
  parameters: Record<string, string>;
  /** The negotiated media type of the response. */
  mediaType: string;
  base: string;
  services: Services;
}

export interface Endpoint<C extends Caller> {
  operation: Operation<C, QuerySchema>;
  /** Checks the credentials, `Accept`, `Content-Type`, and the query, in this order, then calls the handler. */
  serve(
    exchange: Exchange,
    call: Pick<Call, 'parameters' | 'services'>,
    api: { base: string; authenticators: Authenticators<C> },
  ): Promise<Reply>;
}

export function endpoint<C extends Caller, S extends QuerySchema>(
  operation: Operation<C, S>,
  handle: (exchange: Exchanges[C], call: Call<S>) => Promise<Reply>,
): Endpoint<C> {
  const { types = [JSON_TYPE], body } = operation;
  const readQuery = queryReader(operation.query, operation.partners);
  return {
    operation,
    async serve(exchange, { parameters, services }, { base, authenticators }) {
      const admitted = await authenticators[operation.caller](exchange, services);
      const mediaType = negotiateType(exchange.incoming.headers, types);
      if (body !== undefined) requireBodyType(exchange.incoming, body.types, body.encodings);
      return handle(admitted, { query: readQuery(exchange.query), parameters, mediaType, base, services });
    },
  };
}

/** An API's authentication and headers. */
export interface ApiAccess {
  base: string;
  authenticators: Authenticators<'account' | 'anyone'>;
  /** Below this path, an unknown path gets 404 even without a session, for users who are signing in. */
  openBelow?: string;
  /** Headers of every response, including errors. */
  headers?: Record<string, string>;
  /** A cheap check of the credentials, for use while the service is overloaded. @throws {AppError} `unauthorized` */
  requireLikelyCaller?(exchange: Exchange, services: Services): Promise<void>;
}

export interface ServedApi<C extends Caller> extends Api, ApiAccess {
  authenticators: Authenticators<C | 'account' | 'anyone'>;
  endpoints: readonly Endpoint<C>[];
}

import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { clientAddress, type TrustedProxies } from '../client-address.ts';
import type { AppEnv } from '../reply.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives each request its id, and one log line when its reply is out: never a key, a query or a body. */
export function logRequests(logger: Logger, trustedProxies: TrustedProxies): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    const { incoming, outgoing } = c.env;
    const startTimeMs = performance.now();
    const given = incoming.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    c.set('requestId', requestId);
    const { method } = c.req;
    const address = clientAddress(incoming, trustedProxies);
    outgoing.on('close', () => {
      const holder = c.get('holder');
      logger.info(
        {
          requestId,
          method,
          path: c.req.path,
          status: outgoing.statusCode,
          durationMs: Math.round((performance.now() - startTimeMs) * 100) / 100,
          address,
          accountId: holder?.accountId,
          keyId: holder?.keyId,
          aborted: outgoing.writableFinished ? undefined : true,
        },
        'request',
      );
    });
    return next();
  };
}

import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { Log } from '../../lib/log.ts';
import type { KeyHolder } from '../../storage/api-keys.ts';
import { clientAddress, type TrustedProxies } from '../client-address.ts';
import type { AppContext, AppEnv } from '../reply.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives each request its id, and one log line when its reply is out: never a key, a query or a body. */
export function logRequests({ logger, writeLine }: Log, trustedProxies: TrustedProxies): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    const { incoming, outgoing } = c.env;
    const startTimeMs = performance.now();
    const given = incoming.headers['x-request-id'];
    c.set('requestId', typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID());
    if (logger.isLevelEnabled('info')) {
      const address = clientAddress(incoming, trustedProxies);
      outgoing.on('close', () => writeLine(requestLine(c, address, performance.now() - startTimeMs)));
    }
    return next();
  };
}

/**
 * The line in pino's own format, put together by hand: as every request pays for it, two microseconds count. Only the
 * path can hold characters that JSON would escape.
 */
function requestLine(c: AppContext, address: string, durationMs: number): string {
  const { statusCode, writableFinished } = c.env.outgoing;
  const holder: KeyHolder | undefined = c.get('holder');
  const who = holder === undefined ? '' : `"accountId":"${holder.accountId}","keyId":"${holder.keyId}",`;
  const ending = writableFinished ? '' : '"aborted":true,';
  const duration = Math.round(durationMs * 100) / 100;
  return (
    `{"level":30,"time":${Date.now()},"requestId":"${c.get('requestId')}","method":"${c.req.method}",` +
    `"path":${JSON.stringify(c.req.path)},"status":${statusCode},"durationMs":${duration},"address":"${address}",` +
    `${who}${ending}"msg":"request"}\n`
  );
}

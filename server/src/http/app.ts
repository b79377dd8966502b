import { Hono } from 'hono';
import type { KeyUse } from '../domain/api-keys.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import type { TrustedProxies } from './client-address.ts';
import type { CursorCodec } from './cursor.ts';
import { STATUS_OF_CODE } from './errors.ts';
import { requireApiKey } from './middleware/authenticate.ts';
import { logRequests } from './middleware/log-requests.ts';
import { openApiDocument } from './openapi.ts';
import { refuseOtherMethods } from './operations.ts';
import { type AppContext, type AppEnv, replyError, replyJson } from './reply.ts';
import { mountDocs } from './routes/docs.ts';
import { mountHealth } from './routes/health.ts';
import { mountListings } from './routes/listings.ts';
import { mountMe } from './routes/me.ts';

export type App = Hono<AppEnv>;

/** What the routes work with. */
export interface Services {
  database: Database;
  cursors: CursorCodec;
  keyUse: KeyUse;
  log: Log;
  trustedProxies: TrustedProxies;
  /** The program's version: part of each list's ETag. */
  release: string;
  isStopping: () => boolean;
}

/** The map of the service: what each request passes, in order. */
export function createApp(services: Services): App {
  const app = new Hono<AppEnv>();
  app.use(logRequests(services.log, services.trustedProxies));
  mountHealth(app, services);
  mountDocs(app);
  const document = JSON.stringify(openApiDocument(services.release));
  app.get('/v1/openapi.json', (c) => replyJson(c, 200, document));

  app.use('/v1/*', requireApiKey(services.database, services.keyUse));
  mountListings(app, services);
  mountMe(app, services);
  refuseOtherMethods(app);

  app.notFound((c) =>
    replyError(c, new AppError('not_found', 'There is nothing at this path; /docs shows what there is.')),
  );
  app.onError((error, c) => replyToError(error, c, services.log));
  return app;
}

function replyToError(error: Error, c: AppContext, { logger }: Log): Response {
  const known = error instanceof AppError ? error : internalError(error);
  if (STATUS_OF_CODE[known.code] >= 500) {
    logger.error({ requestId: c.get('requestId'), err: known.cause ?? known }, known.message);
  }
  return replyError(c, known);
}

function internalError(cause: Error): AppError {
  return new AppError(
    'internal_error',
    'The service made a mistake; send the request again, or report its requestId.',
    { cause },
  );
}

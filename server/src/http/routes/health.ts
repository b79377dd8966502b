import { AppError } from '../../model/errors.ts';
import { ping } from '../../storage/database-info.ts';
import { LIVE_PATH, READY_PATH } from '../protocol/probes.ts';
import { replyJson } from '../protocol/reply.ts';
import type { PublicRoutes } from '../protocol/router.ts';
import type { Services } from '../services.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

export const LIVE = replyJson(200, '{"status":"live"}', NO_STORE);

/** `/livez`: the process runs. `/readyz`: it accepts requests, and its database works. */
export function addHealth(routes: PublicRoutes, { database, isStopping }: Services): void {
  routes.add('GET', LIVE_PATH, () => LIVE);
  routes.add('GET', READY_PATH, async () => {
    if (isStopping())
      throw new AppError('unavailable', 'The service is stopping.', { headers: { 'Retry-After': '1' } });
    if (!database.isServing()) await ping(database);
    return replyJson(200, '{"status":"ready"}', NO_STORE);
  });
}

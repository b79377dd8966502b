import { AppError } from '../../model/errors.ts';
import { ping } from '../../storage/database-info.ts';
import type { Services } from '../app.ts';
import { replyJson } from '../reply.ts';
import type { Routes } from '../routes.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

export const LIVE_PATH = '/livez';
export const LIVE = replyJson(200, '{"status":"live"}', NO_STORE);

/** `/livez`: the process answers. `/readyz`: it takes requests and its database answers. Neither needs a key. */
export function addHealth(routes: Routes, { database, isStopping }: Services): void {
  routes.add('GET', LIVE_PATH, () => LIVE);
  routes.add('GET', '/readyz', async () => {
    if (isStopping())
      throw new AppError('unavailable', 'The service is stopping.', { headers: { 'Retry-After': '1' } });
    await ping(database);
    return replyJson(200, '{"status":"ready"}', NO_STORE);
  });
}

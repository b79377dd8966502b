import { AppError } from '../../model/errors.ts';
import { ping } from '../../storage/database-info.ts';
import type { Services } from '../app.ts';
import type { Exchange } from '../exchange.ts';
import { replyJson } from '../reply.ts';
import type { Routes } from '../routes.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

export const LIVE_PATH = '/livez';
const READY_PATH = '/readyz';
export const LIVE = replyJson(200, '{"status":"live"}', NO_STORE);

/** `/livez`: the process answers. `/readyz`: it takes requests and its database answers. Neither needs a key. */
export function addHealth(routes: Routes, { database, isStopping }: Services): void {
  routes.add('GET', LIVE_PATH, () => LIVE);
  routes.add('GET', READY_PATH, async () => {
    if (isStopping())
      throw new AppError('unavailable', 'The service is stopping.', { headers: { 'Retry-After': '1' } });
    if (!database.isServing()) await ping(database);
    return replyJson(200, '{"status":"ready"}', NO_STORE);
  });
}

/** Whether a request asks how the service is: that is answered however many others wait. */
export function isProbe({ path }: Exchange): boolean {
  return path === LIVE_PATH || path === READY_PATH;
}

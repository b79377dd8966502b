import { AppError } from '../../model/errors.ts';
import { getCursorSecret } from '../../storage/database-info.ts';
import type { App, Services } from '../app.ts';
import { replyJson } from '../reply.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** `/livez`: the process answers. `/readyz`: it takes requests and its database answers. Neither needs a key. */
export function mountHealth(app: App, { database, isStopping }: Services): void {
  app.get('/livez', (c) => replyJson(c, 200, '{"status":"live"}', NO_STORE));
  app.get('/readyz', async (c) => {
    if (isStopping())
      throw new AppError('unavailable', 'The service is stopping.', { headers: { 'Retry-After': '1' } });
    await getCursorSecret(database);
    return replyJson(c, 200, '{"status":"ready"}', NO_STORE);
  });
}

import { pino } from 'pino';
import { Identity } from '../../server/src/http/identity/identity.ts';
import type { Database } from '../../server/src/storage/database.ts';
import { openDatabase } from '../../server/src/storage/open.ts';

/** All routes of better-auth as configured by the service, including unused ones such as `POST /sign-up/email`. */
export async function routesOfBetterAuth(database: Database): Promise<string[]> {
  const log = { logger: pino({ level: 'silent' }), writeLine: () => {} };
  const api = await new Identity(database, undefined, log).call(async (all) => all);
  return Object.values(api).flatMap(({ path, options }: { path?: string; options?: { method?: string | string[] } }) =>
    path === undefined ? [] : [options?.method ?? []].flat().map((method) => `${method} ${path}`),
  );
}

/** Like `routesOfBetterAuth`, but for a service in another process. */
export async function routesOfBetterAuthAt(databaseUrl: string): Promise<string[]> {
  const database = await openDatabase(databaseUrl);
  try {
    return await routesOfBetterAuth(database);
  } finally {
    await database.close();
  }
}

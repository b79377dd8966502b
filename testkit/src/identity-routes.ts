import { pino } from 'pino';
import { Identity } from '../../server/src/http/identity/identity.ts';
import type { Database } from '../../server/src/storage/database.ts';
import { openDatabase } from '../../server/src/storage/open.ts';

/** All that better-auth would answer, if it were let, such as `POST /sign-up/email`: as the service has configured it. */
export async function routesOfBetterAuth(database: Database): Promise<string[]> {
  const log = { logger: pino({ level: 'silent' }), writeLine: () => {} };
  const api = await new Identity(database, undefined, log).call(async (all) => all);
  return Object.values(api).flatMap(({ path, options }: { path?: string; options?: { method?: string | string[] } }) =>
    path === undefined ? [] : [options?.method ?? []].flat().map((method) => `${method} ${path}`),
  );
}

/** The same, with the database of a service in another process. */
export async function routesOfBetterAuthAt(databaseUrl: string): Promise<string[]> {
  const database = await openDatabase(databaseUrl);
  try {
    return await routesOfBetterAuth(database);
  } finally {
    await database.close();
  }
}

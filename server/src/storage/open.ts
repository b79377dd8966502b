import type { Database, Scratch } from './database.ts';
import type { PoolSettings } from './postgres/pool.ts';
import { openSqliteScratch } from './sqlite/scratch.ts';
import { openSqlite } from './sqlite.ts';

export const FILE_SCHEME = 'file:';

/** For what needs few connections: the operator's commands. */
const FEW_CONNECTIONS: PoolSettings = { poolSize: 4, statementTimeoutMs: 30_000, preparesStatements: false };

/**
 * Opens the database that a URL names: `file:` and a path, or a PostgreSQL server. `settings` are for that.
 * @throws {AppError} `unavailable` with words for the operator
 */
export async function openDatabase(url: string, settings: PoolSettings = FEW_CONNECTIONS): Promise<Database> {
  if (url.startsWith(FILE_SCHEME)) return openSqlite(url.slice(FILE_SCHEME.length));
  // The driver is loaded by those who use it.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, settings);
}

/** Begins something with a database, which is closed again if that fails. @throws what `openDatabase` and `begin` throw */
export async function beginWithDatabase<T>(
  { databaseUrl, databasePool }: { databaseUrl: string; databasePool: PoolSettings },
  begin: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(databaseUrl, databasePool);
  try {
    return await begin(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens a database that nobody else can see, with all tables and nothing in them. On every engine it is SQLite. */
export function openScratch(): Scratch {
  return openSqliteScratch();
}

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../model/errors.ts';
import type { Database } from './database.ts';
import type { PoolSettings } from './postgres/pool.ts';
import type { TellProgress } from './rebuild.ts';
import { requireDirectory } from './sqlite/database-file.ts';
import { findLeftCompanion } from './sqlite/snapshot.ts';
import { openSqlite } from './sqlite.ts';

export { openScratch } from './sqlite/scratch.ts';
export { type ChangeSize, StagedFile, type StagedKey, type StagedWork } from './sqlite/staged-file.ts';
export { type KeepText, keepInMemory, type StagedText, StagedTexts, textOf } from './sqlite/staged-texts.ts';

export const FILE_SCHEME = 'file:';

/** The connections to a PostgreSQL server; on SQLite, whether other processes also serve requests from the file. */
export type DatabaseSettings = PoolSettings & { isShared?: boolean };

/** The settings of the operator's commands. */
const FEW_CONNECTIONS: DatabaseSettings = { poolSize: 4, statementTimeoutMs: 30_000, preparesStatements: false };

/**
 * Opens the database at a URL: `file:` and a path, or a PostgreSQL server. Migrates its tables, and reports
 * the progress to `tell`, which is awaited.
 * @throws {AppError} `unavailable` or `storage_full`, with a message for the operator
 */
export async function openDatabase(
  url: string,
  settings: DatabaseSettings = FEW_CONNECTIONS,
  tell: TellProgress = async () => {},
): Promise<Database> {
  if (url.startsWith(FILE_SCHEME)) return openSqlite(url.slice(FILE_SCHEME.length), settings.isShared ?? false, tell);
  // Loads the driver only when it is needed.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, settings, tell);
}

/** @throws {AppError} `not_found` if the SQLite file and its log are missing, or `unavailable` without a directory */
export function requireDatabase(url: string): void {
  if (!url.startsWith(FILE_SCHEME)) return;
  const path = url.slice(FILE_SCHEME.length);
  requireDirectory(dirname(path));
  // Opening the database reports other problems, such as a missing permission.
  if (findFault(path) !== 'ENOENT' || findLeftCompanion(path) !== undefined) return;
  throw new AppError(
    'not_found',
    `There is no database ${path}. Set DATA_DIR or DATABASE_URL as for the service, or run this in the directory of the service's .env file.`,
  );
}

/** The code of the error when a path is looked up, such as `ENOENT`. */
function findFault(path: string): string | undefined {
  try {
    statSync(path);
    return undefined;
  } catch (error) {
    return Object(error).code;
  }
}

/** Opens a database, and closes it if `begin` fails. @throws what `openDatabase` and `begin` throw */
export async function beginWithDatabase<T>(
  { databaseUrl, databasePool }: { databaseUrl: string; databasePool: DatabaseSettings },
  begin: (database: Database) => Promise<T>,
  tell?: TellProgress,
): Promise<T> {
  const database = await openDatabase(databaseUrl, databasePool, tell);
  try {
    return await begin(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

import { existsSync, realpathSync } from 'node:fs';
import type { Inspection } from './inspection.ts';
import { FILE_SCHEME } from './open.ts';
import { COMPANIONS } from './sqlite/files.ts';
import { inspectSqlite } from './sqlite/inspect.ts';
import { requestLogPath } from './sqlite.ts';

/**
 * Inspects a database without creating or changing anything.
 * @param withTables whether to measure the tables, which reads all of them on SQLite
 * @returns undefined if there is no SQLite file
 * @throws {AppError} with a message for the operator, or other errors of the engine
 */
export async function inspectDatabase(
  url: string,
  { withTables }: { withTables: boolean },
): Promise<Inspection | undefined> {
  if (url.startsWith(FILE_SCHEME)) return inspectSqlite(url.slice(FILE_SCHEME.length), withTables);
  const { inspectPostgres } = await import('./postgres.ts');
  return inspectPostgres(url, withTables);
}

export { requireDirectory } from './sqlite/database-file.ts';

/** The files of an SQLite database, the database first, whether or not they exist; empty for PostgreSQL. */
export function findDatabaseFiles(url: string): string[] {
  if (!url.startsWith(FILE_SCHEME)) return [];
  const path = url.slice(FILE_SCHEME.length);
  const requests = requestLogPath(path);
  return [path, requests].flatMap((file) => [file, ...COMPANIONS.map((ending) => file + ending)]);
}

/**
 * Whether a process has an SQLite database open, or was killed before it closed the database: the last process
 * to close a database removes the index of the database's log.
 */
export function isOpen(url: string): boolean {
  const path = url.slice(FILE_SCHEME.length);
  return existsSync(path) && existsSync(`${realpathSync(path)}-shm`);
}

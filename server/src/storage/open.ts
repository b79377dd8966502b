import { AppError } from '../model/errors.ts';
import type { Database, Scratch } from './database.ts';
import { openSqliteScratch } from './sqlite/scratch.ts';
import { openSqlite } from './sqlite.ts';

const FILE_SCHEME = 'file:';

/**
 * Opens the database that a URL names: `file:` and a path.
 * @throws {AppError} `unavailable` with words for the operator
 */
export function openDatabase(url: string): Database {
  if (!url.startsWith(FILE_SCHEME)) {
    throw new AppError(
      'unavailable',
      `DATABASE_URL must begin with ${FILE_SCHEME} and names another kind of database.`,
    );
  }
  return openSqlite(url.slice(FILE_SCHEME.length));
}

/** Opens a database that nobody else can see, with all tables and nothing in them. On every engine it is SQLite. */
export function openScratch(): Scratch {
  return openSqliteScratch();
}

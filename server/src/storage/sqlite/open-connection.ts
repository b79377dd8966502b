import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../model/errors.ts';
import { explainFault } from './errors.ts';

/** How long to wait for another process that migrates or recovers the database. */
const OPEN_TIMEOUT_MS = 10_000;
export const CACHE_KIB = 16_384;
/** When the log starts over after a large write, it is truncated to this size. */
const LOG_BYTES_KEPT = 64 * 1024 * 1024;
/** In WAL mode, readers wait only while another process recovers the log. */
const READER_TIMEOUT_MS = 250;

/** Opens a read-only connection. @throws {AppError} as `openConnection` does */
export function openReader(path: string): DatabaseSync {
  const reader = openConnection(path);
  reader.exec(`pragma query_only = on; pragma busy_timeout = ${READER_TIMEOUT_MS}`);
  return reader;
}

/**
 * Opens a durable connection, whose commits return once they are on disk. SQLite overwrites deleted data with
 * zeros. It runs no checkpoints on its own; `Checkpoints` does.
 * @throws {AppError} `unavailable` or `storage_full`, with a message for the operator
 */
export function openConnection(path: string): DatabaseSync {
  try {
    const before = identify(path);
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    rejectForeignTables(database, path);
    database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma secure_delete = on;
      pragma cache_size = -${CACHE_KIB};
      pragma temp_store = memory;
      pragma journal_size_limit = ${LOG_BYTES_KEPT};
      pragma wal_autocheckpoint = 0;
    `);
    expectPragma(database, 'journal_mode', 'wal');
    expectPragma(database, 'synchronous', 2);
    expectPragma(database, 'foreign_keys', 1);
    expectPragma(database, 'secure_delete', 1);
    // A restore may have replaced the file while this connection waited for the old one's lock.
    if (before !== undefined && before !== identify(path))
      throw new Error('another file has just replaced it; try again');
    return database;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw explainFault(`Cannot open the database ${path}`, error);
  }
}

function identify(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Rejects a non-empty database without our tables before anything changes, including the journal mode. */
function rejectForeignTables(database: DatabaseSync, name: string): void {
  const tables = database.prepare('select name from sqlite_schema').all();
  if (tables.length === 0 || tables.some((table) => table.name === 'database_info')) return;
  throw new AppError('unavailable', `The file ${name} is another program's database; name another file.`);
}

/** Fails if a durability setting has no effect, as on some network file systems, where data could be lost silently. */
function expectPragma(database: DatabaseSync, name: string, expected: string | number): void {
  const actual = database.prepare(`pragma ${name}`).get()?.[name];
  if (actual !== expected) throw new Error(`${name} is ${actual} and must be ${expected}`);
}

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../model/errors.ts';
import { explainFault } from './errors.ts';

/** The wait for another process that migrates or recovers. */
const OPEN_TIMEOUT_MS = 10_000;
export const CACHE_KIB = 16_384;
/** The log keeps this size after a large write. */
const LOG_BYTES_KEPT = 64 * 1024 * 1024;
/** In WAL mode, readers only wait while another process recovers the log. */
const READER_TIMEOUT_MS = 250;

/**
 * Opens a read-only connection.
 * @throws {AppError} as `openConnection` does
 */
export function openReader(path: string): DatabaseSync {
  const reader = openConnection(path);
  reader.exec(`pragma query_only = on; pragma busy_timeout = ${READER_TIMEOUT_MS}`);
  return reader;
}

/**
 * Opens a durable connection: a commit returns once it is on disk. Deleted data is overwritten. `Checkpoints` runs the
 * checkpoints.
 * @throws {AppError} `unavailable` with a message for the operator
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
    // A restore held the lock of the old file for which this connection waited.
    if (before !== undefined && before !== identify(path)) throw new Error('another file has just replaced it');
    return database;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw explainFault(`Cannot open the database ${path}`, error);
  }
}

function identify(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Before anything is changed, including the journal mode: a non-empty database without our tables is not ours. */
function rejectForeignTables(database: DatabaseSync, name: string): void {
  const tables = database.prepare('select name from sqlite_schema').all();
  if (tables.length === 0 || tables.some((table) => table.name === 'database_info')) return;
  throw new AppError('unavailable', `The file ${name} is another program's database; name another file.`);
}

/** A durability setting without effect, as on some network file systems, would silently lose data. */
function expectPragma(database: DatabaseSync, name: string, expected: string | number): void {
  const actual = database.prepare(`pragma ${name}`).get()?.[name];
  if (actual !== expected) throw new Error(`${name} is ${actual} and must be ${expected}`);
}

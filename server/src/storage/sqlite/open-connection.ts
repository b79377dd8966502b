import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../model/errors.ts';
import { explainFault } from './errors.ts';

/** How long an opening connection waits for another process that migrates or recovers. */
const OPEN_TIMEOUT_MS = 10_000;
/** Of pages in memory. */
export const CACHE_KIB = 16_384;
/** What a large write leaves of its log on the disk, for the next ones. */
const LOG_BYTES_KEPT = 64 * 1024 * 1024;
/** Readers wait for nobody in WAL mode, except while another process recovers the log. */
const READER_TIMEOUT_MS = 250;

/**
 * Opens a connection that changes nothing.
 * @throws {AppError} as `openConnection`
 */
export function openReader(path: string): DatabaseSync {
  const reader = openConnection(path);
  reader.exec(`pragma query_only = on; pragma busy_timeout = ${READER_TIMEOUT_MS}`);
  return reader;
}

/**
 * Opens a connection that loses nothing: a commit returns when it is on the disk. What it deletes is overwritten. Checkpoints
 * are `Checkpoints`' work.
 * @throws {AppError} `unavailable` with words for the operator
 */
export function openConnection(path: string): DatabaseSync {
  try {
    const before = identify(path);
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    refuseForeignTables(database, path);
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
    // Whoever restores another one holds the lock of the old one that was waited for.
    if (before !== undefined && before !== identify(path)) throw new Error('another one has just taken its place');
    return database;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw explainFault(`Cannot open the database ${path}`, error);
  }
}

/** Which file stands at a path now. */
function identify(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Before anything is changed, also the journal mode: a database without our tables, unless it is empty, is not ours. */
function refuseForeignTables(database: DatabaseSync, name: string): void {
  const tables = database.prepare('select name from sqlite_schema').all();
  if (tables.length === 0 || tables.some((table) => table.name === 'database_info')) return;
  throw new AppError('unavailable', `The file ${name} is another program's database; name another file.`);
}

/** A durability setting that did not take, for example on a network file system, would lose data in silence. */
function expectPragma(database: DatabaseSync, name: string, expected: string | number): void {
  const actual = database.prepare(`pragma ${name}`).get()?.[name];
  if (actual !== expected) throw new Error(`${name} is ${actual} and must be ${expected}`);
}

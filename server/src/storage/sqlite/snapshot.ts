import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { AppError } from '../../model/errors.ts';
import { isBusy, RESTORE_ADVICE } from './errors.ts';
import { COMPANIONS, FILE_MODE } from './files.ts';
import { Indexing } from './listing-index.ts';
import { openReader } from './open-connection.ts';

/** Copies all pages in one step. Otherwise, each write of another connection would restart the copy. */
const ALL_PAGES = 2 ** 31 - 1;
/**
 * Copies a consistent state of the database to a new file, without delaying other connections.
 * @throws {AppError} as `openReader` does, or an error of SQLite or the file system
 */
export async function copyPages(path: string, target: string): Promise<void> {
  closeSync(openSync(target, 'wx', FILE_MODE));
  using source = openReader(path);
  await backup(source, target, { rate: ALL_PAGES });
}

/**
 * Writes the content of a database to a new file, without the deleted data that is left in free pages and in the
 * full-text index. The caller makes sure that no other process uses the database.
 */
export function rewrite(path: string, target: string): void {
  using database = new DatabaseSync(path);
  rewriteInto(database, target);
}

function rewriteInto(database: DatabaseSync, target: string): void {
  closeSync(openSync(target, 'wx', FILE_MODE));
  // The index contains a deleted listing's words until the index is brought up to date and merged.
  database.exec('begin');
  new Indexing(database).indexAll();
  database.exec("insert into listing_index (listing_index) values ('optimize'); commit");
  database.prepare('vacuum into ?').run(target);
}

/** Rewrites a database in place. @throws {AppError} `conflict` while a process uses it, `unavailable` if damaged */
export function compactFile(path: string, rewritten: string): void {
  using database = new DatabaseSync(path, { timeout: 0 });
  // Keeps the lock until the connection is closed, even after the transaction has ended.
  database.exec('pragma locking_mode = exclusive');
  lock(database, path);
  if (database.isTransaction) database.exec('commit');
  rewriteInto(database, rewritten);
  const { uid, gid } = statSync(path);
  chownSync(rewritten, uid, gid);
  checkIntegrity(rewritten);
  syncFile(rewritten);
  renameSync(rewritten, path);
}

/** `quick_check` ignores foreign keys and mismatched indexes. @returns what is wrong if the database is damaged */
export function findFault(database: DatabaseSync, check: 'quick_check' | 'integrity_check'): string | undefined {
  try {
    const found = database.prepare(`pragma ${check}(1)`).get()?.[check];
    // The first line may contain only the database's name.
    if (found !== 'ok') return String(found).split('\n').at(-1);
    const orphan = check === 'integrity_check' && database.prepare('pragma foreign_key_check').get();
    return orphan ? `a row of ${orphan.table} references a row that does not exist` : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** Checks a database that no other process uses, and makes it one file. @throws {AppError} `unavailable` if damaged */
export function checkIntegrity(path: string): void {
  using database = openReader(path);
  const fault = findFault(database, 'integrity_check');
  if (fault !== undefined) throw new AppError('unavailable', `The database is damaged: ${fault}. ${RESTORE_ADVICE}`);
  database.exec('pragma query_only = off; pragma journal_mode = delete');
}

/**
 * Replaces a database, and keeps the old one under another name. If this is interrupted, there is either the old
 * or the new database: if there were none, the service would create an empty one.
 * @returns the path of the old database
 * @throws {AppError} `conflict` while a process uses the old database
 */
export function replaceDatabase(path: string, replacement: string): string {
  const kept = `${path}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  using old = new DatabaseSync(path, { timeout: 0 });
  lock(old, path);
  linkSync(path, kept);
  moveCompanions(path, kept);
  try {
    renameSync(replacement, path);
  } catch (error) {
    moveCompanions(kept, path);
    unlinkSync(kept);
    throw error;
  }
  return kept;
}

/** Only a database that is too damaged to be locked still has companions. */
function moveCompanions(from: string, to: string): void {
  for (const ending of COMPANIONS) {
    if (existsSync(from + ending)) renameSync(from + ending, to + ending);
  }
}

/** What a database that is about to be replaced says about access to it. */
export interface Access {
  /** When each key expires (UTC milliseconds). */
  keys: Map<unknown, number>;
  /** Why accounts are suspended. */
  suspensions: Map<unknown, string>;
}

/** @returns undefined if the database cannot be read */
export function readAccess(path: string): Access | undefined {
  try {
    using database = openReader(path);
    const keys = database.prepare('select id, expires_at from api_keys').all();
    const suspended = database
      .prepare('select account_id, suspended_for from account_heads where suspended_for is not null')
      .all();
    return {
      keys: new Map(keys.map((key) => [key.id, Number(key.expires_at ?? Number.POSITIVE_INFINITY)])),
      suspensions: new Map(suspended.map((head) => [head.account_id, String(head.suspended_for)])),
    };
  } catch {
    return undefined;
  }
}

/**
 * Finds a file, such as a log, that SQLite keeps next to a database. If the database is missing, SQLite would
 * mistake the file for part of the next database.
 */
export function findLeftCompanion(path: string): string | undefined {
  return COMPANIONS.map((ending) => path + ending).find((companion) => existsSync(companion));
}

/** Keeps other processes from opening the database. A database too damaged to be locked counts as not in use. */
function lock(database: DatabaseSync, path: string): void {
  try {
    // Fails while another connection is open, even an idle one (sqlite.org/wal.html#specialnote).
    database.exec('pragma journal_mode = delete; begin exclusive');
  } catch (error) {
    if (!isBusy(error)) return;
    throw new AppError('conflict', `${path} is in use by a process; stop the service and run this again.`, {
      cause: error,
    });
  }
}

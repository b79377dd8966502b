import { chownSync, closeSync, existsSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { AppError } from '../../model/errors.ts';
import { isBusy } from './errors.ts';
import { findFault } from './integrity.ts';
import { openReader } from './open-connection.ts';

/** All pages in one step: with fewer, each write of another connection would have it begin anew. */
const ALL_PAGES = 2 ** 31 - 1;
/** It holds everybody's data. */
export const FILE_MODE = 0o600;
/** What SQLite keeps beside a database. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Writes the database as it is at one moment to a new file; who reads and writes it meanwhile waits for nothing.
 * @throws {AppError} `unavailable` with words for the operator
 */
export async function copyPages(path: string, target: string): Promise<void> {
  closeSync(openSync(target, 'wx', FILE_MODE));
  const source = openReader(path);
  try {
    await backup(source, target, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
}

/**
 * Writes a database that no other process uses to a new file that holds what it holds now, and nothing that was deleted: no free
 * pages, and no words of listings that are gone, which the index of words keeps until it is merged.
 */
export function rewrite(path: string, target: string): void {
  const database = new DatabaseSync(path);
  try {
    rewriteInto(database, target);
  } finally {
    database.close();
  }
}

function rewriteInto(database: DatabaseSync, target: string): void {
  closeSync(openSync(target, 'wx', FILE_MODE));
  database.exec("insert into listing_words (listing_words) values ('optimize')");
  database.prepare('vacuum into ?').run(target);
}

/**
 * Rewrites a database in its own place.
 * @throws {AppError} `conflict` while a process uses it; `unavailable` if it is damaged
 */
export function compactFile(path: string, rewritten: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Kept until it is closed, though the transaction ends.
    database.exec('pragma locking_mode = exclusive');
    lock(database, path);
    database.exec('commit');
    rewriteInto(database, rewritten);
    const { uid, gid } = statSync(path);
    chownSync(rewritten, uid, gid);
    checkIntegrity(rewritten);
    syncFile(rewritten);
    renameSync(rewritten, path);
  } finally {
    database.close();
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/**
 * Reads all of a database that nobody uses, and makes it a file that is whole without others beside it.
 * @throws {AppError} `unavailable` with what SQLite found
 */
export function checkIntegrity(path: string): void {
  const database = openReader(path);
  try {
    const fault = findFault(database, 'integrity_check');
    if (fault !== undefined) throw new AppError('unavailable', `The database is damaged: ${fault}.`);
    database.exec('pragma query_only = off; pragma journal_mode = delete');
  } finally {
    database.close();
  }
}

/**
 * Puts a database into the place of another one, which is kept beside it.
 * @returns where the old one is now
 * @throws {AppError} `conflict` while somebody has the old one open
 */
export function replaceDatabase(path: string, replacement: string): string {
  const kept = `${path}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const old = new DatabaseSync(path, { timeout: 0 });
  try {
    lock(old, path);
    for (const ending of ['', ...COMPANIONS]) {
      if (existsSync(path + ending)) renameSync(path + ending, kept + ending);
    }
    renameSync(replacement, path);
    return kept;
  } finally {
    old.close();
  }
}

/** The ids of all keys that a database has, as far as it can be read: it is about to be replaced, perhaps as it is damaged. */
export function findKeyIds(path: string): Set<string> {
  try {
    const database = openReader(path);
    try {
      return new Set(
        database
          .prepare('select id from api_keys')
          .all()
          .map(({ id }) => String(id)),
      );
    } finally {
      database.close();
    }
  } catch {
    return new Set();
  }
}

/** What stands beside a database that is not there would be taken for a part of the one that comes. */
export function findLeftCompanion(path: string): string | undefined {
  return COMPANIONS.map((ending) => path + ending).find((companion) => existsSync(companion));
}

/** Nobody else can open it from now on. One that is too damaged to be locked is too damaged to be used, too. */
function lock(database: DatabaseSync, path: string): void {
  try {
    // Fails while another connection is open, whatever it does (sqlite.org/wal.html#specialnote).
    database.exec('pragma journal_mode = delete; begin exclusive');
  } catch (error) {
    if (!isBusy(error)) return;
    throw new AppError('conflict', `A process uses ${path}; stop the service, then run this again.`, { cause: error });
  }
}

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getSystemErrorMessage } from 'node:util';
import { AppError } from '../../model/errors.ts';
import { explainFault, RESTORE_ADVICE } from './errors.ts';
import { FILE_MODE, giveToService } from './files.ts';
import { findLeftCompanion } from './snapshot.ts';

const { R_OK, W_OK, X_OK } = constants;
/** Only the operator has access, since the database contains the data of all accounts. */
const DIRECTORY_MODE = 0o700;
/** SQLite's default page size. */
export const PAGE_BYTES = 4_096;

/**
 * Makes sure that there is a writable database file, and creates one if there is none. Rejects incomplete
 * files, which SQLite would mistake for a new or an older database.
 * @throws {AppError} `unavailable` or `storage_full`, with a message for the operator
 */
export function prepareFile(path: string): void {
  makeDirectory(dirname(path));
  requireAccess(dirname(path), R_OK | W_OK | X_OK);
  requireAccess(path, R_OK | W_OK);
  const left = findLeftCompanion(path);
  // `left` is looked up first, since another process may create the database between the two checks.
  if (!existsSync(path)) {
    if (left !== undefined) throw incomplete(`${path} is missing, but ${left} contains changes to it.`);
    createFile(path);
  }
  const file = statSync(path);
  if (!file.isFile()) {
    throw new AppError('unavailable', `The database ${path} is not a regular file; move it elsewhere.`);
  }
  const { size } = file;
  if (size === 0) throw incomplete(`The database ${path} is empty.`);
  // If the last page is incomplete, SQLite would read zeros for the missing part. With a log, that is harmless,
  // since the log contains the page.
  if (size % PAGE_BYTES !== 0 && !existsSync(`${path}-wal`))
    throw incomplete(`${path} is truncated, or is not a database.`);
  // SQLite never leaves an index (`-shm`) without its log. Checks twice, since another process may remove
  // both files between the two look-ups.
  if (hasIndexAlone(path) && hasIndexAlone(path)) throw incomplete(`The log ${path}-wal is missing.`);
  for (const each of [`${path}-wal`, `${path}-shm`]) requireAccess(each, R_OK | W_OK);
}

export function measureFile(path: string): { bytes: number; logBytes: number; freeBytes: number } {
  const { bavail, bsize } = statfsSync(dirname(path));
  const [bytes = 0, logBytes = 0] = [path, `${path}-wal`].map(
    (name) => statSync(name, { throwIfNoEntry: false })?.size,
  );
  return { bytes, logBytes, freeBytes: bavail * bsize };
}

function hasIndexAlone(path: string): boolean {
  return existsSync(`${path}-shm`) && !existsSync(`${path}-wal`);
}

function incomplete(message: string): AppError {
  return new AppError('unavailable', `${message} ${RESTORE_ADVICE} To start over, move the files elsewhere.`);
}

/**
 * Creates an empty database atomically, so that an empty file is never one that another process is creating.
 * Never opens a file that SQLite has open, since closing the file would release SQLite's locks
 * (sqlite.org/howtocorrupt.html).
 */
function createFile(path: string): void {
  const created = `${path}.new-${process.pid}`;
  try {
    rmSync(created, { force: true });
    // Created here, since SQLite would create a file that all users can read.
    closeSync(openSync(created, 'wx', FILE_MODE));
    const database = new DatabaseSync(created);
    database.exec('pragma journal_mode = wal');
    database.close();
    giveToService(created);
    unlessExists(() => linkSync(created, path));
    syncNames(dirname(path));
  } catch (error) {
    throw explainFault(`Cannot create the database ${path}`, error);
  } finally {
    rmSync(created, { force: true });
  }
}

/** Checks access early, since SQLite reports a read-only file only at the first write. */
function requireAccess(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    const { errno, code } = Object(error);
    if (code === 'ENOENT') return;
    const message = `Cannot read and write ${path}: ${getSystemErrorMessage(errno)}.`;
    const advice = 'It must belong to the user that runs this command, on a writable disk.';
    throw new AppError('unavailable', `${message} ${advice}`, { cause: error });
  }
}

/**
 * Creates parents one by one: `mkdirSync` with `recursive` never returns if a parent cannot exist, such as
 * below /proc. Syncs each directory's name, which SQLite does not do: a power loss could remove the directory
 * with all its data.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    unlessExists(() => mkdirSync(path, { mode: DIRECTORY_MODE }));
    syncNames(parent);
  } catch (error) {
    throw explainFault(`Cannot create the directory ${path}`, error);
  }
}

/** Checks a directory that may not exist yet. @throws {AppError} if it or one of its parents is another kind of file */
export function requireDirectory(path: string): void {
  if (!isDirectory(path) && dirname(path) !== path) requireDirectory(dirname(path));
}

/** @returns false if nothing exists at the path */
function isDirectory(path: string): boolean {
  if (!existsSync(path)) return false;
  if (statSync(path).isDirectory()) return true;
  throw new AppError('unavailable', `${path} is not a directory; set DATA_DIR to one.`);
}

/** Ignores the error if the file already exists, since another process may start at the same time. */
function unlessExists(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error;
  }
}

/** Errors from file systems that cannot sync a directory. */
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP']);

/** Returns once the names in a directory are on disk. */
function syncNames(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } catch (error) {
    if (!NO_SYNC.has(Object(error).code)) throw error;
  } finally {
    closeSync(directory);
  }
}

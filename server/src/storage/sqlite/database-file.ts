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
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getSystemErrorMessage } from 'node:util';
import { AppError } from '../../model/errors.ts';
import { explainFault, RESTORE_ADVICE } from './errors.ts';
import { FILE_MODE, findLeftCompanion } from './snapshot.ts';

const { R_OK, W_OK, X_OK } = constants;
/** For the operator's eyes only: the database holds everybody's data. */
const DIRECTORY_MODE = 0o700;
/** SQLite's own, which we leave as it is. */
export const PAGE_BYTES = 4_096;

/**
 * Sees to it that there is a database file that can be written, and makes one where there is none. What is no whole file
 * of ours is refused here, since SQLite would take it for a new one, or for an older one.
 * @throws {AppError} `unavailable` with words for the operator
 */
export function prepareFile(path: string): void {
  makeDirectory(dirname(path));
  requireAccess(dirname(path), R_OK | W_OK | X_OK);
  const left = findLeftCompanion(path);
  // Another process may have made both meanwhile.
  if (!existsSync(path)) {
    if (left !== undefined) throw refuse(`${path} is missing, and what it had not taken over yet is in ${left}.`);
    createFile(path);
  }
  const file = statSync(path);
  if (!file.isFile()) throw new AppError('unavailable', `The database ${path} is no file; move it away.`);
  const { size } = file;
  if (size === 0) throw refuse(`The database ${path} is empty.`);
  // SQLite would read zeros for the rest of the page. With a log that may be so: the page stands there, too.
  if (size % PAGE_BYTES !== 0 && !existsSync(`${path}-wal`)) throw refuse(`${path} is cut off, or no database.`);
  // While SQLite opens or closes one, there is never an index without its log. Looked at twice: all of it may end meanwhile.
  if (hasIndexAlone(path) && hasIndexAlone(path)) throw refuse(`The log ${path}-wal is missing.`);
  for (const each of [path, `${path}-wal`, `${path}-shm`]) requireAccess(each, R_OK | W_OK);
}

function hasIndexAlone(path: string): boolean {
  return existsSync(`${path}-shm`) && !existsSync(`${path}-wal`);
}

function refuse(words: string): AppError {
  return new AppError('unavailable', `${words} ${RESTORE_ADVICE} To begin anew, move away what is there.`);
}

/**
 * An empty database that is there from one moment to the next, so that an empty file is never one that is just being made.
 * No file that SQLite has open is opened here: closing it would give up SQLite's locks (sqlite.org/howtocorrupt.html).
 */
function createFile(path: string): void {
  const made = `${path}.new-${process.pid}`;
  try {
    rmSync(made, { force: true });
    // SQLite would make a file that is readable for everybody.
    closeSync(openSync(made, 'wx', FILE_MODE));
    const database = new DatabaseSync(made);
    database.exec('pragma journal_mode = wal');
    database.close();
    unlessExists(() => linkSync(made, path));
    syncNames(dirname(path));
  } catch (error) {
    throw explainFault(`Cannot make the database ${path}`, error);
  } finally {
    rmSync(made, { force: true });
  }
}

/** What cannot be written could be read, but not be served: SQLite would say so with the first write only. */
function requireAccess(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    const { errno, code } = Object(error);
    if (code === 'ENOENT') return;
    const words = `Cannot read and write ${path}: ${getSystemErrorMessage(errno)}.`;
    const advice = 'It must belong to the user who runs this, on a disk that can be written.';
    throw new AppError('unavailable', `${words} ${advice}`, { cause: error });
  }
}

/**
 * One parent after the other: `mkdirSync` with `recursive` never returns where a parent cannot be, as below /proc. SQLite sees
 * to the names in a directory, and nobody to its own: without a sync a power loss could take it, with all that was acknowledged.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    throw new AppError('unavailable', `${path} is no directory; set DATA_DIR to one.`);
  }
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    unlessExists(() => mkdirSync(path, { mode: DIRECTORY_MODE }));
    syncNames(parent);
  } catch (error) {
    throw explainFault(`Cannot make the directory ${path}`, error);
  }
}

/** Another process that starts at the same time may have been first. */
function unlessExists(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error;
  }
}

/** What file systems say that have no such thing. */
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP']);

/** Returns once the names in a directory are on the disk. */
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

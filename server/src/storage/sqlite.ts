<<<<<<< HEAD
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
=======
import { statSync } from 'node:fs';
>>>>>>> 7647b63 (What a merge had taken away is there again: administrators' proof, damaged files, trials of passwords)
import { AppError } from '../model/errors.ts';
import type { Database } from './database.ts';
import { Checkpoints } from './sqlite/checkpoints.ts';
import { Connection, dialect } from './sqlite/connection.ts';
import { prepareFile } from './sqlite/database-file.ts';
import { RESTORE_ADVICE } from './sqlite/errors.ts';
import { findFault } from './sqlite/integrity.ts';
import { migrate } from './sqlite/migrate.ts';
import { openConnection, openReader } from './sqlite/open-connection.ts';
import { ReaderThreads } from './sqlite/reader-threads.ts';
import { WriteQueue } from './sqlite/write-queue.ts';

/** Read in half a second; a larger one is read whole by each backup. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Opens the database file, makes it if there is none, and brings its tables up to date.
 * @throws {AppError} `unavailable` with words for the operator: not a database, damaged, from a newer version,
 * not writable
 */
export function openSqlite(path: string): Database {
  prepareFile(path);
  const writer = openConnection(path);
  migrate(writer, path);
  const reader = openReader(path);
  // The queue waits with a timer: waiting inside SQLite would stop the event loop.
  writer.exec('pragma busy_timeout = 0');

  const reading = new Connection(reader);
  const scans = new ReaderThreads(path);
  const checkpoints = new Checkpoints(writer, path);
  const queue = new WriteQueue(writer, checkpoints);
  return {
    name: path,
    dialect,
    scans,
    execute: (statement, parameters) => reading.execute(statement, parameters),
    executeRun: (statement, parameters, bytesMax) => reading.executeRun(statement, parameters, bytesMax),
    write: (job) => queue.submit(job),
    writeLong: (job) => queue.submit(job, { isLong: true }),
    requireSound() {
      if (statSync(path).size > CHECKED_BYTES_MAX) return;
      const fault = findFault(reader, 'quick_check');
      if (fault !== undefined)
        throw new AppError('unavailable', `The database ${path} is damaged: ${fault}. ${RESTORE_ADVICE}`);
    },
    async close() {
      await queue.close();
      await checkpoints.close();
      await scans.close();
      reader.close();
      writer.close();
    },
  };
}
<<<<<<< HEAD

/** For the operator's eyes only: the database holds everybody's data. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** SQLite would make a new file readable for everybody. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', FILE_MODE));
  } catch {
    // Opening the database says why.
  }
}

/**
 * One parent after the other: `mkdirSync` with `recursive` never returns where a parent cannot be, as below /proc. SQLite sees
 * to the names in a directory, and nobody to its own: without a sync a power loss could take it, with all that was acknowledged.
 */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    mkdirSync(path, { mode: DIRECTORY_MODE });
    syncNames(parent);
  } catch (error) {
    // Another process that starts at the same time may have been first.
    if (existsSync(path)) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('unavailable', `Cannot make the directory ${path}: ${reason}.`, { cause: error });
  }
}

/** Returns once the names in a directory are on the disk. */
function syncNames(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
=======
>>>>>>> 7647b63 (What a merge had taken away is there again: administrators' proof, damaged files, trials of passwords)

import { statSync } from 'node:fs';
import { AppError } from '../model/errors.ts';
import type { Database } from './database.ts';
import type { TellProgress } from './rebuild.ts';
import { Checkpoints } from './sqlite/checkpoints.ts';
import { Connection, dialect } from './sqlite/connection.ts';
import { measureFile, prepareFile } from './sqlite/database-file.ts';
import { RESTORE_ADVICE } from './sqlite/errors.ts';
import { Indexing } from './sqlite/listing-index.ts';
import { migrate } from './sqlite/migrate.ts';
import { openConnection, openReader } from './sqlite/open-connection.ts';
import { ReaderThreads } from './sqlite/reader-threads.ts';
import { RequestLogFile } from './sqlite/request-log-file.ts';
import { SqliteSearch } from './sqlite/search.ts';
import { findFault } from './sqlite/snapshot.ts';
import { WriteQueue } from './sqlite/write-queue.ts';

/** Database files up to this size are checked at startup, in half a second. Backups also check larger files. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Twice the size of 10,000 listings of 500 bytes with their search terms, since a change counts both what it writes
 * and what it replaces. Writing these 10,000 listings delays all other writes by up to 250 ms.
 */
const LONG_WRITE_BYTES_MAX = 24 * 1024 * 1024;

/**
 * Opens the database file, creates it if there is none, and migrates its tables. `isShared`: whether other
 * processes also serve requests.
 * @throws {AppError} with a message for the operator: `unavailable` if the file is damaged, from a newer
 * release, or not writable, or `storage_full`
 */
export async function openSqlite(path: string, isShared: boolean, tell: TellProgress): Promise<Database> {
  prepareFile(path);
  const writer = openConnection(path);
  await migrate(writer, path, tell);
  const reader = openReader(path);
  // The write queue waits for locks with a timer instead, since waiting inside SQLite would block the event
  // loop.
  writer.exec('pragma busy_timeout = 0');

  const reading = new Connection(reader);
  const scans = new ReaderThreads(path, { isShared });
  const checkpoints = new Checkpoints(writer, path);
  const requestLog = new RequestLogFile(requestLogPath(path));
  const queue = new WriteQueue(writer, checkpoints, new Indexing(writer));
  return {
    name: path,
    dialect,
    scans,
    search: new SqliteSearch(reader, scans),
    requestLog,
    execute: (statement, parameters) => reading.execute(statement, parameters),
    executeRun: (statement, parameters, bytesMax) => reading.executeRun(statement, parameters, bytesMax),
    // Reads never wait, so a health check can always query.
    isServing: () => false,
    // Writes wait in a queue with a limit per account, which `requireRoom` checks.
    isOverfull: () => false,
    requireRoom: (accountId) => queue.requireRoom(accountId),
    longWriteBytesMax: LONG_WRITE_BYTES_MAX,
    write: (job, accountId) => queue.submit(job, { accountId }),
    writeLong: (job, accountId) => queue.submit(job, { accountId, isLong: true }),
    truncateLog: () => checkpoints.truncate(),
    requireSound() {
      if (statSync(path).size > CHECKED_BYTES_MAX) return;
      const fault = findFault(reader, 'quick_check');
      if (fault !== undefined)
        throw new AppError('unavailable', `The database ${path} is damaged: ${fault}. ${RESTORE_ADVICE}`);
    },
    measure: () => ({ waitingWrites: queue.length, file: measureFile(path) }),
    async close() {
      await queue.close();
      await checkpoints.close();
      await scans.close();
      await requestLog.close();
      reader.close();
      writer.close();
    },
  };
}

/** `listings.requests.db` next to `listings.db`. */
export function requestLogPath(path: string): string {
  return path.replace(/(?:\.db)?$/, '.requests.db');
}

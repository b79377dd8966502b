import { statSync, writeFileSync } from 'node:fs';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../model/errors.ts';
import { FILE_SCHEME } from './open.ts';
import { lockFile } from './sqlite/file-lock.ts';
import { FILE_MODE, giveToService } from './sqlite/files.ts';

/**
 * The file that records the database's last backup, next to the database. A table would be part of the backup, so
 * a restore would replace the record.
 */
function markerOf(path: string): string {
  return `${path}-last-backup`;
}

/** Records that a backup of the database has succeeded, and where it is. @returns a warning if that fails */
export function noteBackup(path: string, file: string): string | undefined {
  const marker = markerOf(path);
  try {
    writeFileSync(marker, `${file}\n`, { mode: FILE_MODE });
    giveToService(marker);
    return undefined;
  } catch (error) {
    return `The backup is complete, but ${marker} cannot be written: ${Object(error).code}. "check" shows the time of an earlier backup.`;
  }
}

/** When `backup` last succeeded, in seconds since 1970; undefined if never, or on PostgreSQL. */
export function findLastBackup(databaseUrl: string): number | undefined {
  if (!databaseUrl.startsWith(FILE_SCHEME)) return undefined;
  const marker = statSync(markerOf(databaseUrl.slice(FILE_SCHEME.length)), { throwIfNoEntry: false });
  return marker && marker.mtimeMs / 1_000;
}

/**
 * Claims the next scheduled backup on behalf of all processes that use the database.
 * @returns the claim, which lasts until it is disposed of; undefined if another process has it
 */
export function claimBackup(databaseUrl: string): Disposable | undefined {
  const path = `${databaseUrl.slice(FILE_SCHEME.length)}-backup-lock`;
  const claim = lockFile(path);
  giveToService(path);
  return claim;
}

/** Names the database whose scheduled backups are in the directory. */
const OWNER_FILE = 'property-listings-database.txt';

/**
 * Two databases, such as those of a service and of its copy with the same settings, must not share a directory
 * for scheduled backups: the removal of old backups keeps the newest backup of each period, and would delete
 * the other database's backup of that period.
 * @throws {AppError} `conflict` if the directory contains the backups of another database
 */
export async function requireOwnDirectory(directory: string, databaseUrl: string): Promise<void> {
  const owner = await findOwner(directory);
  if (owner === undefined || owner === (await realFile(databaseUrl))) return;
  const marker = join(directory, OWNER_FILE);
  const advice = `set BACKUP_DIR to another directory, or, if that database has been moved here, delete ${marker}`;
  throw new AppError('conflict', `${directory} contains the backups of ${owner}; ${advice}.`);
}

/** @throws {AppError} as `requireOwnDirectory` does */
export async function claimDirectory(directory: string, databaseUrl: string): Promise<void> {
  await requireOwnDirectory(directory, databaseUrl);
  if ((await findOwner(directory)) !== undefined) return;
  await writeFile(join(directory, OWNER_FILE), `${await realFile(databaseUrl)}\n`, { mode: FILE_MODE });
}

/** The database that a directory's backups belong to. An empty marker, which a full disk can leave, is ignored. */
async function findOwner(directory: string): Promise<string | undefined> {
  const content = await readFile(join(directory, OWNER_FILE), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return content.trim() || undefined;
}

async function realFile(databaseUrl: string): Promise<string> {
  const path = databaseUrl.slice(FILE_SCHEME.length);
  return await realpath(path).catch(() => path);
}

import { statSync, writeFileSync } from 'node:fs';
import { FILE_SCHEME } from './open.ts';
import { lockFile } from './sqlite/file-lock.ts';
import { FILE_MODE, giveToService } from './sqlite/files.ts';

/** A file beside the database. A table would be a part of the backup, and of what a restore replaces. */
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
 * Claims the next scheduled backup, for all processes with the database.
 * @returns the claim, until it is disposed of; undefined if another process has it
 */
export function claimBackup(databaseUrl: string): Disposable | undefined {
  const path = `${databaseUrl.slice(FILE_SCHEME.length)}-backup-lock`;
  const claim = lockFile(path);
  giveToService(path);
  return claim;
}

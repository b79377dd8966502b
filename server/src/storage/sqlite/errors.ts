import { AppError } from '../../model/errors.ts';
import { diskFull, NOTHING_WRITTEN, outcomeUnknown, unavailable } from '../errors.ts';

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
/** No disk space for the index of the log (sqlite.org/rescode.html#ioerr_shmsize). */
const SQLITE_IOERR_SHMSIZE = 4_874;
const UNAVAILABLE = new Set([SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN]);

export const RESTORE_ADVICE =
  'If the database belongs to this service, restore a backup with "property-listings restore FILE --force", where ' +
  'FILE is the backup.';

/** Keeps SQLite's error in `cause`, which is only logged. */
export function translateError(error: unknown): unknown {
  const code = primaryCode(error);
  if (isFull(error)) return diskFull(error);
  if (code !== undefined && UNAVAILABLE.has(code)) return unavailable(NOTHING_WRITTEN, error);
  if (isDamaged(error)) {
    return new AppError('internal_error', 'The service cannot read its data; see its log.', {
      cause: new Error(`The database is damaged. Stop the service. ${RESTORE_ADVICE}`, { cause: error }),
    });
  }
  return error;
}

/** A commit that fails because the disk is full writes nothing. After other errors, the outcome is unknown. */
export function translateCommitError(error: unknown): unknown {
  if (primaryCode(error) === SQLITE_FULL) return translateError(error);
  return outcomeUnknown(error);
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

export function isDamaged(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** Whether the disk is full, according to SQLite or the system. */
function isFull(error: unknown): boolean {
  if (primaryCode(error) === SQLITE_FULL || codeOf(error) === SQLITE_IOERR_SHMSIZE) return true;
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}

export function isStorageFull(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_full';
}

export function explainFault(what: string, error: unknown): AppError {
  if (isFull(error)) {
    return new AppError('storage_full', `${what}: the disk is full. Free up space, then try again.`, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  const advice = isDamaged(error) ? ` ${RESTORE_ADVICE}` : '';
  return new AppError('unavailable', `${what}: ${reason}.${advice}`, { cause: error });
}

function primaryCode(error: unknown): number | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : code & 0xff;
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode;
}

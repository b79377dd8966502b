import { AppError } from '../../model/errors.ts';

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
const UNAVAILABLE = new Set([SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN]);

/** SQLite's words stay in `cause`, for the log: the customer reads ours. */
export function translateError(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === SQLITE_FULL) {
    return new AppError('storage_full', 'The disk is full and nothing was written; try again later.', { cause: error });
  }
  if (code !== undefined && UNAVAILABLE.has(code)) {
    return new AppError('unavailable', 'The database is not available and nothing was written; try again.', {
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
  return error;
}

/** A commit that failed for want of space wrote nothing; one that failed in the disk's hands may have. */
export function translateCommitError(error: unknown): unknown {
  if (primaryCode(error) === SQLITE_FULL) return translateError(error);
  return new AppError(
    'outcome_unknown',
    'The database failed during the commit, so the change may or may not be stored; look before you send it again.',
    { cause: error },
  );
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** Whether the file is not what SQLite has written. */
export function isDamaged(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

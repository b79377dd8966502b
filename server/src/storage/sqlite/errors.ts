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
/** No room for the index of the log (sqlite.org/rescode.html#ioerr_shmsize). */
const SQLITE_IOERR_SHMSIZE = 4_874;
const UNAVAILABLE = new Set([SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN]);

/** What the operator can do about a damaged database. */
export const RESTORE_ADVICE =
  'If it was one of this service, restore a backup: property-listings restore FILE --force.';

/** SQLite's words stay in `cause`, for the log: the customer reads ours. */
export function translateError(error: unknown): unknown {
  const code = primaryCode(error);
  if (isFull(error)) {
    return new AppError('storage_full', 'The disk is full and nothing was written; try again later.', { cause: error });
  }
  if (code !== undefined && UNAVAILABLE.has(code)) {
    return new AppError('unavailable', 'The database is not available and nothing was written; try again.', {
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
  if (isDamaged(error)) {
    return new AppError('internal_error', 'The service cannot read its data; its log tells the operator what to do.', {
      cause: new Error(`The database is damaged. Stop the service. ${RESTORE_ADVICE}`, { cause: error }),
    });
  }
  return error;
}

/** A commit that failed for want of space wrote nothing; one that failed in the disk's hands may have. */
export function translateCommitError(error: unknown): unknown {
  if (primaryCode(error) === SQLITE_FULL) return translateError(error);
  return new AppError(
    'outcome_unknown',
    'The database failed during the commit, so the change may or may not be stored; check before you send it again.',
    { cause: error },
  );
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** Whether the file is not what SQLite has written. */
function isDamaged(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** Whether there is no room on the disk, as SQLite or the system says. */
function isFull(error: unknown): boolean {
  if (primaryCode(error) === SQLITE_FULL || codeOf(error) === SQLITE_IOERR_SHMSIZE) return true;
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}

/** Whether a translated error says so. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_full';
}

/** What an operator is told of a fault, and what to do about it. */
export function explainFault(what: string, error: unknown): AppError {
  if (isFull(error)) {
    return new AppError('storage_full', `${what}: the disk is full. Make room, then try again.`, { cause: error });
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

import { AppError } from '../model/errors.ts';

export const NOTHING_WRITTEN = 'The database is not available and nothing was written; try again.';

export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

export function stopping(): AppError {
  return unavailable('The service is stopping; send the request again.');
}

export function tooManyChanges(): AppError {
  return unavailable("Too many of this account's changes are waiting, and nothing was written; retry later.");
}

export function diskFull(cause: unknown): AppError {
  return new AppError('storage_full', 'The disk is full and nothing was written; try again later.', { cause });
}

export function outcomeUnknown(cause: unknown): AppError {
  const message =
    'The database failed during the commit; the change might or might not be stored. Check before you retry.';
  return new AppError('outcome_unknown', message, { cause });
}

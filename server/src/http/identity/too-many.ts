import { AppError } from '../../model/errors.ts';

/** Whoever does something too often is told what, and when they may go on. */
export function tooMany(what: string, waitMs: number): AppError {
  const minutes = Math.ceil(waitMs / 60_000);
  return new AppError(
    'rate_limited',
    `Too many ${what}; try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } },
  );
}

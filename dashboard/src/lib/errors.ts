import { ApiError } from '../api/client';

/** The message for errors in the dashboard itself. */
export const UNEXPECTED_ERROR = 'Something went wrong on this page. Reload it to continue.';

/** The service's message, followed by its messages about invalid fields. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return UNEXPECTED_ERROR;
  const issues = error.details.map(({ field, message }) => `${field.replace(/^query\./, '')}: ${message}`);
  return [error.summary, ...issues].join(' ');
}

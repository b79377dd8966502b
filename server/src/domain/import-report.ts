import { AppError, type ErrorCode, type RowIssue, type ValidationIssue } from '../model/errors.ts';
import type { RowOutcome } from './import-rows.ts';

/** Why a row was not imported; the members are those that the error would have in a reply of its own. */
interface RowFailure extends Record<string, unknown> {
  line: number;
  code: ErrorCode;
  message: string;
  details?: ValidationIssue[] | RowIssue[] | undefined;
}

/** What came of an import. */
export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The first of them; only the first faults of their fields are kept. */
  errors: RowFailure[];
}

/** So many rows, and so many faults of fields in all, are kept for a file: it may have a million of them. */
const ERRORS_MAX = 100;
const DETAILS_MAX = 100;

export function emptyReport(): ImportReport {
  return { created: 0, updated: 0, unchanged: 0, failed: 0, errors: [] };
}

export function addOutcome(report: ImportReport, { line, result }: RowOutcome): void {
  if (typeof result === 'string') {
    report[result] += 1;
    return;
  }
  report.failed += 1;
  if (report.errors.length >= ERRORS_MAX) return;
  const { code, message, members } = result;
  const kept = report.errors.reduce((count, { details }) => count + (details?.length ?? 0), 0);
  const details = kept < DETAILS_MAX ? result.details?.slice(0, DETAILS_MAX - kept) : undefined;
  report.errors.push({ line, code, message, ...members, details });
}

/** The error of an import that keeps all rows or none, when some of them cannot be. */
export function importFailed({ failed, errors }: ImportReport): AppError {
  const message =
    failed === 1
      ? 'One row cannot be imported, so none was; details says why.'
      : `${failed} rows cannot be imported, so none was; details names the first.`;
  return new AppError('import_failed', message, { details: errors.flatMap(toIssues).slice(0, ERRORS_MAX) });
}

/** The field that an error of a whole row is about. */
const FIELDS: Partial<Record<ErrorCode, string>> = { not_found: 'id', external_id_taken: 'externalId' };

function toIssues({ line, code, message, details }: RowFailure): RowIssue[] {
  if (details !== undefined) return details.map((issue) => ({ line, ...issue }));
  return [{ line, field: FIELDS[code] ?? 'body', code, message }];
}

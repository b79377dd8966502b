import { createCounter } from '../../lib/metrics.ts';
import { AppError, type ErrorCode, type RowIssue, type ValidationIssue } from '../../model/errors.ts';
import type { RowOutcome } from './import-rows.ts';

/** A row that was not imported, with the members of its error in a response. */
export interface RowFailure extends Record<string, unknown> {
  line: number;
  externalId?: string | undefined;
  code: ErrorCode;
  message: string;
  details?: (ValidationIssue | RowIssue)[] | undefined;
}

export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The number of rows with the same external id as an earlier row of the file. */
  repeated: number;
  /** The number of values that were not in the API's format, in rows that did not fail. */
  cleaned: number;
  /** The first failures. Together, they contain only a limited number of issues. */
  errors: RowFailure[];
}

/** Maximum numbers of failures and of issues in a report, because a file can have a million of each. */
const ERRORS_MAX = 100;
const DETAILS_MAX = 100;

const importedRows = createCounter({
  name: 'property_listings_import_rows_total',
  help: 'Rows of finished imports by outcome.',
  labels: ['outcome'],
});

/** Call this once per import that may have saved rows, even if the import ended early. */
export function countRows(report: ImportReport): void {
  for (const outcome of ['created', 'updated', 'unchanged', 'failed'] as const)
    importedRows.add({ outcome }, report[outcome]);
}

export function emptyReport(): ImportReport {
  return { created: 0, updated: 0, unchanged: 0, failed: 0, repeated: 0, cleaned: 0, errors: [] };
}

export function reportOf(outcomes: readonly RowOutcome[]): ImportReport {
  const report = emptyReport();
  for (const outcome of outcomes) addOutcome(report, outcome);
  return report;
}

/** @returns the failure with all its details; undefined if the row did not fail */
export function addOutcome(report: ImportReport, { row, result }: RowOutcome): RowFailure | undefined {
  if (row.isRepeated) report.repeated += 1;
  if (typeof result === 'string') {
    report[result] += 1;
    if ('makeInput' in row) report.cleaned += row.cleaned ?? 0;
    return undefined;
  }
  const { line, externalId } = row;
  const { code, message, members, details } = result;
  const failure = { line, externalId, code, message, ...members, details };
  report.failed += 1;
  if (report.errors.length < ERRORS_MAX) report.errors.push(shorten(failure, report));
  return failure;
}

/** Leaves out the details of a failure unless all of them fit into the report. The message then does not refer to them. */
function shorten(failure: RowFailure, { errors }: ImportReport): RowFailure {
  const { message, details = [] } = failure;
  const kept = errors.reduce((count, { details }) => count + (details?.length ?? 0), 0);
  if (kept + details.length <= DETAILS_MAX) return failure;
  return { ...failure, message: message.replace(SEE_DETAILS, ''), details: undefined };
}

const SEE_DETAILS = /; see details(?: for the first \d+)?(?=\.$)/;

export function importFailed({ failed, errors }: ImportReport): AppError {
  const message =
    failed === 1
      ? 'One row cannot be imported, so no rows were imported; see details.'
      : `${failed} rows cannot be imported, so no rows were imported; see details for the first ones.`;
  return new AppError('import_failed', message, { details: errors.flatMap(toIssues).slice(0, ERRORS_MAX) });
}

/** The fields to report for errors that concern a whole row. */
const FIELDS: Partial<Record<ErrorCode, string>> = { not_found: 'id', external_id_taken: 'externalId' };

function toIssues({ line, code, message, details }: RowFailure): RowIssue[] {
  if (details !== undefined) return details.map((issue) => ({ line, ...issue }));
  return [{ line, field: FIELDS[code] ?? 'body', code, message }];
}

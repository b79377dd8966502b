import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import { auditImport } from '../access/audit.ts';
import { type Actor, write } from '../writing/writing.ts';
import { DryRun } from './dry-run.ts';
import { addOutcome, countRows, emptyReport, type ImportReport, type RowFailure } from './import-report.ts';
import type { ImportRow, RowOutcome } from './import-rows.ts';
import { RowSaver } from './row-saver.ts';

export interface Import {
  actor: Actor;
  batches: AsyncIterable<ImportRow[]>;
  isDryRun: boolean;
  /** Called for each failed row. The import waits for the returned promise. */
  onFailure?: ((failure: RowFailure) => Promise<void>) | undefined;
  /** Called with the account's sequence after each commit that changed listings. */
  onCommit?: (sequence: number) => void;
  /** Aborts when the client disconnects, or when its key or session becomes invalid. `batches` then throws. */
  signal?: AbortSignal;
}

/** Saves at least the first row, and returns the outcomes of the saved rows. */
type SaveSome = (rows: ImportRow[]) => Promise<RowOutcome[]>;

/**
 * Saves the valid rows, batch by batch. Rows saved before an error stay saved.
 * @param onAuditError called if the audit entry cannot be written; the report is still correct
 * @throws {AppError} what `batches` and `write` throw, with the report so far as members
 */
export async function importRows(
  database: Database,
  { actor, batches, isDryRun, onCommit, onFailure }: Import,
  onAuditError: (error: unknown) => void,
): Promise<ImportReport> {
  const report = emptyReport();
  if (isDryRun) {
    await using dryRun = await DryRun.open(database, actor);
    await saveAll(
      batches,
      (rows) => dryRun.save(rows),
      report,
      onFailure,
      (error) => error.with({ ...report }),
    );
    return report;
  }
  try {
    const save = inTransactions(database, actor, onCommit);
    await saveAll(batches, save, report, onFailure, (error) => withReport(error, report));
  } finally {
    countRows(report);
    await auditReport(database, actor, report).catch(onAuditError);
  }
  return report;
}

async function saveAll(
  batches: AsyncIterable<ImportRow[]>,
  save: SaveSome,
  report: ImportReport,
  onFailure: Import['onFailure'],
  toReported: (error: AppError) => AppError,
): Promise<void> {
  try {
    for await (const rows of batches) await saveBatch(rows, save, report, onFailure);
  } catch (error) {
    throw error instanceof AppError ? toReported(error) : error;
  }
}

/** Runs in its own transaction after those of the rows. The report does not count rows whose outcome is unknown. */
async function auditReport(database: Database, { accountId, user }: Actor, report: ImportReport): Promise<void> {
  if (user === undefined) return;
  await database.write((transaction) => auditImport(transaction, user, report), accountId);
}

/** Adds the report. If rows were written, also replaces a database error's message that nothing was written. */
function withReport(error: AppError, report: ImportReport): AppError {
  const members = { ...error.members, ...report };
  const isPromise = error.code === 'unavailable' || error.code === 'storage_full';
  if (!isPromise || report.created + report.updated === 0) return error.with({ ...report });
  const message =
    'The import stopped early. Only the rows that this report counts as created or updated were written. Before ' +
    'you send the file again, remove from it the created rows without an externalId; otherwise, they are created twice.';
  return new AppError(error.code, message, { members, headers: error.headers, cause: error.cause });
}

async function saveBatch(
  rows: ImportRow[],
  save: SaveSome,
  report: ImportReport,
  onFailure: Import['onFailure'],
): Promise<void> {
  let rest = rows;
  while (rest.length > 0) {
    const issues = takeIssues(rest);
    const outcomes = issues.length > 0 ? issues : await save(rest);
    for (const outcome of outcomes) {
      const failure = addOutcome(report, outcome);
      if (failure !== undefined) await onFailure?.(failure);
    }
    rest = rest.slice(outcomes.length);
  }
}

/** The outcomes of the invalid rows before the first valid one. */
function takeIssues(rows: ImportRow[]): RowOutcome[] {
  const outcomes: RowOutcome[] = [];
  for (const row of rows) {
    if (!('issue' in row)) break;
    outcomes.push({ row, result: row.issue });
  }
  return outcomes;
}

/** Saves rows in successive transactions, each of which checks the actor. */
function inTransactions(database: Database, actor: Actor, onCommit: Import['onCommit']): SaveSome {
  const saver = new RowSaver();
  return async (rows) => {
    const { outcome, sequence } = await write(database, actor, undefined, (writing) => saver.save(writing, rows));
    if (sequence !== undefined) onCommit?.(sequence);
    return outcome;
  };
}

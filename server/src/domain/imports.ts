import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import { auditImport } from './by-hand.ts';
import { DryRun } from './dry-run.ts';
import { addOutcome, emptyReport, type ImportReport } from './import-report.ts';
import { type ImportRow, type RowOutcome, saveRows } from './import-rows.ts';
import { type Actor, write } from './writing.ts';

/** What is to be imported, and for whom. */
export interface Import {
  actor: Actor;
  /** Its rows, as they come. */
  batches: AsyncIterable<ImportRow[]>;
  /** Whether nothing is to be written. */
  isDryRun: boolean;
  /** Aborts when the outcome is not waited for any more; `batches` throw then. */
  signal?: AbortSignal;
}

/** Saves some rows, one at least. @returns what came of each */
type SaveSome = (rows: ImportRow[]) => Promise<RowOutcome[]>;

/**
 * Creates and changes listings, batch by batch, and keeps the good rows when others fail. Rows that were saved before an
 * error stay so. `onUntold` is called when the audit log could not be told: what was saved stays, and is what is answered.
 * @throws {AppError} what `batches` and `write` throw, with the report so far as members
 */
export async function importRows(
  database: Database,
  { actor, batches, isDryRun }: Import,
  onUntold: (error: unknown) => void,
): Promise<ImportReport> {
  const report = emptyReport();
  if (isDryRun) {
    await using dryRun = await DryRun.open(database, actor);
    await saveAll(batches, (rows) => dryRun.save(rows), report);
    return report;
  }
  try {
    await saveAll(batches, inTransactions(database, actor), report);
  } finally {
    await tell(database, actor, report).catch(onUntold);
  }
  return report;
}

async function saveAll(batches: AsyncIterable<ImportRow[]>, save: SaveSome, report: ImportReport): Promise<void> {
  try {
    for await (const rows of batches) await saveBatch(rows, save, report);
  } catch (error) {
    throw error instanceof AppError ? brokenOff(error, report) : error;
  }
}

/** Tells of what was imported by hand, once: whether an outcome that is not known was one cannot be told. */
async function tell(database: Database, { accountId, user }: Actor, report: ImportReport): Promise<void> {
  if (user === undefined) return;
  await database.write((transaction) => auditImport(transaction, user, report), accountId);
}

/** `unavailable` and `storage_full` promise that nothing was written: that is not so when rows were saved before. */
function brokenOff(error: AppError, report: ImportReport): AppError {
  const members = { ...error.members, ...report };
  const isPromise = error.code === 'unavailable' || error.code === 'storage_full';
  if (!isPromise || report.created + report.updated === 0) return error.with({ ...report });
  const message =
    'The import was broken off in the middle: what the counts say was written, and nothing after it; send the file again.';
  return new AppError(error.code, message, { members, headers: error.headers, cause: error.cause });
}

async function saveBatch(rows: ImportRow[], save: SaveSome, report: ImportReport): Promise<void> {
  let rest = rows;
  while (rest.length > 0) {
    const issues = takeIssues(rest);
    const outcomes = issues.length > 0 ? issues : await save(rest);
    for (const outcome of outcomes) addOutcome(report, outcome);
    rest = rest.slice(outcomes.length);
  }
}

/** The rows at fault before the first good one: there is nothing to save of them. */
function takeIssues(rows: ImportRow[]): RowOutcome[] {
  const outcomes: RowOutcome[] = [];
  for (const row of rows) {
    if (!('issue' in row)) break;
    outcomes.push({ line: row.line, result: row.issue });
  }
  return outcomes;
}

/** How long rows are saved before others have their turn. */
const WORK_MIN_MS = 1;
const WORK_MAX_MS = 5;

/**
 * Saves rows in one transaction after the other; the key is looked at in each. They are saved for about as long as a
 * commit takes: where disks are slow, others wait for the commit anyway, and an import would never end.
 */
function inTransactions(database: Database, actor: Actor): SaveSome {
  let workMs = WORK_MIN_MS;
  return async (rows) => {
    const startMs = performance.now();
    const { outcome } = await write(database, actor, undefined, (writing) => saveRows(writing, rows, workMs));
    const waitMs = performance.now() - startMs - workMs;
    workMs = Math.min(Math.max(waitMs, WORK_MIN_MS), WORK_MAX_MS);
    return outcome;
  };
}

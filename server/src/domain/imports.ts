import { AppError } from '../model/errors.ts';
import type { Database, LongSession } from '../storage/database.ts';
import { auditImport } from './by-hand.ts';
import { addOutcome, emptyReport, type ImportReport, importFailed } from './import-report.ts';
import { type ImportRow, type RowOutcome, saveRows } from './import-rows.ts';
import { Rehearsal } from './rehearsal.ts';
import { type Actor, type Retry, type Writing, type Written, write, writeLong } from './writing.ts';

/** What is to be imported, and for whom. */
export interface Import {
  actor: Actor;
  /** Its rows, as they come. */
  batches: AsyncIterable<ImportRow[]>;
  /** Whether nothing is to be written. */
  isDryRun: boolean;
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
    await using rehearsal = await Rehearsal.open(database, actor);
    await saveAll(batches, (rows) => rehearsal.save(rows), report);
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
async function tell(database: Database, { accountId, person }: Actor, report: ImportReport): Promise<void> {
  if (person === undefined) return;
  await database.write((session) => auditImport(session, person, report), accountId);
}

/** An error of the database says that nothing was written: that is not so when rows were saved before it. */
function brokenOff(error: AppError, report: ImportReport): AppError {
  const members = { ...error.members, ...report };
  const isDatabase = error.code === 'unavailable' || error.code === 'storage_full';
  if (!isDatabase || report.created + report.updated === 0) return error.with({ ...report });
  const message =
    'The database failed in the middle: what the counts say was written, and nothing after it; send the file again.';
  return new AppError(error.code, message, { members, headers: error.headers, cause: error.cause });
}

async function saveBatch(rows: ImportRow[], save: SaveSome, report: ImportReport): Promise<void> {
  let rest = rows;
  while (rest.length > 0) {
    const outcomes = await save(rest);
    for (const outcome of outcomes) addOutcome(report, outcome);
    rest = rest.slice(outcomes.length);
  }
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

/** So many rows are kept in memory, and saved while nobody else can write: about a second. */
const ATOMIC_ROWS_MAX = 10_000;

/**
 * Creates and changes listings in one transaction: all rows are saved, or none.
 * @param makeRetry asked once all rows have been read
 * @throws {AppError} `import_failed` with the faults of the rows; `payload_too_large` for too many; what `batches` and
 * `write` throw
 */
export async function importAtomically(
  database: Database,
  { actor, batches, isDryRun }: Import,
  makeRetry: () => Retry | undefined,
): Promise<Written<ImportReport>> {
  const rows = await gather(batches);
  const isFaulty = rows.some((row) => 'fault' in row);
  // A file that cannot be imported is tried where nobody has to wait for it, so that its other faults are told, too.
  const rehearsed = isDryRun || isFaulty ? await rehearse(database, actor, rows) : undefined;
  if (isDryRun && rehearsed) return { outcome: allOrNone(rehearsed), isReplayed: false };
  const retry = makeRetry();
  // That it is a retry with another file is told first.
  if (rehearsed) return write(database, actor, retry, async () => allOrNone(rehearsed));
  return writeLong(database, actor, retry, (writing) => saveTogether(writing, actor, rows));
}

async function gather(batches: AsyncIterable<ImportRow[]>): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  for await (const batch of batches) {
    rows.push(...batch);
    if (rows.length <= ATOMIC_ROWS_MAX) continue;
    const message = `An atomic import takes ${ATOMIC_ROWS_MAX} rows at most; send several files, or leave out atomic=true.`;
    throw new AppError('payload_too_large', message);
  }
  return rows;
}

async function saveTogether(writing: Writing<LongSession>, actor: Actor, rows: ImportRow[]): Promise<ImportReport> {
  const report = emptyReport();
  const save = async (rest: ImportRow[]) => {
    await writing.session.nextTurn();
    return saveRows(writing, rest, WORK_MIN_MS);
  };
  await saveBatch(rows, save, report);
  const kept = allOrNone(report);
  await auditImport(writing.session, actor.person, kept);
  return kept;
}

async function rehearse(database: Database, actor: Actor, rows: ImportRow[]): Promise<ImportReport> {
  const report = emptyReport();
  await using rehearsal = await Rehearsal.open(database, actor);
  await saveBatch(rows, (rest) => rehearsal.save(rest), report);
  return report;
}

function allOrNone(report: ImportReport): ImportReport {
  if (report.failed > 0) throw importFailed(report);
  return report;
}

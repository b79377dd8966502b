import { AppError } from '../model/errors.ts';
import type { Database, LongSession } from '../storage/database.ts';
import { auditImport } from './by-hand.ts';
import { emptyReport, type ImportReport, importFailed } from './import-report.ts';
import { type ImportRow, saveRows } from './import-rows.ts';
import { type Import, saveBatch } from './imports.ts';
import { Rehearsal } from './rehearsal.ts';
import { type Actor, type Retry, type Writing, type Written, write, writeLong } from './writing.ts';

/** How long rows are saved before others have their turn. */
const WORK_MIN_MS = 1;

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

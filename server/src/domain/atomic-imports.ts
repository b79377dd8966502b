import { ownTurn } from '../lib/turns.ts';
import { AppError } from '../model/errors.ts';
import type { Database, LongTransaction } from '../storage/database.ts';
import { versionFloorOf } from '../storage/database-info.ts';
import { auditImport } from './by-hand.ts';
import { ImportPlan } from './import-plan.ts';
import { type ImportReport, importFailed } from './import-report.ts';
import type { ImportRow } from './import-rows.ts';
import type { Import } from './imports.ts';
import {
  findWritten,
  getActingAccount,
  type IdempotentRequest,
  type Writing,
  type Written,
  write,
  writeLong,
} from './writing.ts';

/** So many rows are kept in memory, and written while others wait. */
const ATOMIC_ROWS_MAX = 10_000;

/**
 * Creates and changes listings in one transaction: all rows are saved, or none. Everything is looked up and worked out
 * before the transaction begins, which only writes.
 * @param makeIdempotentRequest asked once all rows have been read
 * @throws {AppError} `import_failed` with the faults of the rows; `payload_too_large` for too many or too much to write;
 * `unavailable` if the listings change faster than the file is prepared; what `batches` and `write` throw;
 * why `signal` aborts, unless it is being written
 */
export async function importAtomically(
  database: Database,
  request: Import,
  makeIdempotentRequest: () => IdempotentRequest | undefined,
): Promise<Written<ImportReport>> {
  const { actor, batches, isDryRun } = request;
  const rows = await gather(batches);
  const idempotency = isDryRun ? undefined : makeIdempotentRequest();
  // That it is a retry, or one with another file, is told first. What was read may not have reached the standby, if the
  // first attempt was interrupted: it is told behind a commit, which waits for that.
  const earlier = idempotency && (await findWritten<ImportReport>(database, actor, idempotency));
  if (earlier !== undefined) return write(database, actor, idempotency, async () => earlier.outcome);
  const plan = await prepare(database, request, rows);
  if (isDryRun) return { outcome: allOrNone(plan.report), isReplayed: false };
  if (plan.report.failed > 0) return write(database, actor, idempotency, async () => allOrNone(plan.report));
  return save(database, request, idempotency, plan);
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

async function prepare(database: Database, request: Import, rows: ImportRow[]): Promise<ImportPlan> {
  const { actor } = request;
  const account = await getActingAccount(database, actor);
  const limits = { versionFloor: versionFloorOf(actor.epoch ?? ''), bytesMax: database.longWriteBytesMax };
  const plan = new ImportPlan(rows, account, limits);
  await plan.make(database, pauseOutside(database, request));
  return plan;
}

/** How long a file is worked on before others have their turn: outside of a transaction, and within it. */
const SLICE_MS = 2;
/** How often it is asked whether the key, or the session, is still one. */
const ACTOR_INTERVAL_MS = 250;

function pauseOutside(database: Database, { actor, signal }: Import): () => Promise<void> {
  let askedMs = performance.now();
  return pauseAfterSlices(async () => {
    await ownTurn(actor.accountId);
    signal?.throwIfAborted();
    if (performance.now() - askedMs < ACTOR_INTERVAL_MS) return;
    await getActingAccount(database, actor);
    askedMs = performance.now();
  });
}

function pauseAfterSlices(turn: () => Promise<void>): () => Promise<void> {
  let sliceEndMs = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < sliceEndMs) return;
    await turn();
    sliceEndMs = performance.now() + SLICE_MS;
  };
}

/** So many changes that others have made meanwhile are looked at within the transaction, and outside of it. */
const CHANGES_MAX = { inside: 100, outside: 1_000 };
const ATTEMPTS_MAX = 5;

/** More has changed than can be looked at while others wait. */
class StalePlanError extends AppError {
  constructor() {
    const message =
      'The listings change faster than the file can be prepared, and nothing was written; send it again later.';
    super('unavailable', message, { headers: { 'Retry-After': '5' } });
  }
}

async function save(
  database: Database,
  request: Import,
  idempotency: IdempotentRequest | undefined,
  plan: ImportPlan,
): Promise<Written<ImportReport>> {
  const { actor } = request;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeLong(database, actor, idempotency, (writing) => saveTogether(writing, request, plan));
    } catch (error) {
      if (!(error instanceof StalePlanError) || attempt === ATTEMPTS_MAX) throw error;
      const account = await getActingAccount(database, actor);
      const pause = pauseOutside(database, request);
      const isFresh = await plan.refresh(database, account, CHANGES_MAX.outside, pause);
      if (!isFresh) await plan.remake(database, account, pause);
    }
  }
}

async function saveTogether(
  writing: Writing<LongTransaction>,
  { actor, signal }: Import,
  plan: ImportPlan,
): Promise<ImportReport> {
  signal?.throwIfAborted();
  const { transaction, account } = writing;
  const pause = pauseAfterSlices(() => transaction.nextTurn());
  if (!(await plan.refresh(transaction, account, CHANGES_MAX.inside, pause))) throw new StalePlanError();
  const report = allOrNone(plan.report);
  await plan.batch.store(writing);
  await auditImport(transaction, actor.user, report);
  return report;
}

function allOrNone(report: ImportReport): ImportReport {
  if (report.failed > 0) throw importFailed(report);
  return report;
}

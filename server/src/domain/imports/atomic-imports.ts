import { collectSoon, untilMarkingEnds } from '../../lib/garbage.ts';
import { pauseAfterSlices } from '../../lib/pause.ts';
import { ownTurn } from '../../lib/turns.ts';
import { AppError } from '../../model/errors.ts';
import type { Database, LongTransaction } from '../../storage/database.ts';
import { versionFloorOf } from '../../storage/database-info.ts';
import { FairSemaphore } from '../../storage/fair-semaphore.ts';
import { type KeepText, StagedTexts } from '../../storage/open.ts';
import { auditImport } from '../access/audit.ts';
import {
  findEarlierResult,
  getActingAccount,
  type IdempotentRequest,
  type WriteResult,
  type Writing,
  write,
  writeLong,
} from '../writing/writing.ts';
import { changesTooMuch, ImportPlan } from './import-plan.ts';
import { countRows, type ImportReport, importFailed, reportOf } from './import-report.ts';
import type { ImportRow, RowOutcome } from './import-rows.ts';
import type { Import } from './imports.ts';

/** Maximum rows in a file. While they are written, the account's other writes wait; on SQLite, all other writes. */
const ATOMIC_ROWS_MAX = 10_000;
/** A plan larger than this leaves megabytes of garbage, so garbage is collected soon afterward. */
const LARGE_PLAN_BYTES = 1024 * 1024;

/** Maximum number of concurrent plans. A plan takes 1 to 2 KB of memory per row. */
const PLANS_MAX = 4;
const plans = new FairSemaphore(PLANS_MAX, 1);

type StagedImport = Import & { keep: KeepText };

/**
 * Saves all rows in one transaction, or none. The changes are computed before the transaction, which recomputes only
 * outdated changes before it writes.
 * @param makeIdempotentRequest called when all rows have been read
 * @param memoryLengthMax how many characters of the rows and plan to keep in memory; the rest is on disk
 * @throws {AppError} `import_failed` with the issues of the rows, `payload_too_large`, `unavailable` if the listings
 * change too fast, what `batches` and `write` throw, or the reason of `signal` if it aborts before the last `nextTurn`
 * of the transaction, which is then rolled back
 */
export async function importAtomically(
  database: Database,
  request: Import,
  makeIdempotentRequest: () => IdempotentRequest | undefined,
  memoryLengthMax?: number,
): Promise<WriteResult<ImportReport>> {
  using texts = new StagedTexts(memoryLengthMax);
  return await importFile(database, { ...request, keep: texts.keep }, makeIdempotentRequest);
}

async function importFile(
  database: Database,
  request: StagedImport,
  makeIdempotentRequest: () => IdempotentRequest | undefined,
): Promise<WriteResult<ImportReport>> {
  const { actor, isDryRun, signal } = request;
  const rows = await gather(request, database.longWriteBytesMax);
  const idempotency = isDryRun ? undefined : makeIdempotentRequest();
  // The first attempt's outcome may not have reached the standby yet, so a retry also calls
  // `write`, whose commit waits for the standby.
  const earlier = idempotency && (await findEarlierResult<ImportReport>(database, actor, idempotency));
  if (earlier !== undefined) return write(database, actor, idempotency, async () => earlier.outcome);
  return await plans.run(actor.accountId, () => planAndSave(database, request, rows, idempotency), { signal });
}

async function planAndSave(
  database: Database,
  request: StagedImport,
  rows: ImportRow[],
  idempotency: IdempotentRequest | undefined,
): Promise<WriteResult<ImportReport>> {
  const { actor, isDryRun } = request;
  const plan = await createPlan(database, request, rows);
  try {
    await plan.make(database, pauseOutside(database, request));
    const { failed } = reportOf(plan.outcomes);
    if (isDryRun) return { outcome: allOrNone(plan.outcomes), isReplayed: false };
    if (failed > 0) return await write(database, actor, idempotency, async () => allOrNone(plan.outcomes));
    return await save(database, request, idempotency, plan);
  } finally {
    if (plan.bytes > LARGE_PLAN_BYTES) collectSoon();
  }
}

async function gather({ batches, actor, keep }: StagedImport, bytesMax: number): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    rows.push(...batch);
    // A lower bound, because the listings will not be shorter than the rows.
    for (const row of batch) bytes += 'issue' in row ? 0 : (row.stage?.(keep) ?? 0);
    if (bytes > bytesMax) throw changesTooMuch(bytesMax);
    // On SQLite, pauses while a long write, such as another atomic import, is in progress.
    await ownTurn(actor.accountId);
    await untilMarkingEnds();
    if (rows.length <= ATOMIC_ROWS_MAX) continue;
    const remedy = 'send several files, or omit atomic=true';
    throw new AppError('payload_too_large', `An atomic import can have at most ${ATOMIC_ROWS_MAX} rows; ${remedy}.`);
  }
  return rows;
}

async function createPlan(database: Database, { actor, keep }: StagedImport, rows: ImportRow[]): Promise<ImportPlan> {
  const account = await getActingAccount(database, actor);
  const versionFloor = versionFloorOf(actor.epoch ?? '');
  return new ImportPlan(rows, account, { versionFloor, bytesMax: database.longWriteBytesMax, keep });
}

/** How often the key or session is checked again. */
const ACTOR_INTERVAL_MS = 250;

function pauseOutside(database: Database, { actor, signal }: Import): () => Promise<void> {
  let askedMs = performance.now();
  return pauseAfterSlices(async () => {
    await ownTurn(actor.accountId);
    await untilMarkingEnds();
    signal?.throwIfAborted();
    if (performance.now() - askedMs < ACTOR_INTERVAL_MS) return;
    await getActingAccount(database, actor);
    askedMs = performance.now();
  });
}

/** Maximum number of concurrent changes that a refresh of the plan reads, inside and outside the transaction. */
const CHANGES_MAX = { inside: 100, outside: 1_000 };
const ATTEMPTS_MAX = 5;

/** Thrown if the plan cannot be refreshed inside the transaction, usually because of too many concurrent changes. */
class StalePlanError extends AppError {
  constructor() {
    const message =
      'The listings are changing faster than the import can be prepared. Nothing was written; retry later.';
    super('unavailable', message, { headers: { 'Retry-After': '5' } });
  }
}

async function save(
  database: Database,
  request: Import,
  idempotency: IdempotentRequest | undefined,
  plan: ImportPlan,
): Promise<WriteResult<ImportReport>> {
  const { actor } = request;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const saved = await writeLong(database, actor, idempotency, (writing) => saveTogether(writing, request, plan));
      if (!saved.isReplayed) countRows(saved.outcome);
      return saved;
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
  const { account } = writing;
  const transaction = abortableBy(signal, writing.transaction);
  const pause = pauseAfterSlices(() => transaction.nextTurn());
  if (!(await plan.refresh(transaction, account, CHANGES_MAX.inside, pause))) throw new StalePlanError();
  const report = allOrNone(plan.outcomes);
  await plan.batch.store({ ...writing, transaction });
  await auditImport(transaction, actor.user, report);
  return report;
}

/** Returns the transaction with a `nextTurn` that rejects with the reason of `signal` once `signal` aborts. */
function abortableBy(signal: AbortSignal | undefined, transaction: LongTransaction): LongTransaction {
  return {
    hasCountTriggers: transaction.hasCountTriggers,
    execute: transaction.execute.bind(transaction),
    executeRun: transaction.executeRun.bind(transaction),
    async nextTurn() {
      await transaction.nextTurn();
      signal?.throwIfAborted();
    },
  };
}

/** @throws {AppError} `import_failed` */
function allOrNone(outcomes: readonly RowOutcome[]): ImportReport {
  const report = reportOf(outcomes);
  if (report.failed > 0) throw importFailed(report);
  return report;
}

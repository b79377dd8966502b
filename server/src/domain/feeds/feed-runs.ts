import { untilMarkingEnds } from '../../lib/garbage.ts';
import { pauseAfterSlices } from '../../lib/pause.ts';
import { ownTurn } from '../../lib/turns.ts';
import { AppError } from '../../model/errors.ts';
import { DEFAULT_SETTINGS, type FeedCounts, type FeedSettings, type MissingMode } from '../../model/feeds.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import type { Database } from '../../storage/database.ts';
import { versionFloorOf } from '../../storage/database-info.ts';
import { findFailures } from '../../storage/feed-errors.ts';
import type { StoredRun } from '../../storage/feed-runs.ts';
import { findFeed, findLastColumns } from '../../storage/feeds.ts';
import { StagedFile } from '../../storage/open.ts';
import { type Actor, getActingAccount, type Reader } from '../writing/writing.ts';
import { FeedApplication } from './feed-apply.ts';
import { FeedComparison, findKnownRows } from './feed-comparison.ts';
import { EXAMPLES_LENGTH_MAX, EXAMPLES_MAX, FeedExamples } from './feed-examples.ts';
import { hasAllFailures, storeFailures } from './feed-failures.ts';
import { countListings, type GuardReason, judge, requireFewFailures, stoppedByGuard } from './feed-guard.ts';
import { LeasedRun } from './feed-lease.ts';
import { FeedPlan, type PlanId, parsePlanId } from './feed-plan.ts';
import { limitStored } from './feed-purge.ts';
import type { FeedSource } from './feed-rows.ts';

export interface FeedRequest<R extends Reader = Actor> {
  actor: R;
  name: string;
  /** What to do with missing listings; undefined if the request does not specify it. */
  missing: MissingMode | undefined;
  /** Derives the run's settings from the feed's stored settings. @throws {AppError} `validation_failed` */
  settle(stored: FeedSettings): FeedSettings;
  /** The id of the plan to apply; undefined if the request does not specify a plan. */
  planId: string | undefined;
  source: FeedSource;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** Maximum number and total length of the failed rows in a run's record. */
const ERRORS_MAX = 100;
const ERRORS_LENGTH_MAX = 256 * 1024;

/**
 * Makes a feed's listings match its file: plans all changes, checks the plan, and applies it.
 * @throws {AppError} `invalid_query`, `feed_guard`, `feed_busy`, `quota_exceeded` for too many feeds, or what
 * `settle`, `read`, and `write` throw
 */
export async function runFeed(database: Database, request: FeedRequest): Promise<StoredRun> {
  const { actor, name, planId } = request;
  const expected = planId === undefined ? undefined : parsePlanId(planId);
  requireSameMissing(request.missing, expected);
  using leased = await LeasedRun.begin(database, actor, name);
  try {
    // Otherwise, a client could fill the disk before the next purge.
    await limitStored(database, actor.accountId, request.signal);
    const settings = { ...request.settle(leased.settings), ...(expected && { missing: expected.missing }) };
    using file = new StagedFile();
    const plan = await makePlan(database, request, settings, new FeedPlan(file));
    await storePlanned(leased, plan, request);
    const planId = requireConsent(plan, request, settings, expected);
    const application = new FeedApplication(leased, file, request);
    await application.writeRows();
    requireFewFailures(plan, leased.run, settings, { planId, isAccepted: expected !== undefined });
    await application.writeMissing(settings.missing);
    await noteErrors(database, leased);
    await leased.end({ outcome: 'succeeded', error: null }, request.source.columns);
    return leased.run;
  } catch (error) {
    const reported = error instanceof AppError ? withRun(error, leased.run) : error;
    await endWithError(database, leased, reported);
    throw reported;
  }
}

/** Adds the run's id. If listings were changed, also replaces a database error's message that nothing was written. */
function withRun(error: AppError, { id, counts }: StoredRun): AppError {
  const isPromise = error.code === 'unavailable' || error.code === 'storage_full';
  const changed = counts.created + counts.updated + counts.withdrawn + counts.deleted;
  if (!isPromise || changed === 0) return error.with({ runId: id });
  const what = countListings(changed);
  const message = `The run stopped early, after it had changed ${what}. Send the file again to complete it.`;
  const members = { ...error.members, runId: id };
  return new AppError(error.code, message, { members, headers: error.headers, cause: error.cause });
}

export interface ShownPlan extends FeedCounts {
  feed: string;
  planId: string;
  guard: GuardReason[];
  examples: Record<'create' | 'update' | 'missing' | 'failed', object[]>;
}

/** Returns what a run would do. @throws {AppError} `unauthorized`, or what `settle` and `read` throw */
export async function planFeed(database: Database, request: FeedRequest<Reader>): Promise<ShownPlan> {
  const { actor, name } = request;
  const feed = await findFeed(database, actor.accountId, name);
  const settings = request.settle(feed?.settings ?? DEFAULT_SETTINGS);
  const examples = new FeedExamples();
  using file = new StagedFile();
  const plan = await makePlan(database, request, settings, new FeedPlan(file), examples);
  const failed = file.firstErrors(EXAMPLES_MAX, EXAMPLES_LENGTH_MAX).map((error) => JSON.parse(error));
  const missing = await examples.readMissing(database, actor.accountId);
  return {
    feed: name,
    planId: plan.makeId(scopeOf(request), settings.missing),
    ...plan.counts,
    guard: judge(plan, settings),
    examples: { create: examples.create, update: examples.update, missing, failed },
  };
}

function scopeOf({ actor, name }: FeedRequest<Reader>): string {
  return `${actor.accountId}/${name}`;
}

async function makePlan(
  database: Database,
  { actor, name, source, signal }: FeedRequest<Reader>,
  settings: FeedSettings,
  plan: FeedPlan,
  examples?: FeedExamples,
): Promise<FeedPlan> {
  const pause = pauseAfterSlices(async () => {
    await ownTurn(actor.accountId);
    await untilMarkingEnds();
    signal.throwIfAborted();
  });
  const account = await getActingAccount(database, actor);
  plan.hashStart = JSON.stringify([account.currency, account.areaUnits]);
  try {
    const known = findKnownRows(database, account.id, name, pause);
    const { lastColumns } = (await findLastColumns(database, account.id, name)) ?? {};
    for await (const rows of source.read(settings, account, known, JSON.parse(lastColumns ?? '[]'))) {
      for (const row of rows) {
        plan.addRow(row);
        await pause();
      }
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'feed_guard') throw error;
    plan.noteCut(Number(error.members.line));
  }
  const context = { account, versionFloor: versionFloorOf(actor.epoch ?? '') };
  const options = { ...context, feed: name, missing: settings.missing, source, examples, pause };
  await new FeedComparison(database, plan, options).run();
  return plan;
}

/** Returns the plan's id. @throws {AppError} `feed_guard` */
function requireConsent(
  plan: FeedPlan,
  request: FeedRequest,
  settings: FeedSettings,
  expected: PlanId | undefined,
): string {
  const planId = plan.makeId(scopeOf(request), settings.missing);
  const reasons = judge(plan, expected === undefined ? settings : undefined);
  if (reasons.length > 0) throw stoppedByGuard(reasons, { plan: plan.counts, planId });
  if (expected === undefined || planId === request.planId) return planId;
  const message =
    'Nothing was changed, because the file or the listings have changed since the plan was made. Check the new ' +
    'plan; to apply it, send the file again with plan set to the new planId.';
  throw new AppError('feed_guard', message, {
    members: { reasons: [], plan: plan.counts, expected: expected.counts, planId },
  });
}

/** @throws {AppError} `invalid_query` */
function requireSameMissing(given: FeedSettings['missing'] | undefined, expected: PlanId | undefined): void {
  if (given === undefined || expected === undefined || given === expected.missing) return;
  const message = `The plan was made with missing=${expected.missing}; omit missing, or make a new plan.`;
  throw new AppError('invalid_query', `query.missing: ${message}`, {
    details: [{ field: 'query.missing', code: 'inconsistent', message }],
  });
}

/** Stores a plan's failed rows and its counts. @throws the reason of `signal` */
async function storePlanned(leased: LeasedRun, plan: FeedPlan, { source, signal }: FeedRequest): Promise<void> {
  const { file, counts } = plan;
  const { rows, unchanged, missing, failed, cleaned } = counts;
  let after = 0;
  do {
    signal.throwIfAborted();
    const failures = file.failuresAfter(after, BATCH_LENGTH);
    after = failures.at(-1)?.number ?? 0;
    await leased.write(async ({ transaction, account }, run) => {
      const { separator = null } = source;
      const counted = { ...run, separator, counts: { ...run.counts, rows, unchanged, missing, failed, cleaned } };
      return storeFailures(transaction, account.id, counted, failures, source);
    });
  } while (after > 0 && !hasAllFailures(leased.run));
}

async function noteErrors(database: Database, { accountId, run }: LeasedRun): Promise<void> {
  const options = { limit: ERRORS_MAX, bytesMax: ERRORS_LENGTH_MAX };
  const { rows } = await findFailures(database, accountId, run.id, 0, options);
  run.errors = `[${rows.map(({ error }) => error).join()}]`;
  if (rows.length > 0) run.storedBytes += Buffer.byteLength(run.errors);
}

async function endWithError(database: Database, leased: LeasedRun, error: unknown): Promise<void> {
  const code = error instanceof AppError ? error.code : 'internal_error';
  const message = error instanceof AppError ? error.message : 'An unexpected error occurred; send the file again.';
  const outcome = code === 'feed_guard' ? 'stopped_by_guard' : 'failed';
  try {
    await noteErrors(database, leased);
    await leased.end({ outcome, error: { code, message } });
  } catch {
    // `endLostRuns` ends the run after its lease expires.
  }
}

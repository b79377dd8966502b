import { createId } from '../../lib/ids.ts';
import { AppError } from '../../model/errors.ts';
import { DEFAULT_SETTINGS, emptyCounts, type FeedColumn, type FeedSettings } from '../../model/feeds.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { insertRun, interruptRun, type StoredRun, updateRun } from '../../storage/feed-runs.ts';
import {
  endLease,
  findFeed,
  findFeeds,
  findLostRuns,
  insertFeed,
  renewLease,
  type StoredFeed,
  takeLease,
} from '../../storage/feeds.ts';
import { auditFeed } from '../access/audit.ts';
import { type Actor, type Writing, write } from '../writing/writing.ts';
import { countRun } from './feed-metrics.ts';

/** A run that does not renew its lease for this long, for example because its process died, ends as interrupted. */
export const LEASE_MS = 15_000;
const RENEWAL_MS = 4_000;
/** Maximum number of feeds per account, as documented in the API's contract. */
const FEEDS_MAX = 100;

export const RUN_ID_PREFIX = 'run';

/** A run that holds its feed's lease, so no other run of the feed is in progress in any process. */
export class LeasedRun {
  readonly #database: Database;
  readonly #actor: Actor;
  readonly #renewal: NodeJS.Timeout;
  /** The run as it was last stored. */
  run: StoredRun;
  /** The feed's settings when the run began. */
  readonly settings: FeedSettings;

  private constructor(database: Database, actor: Actor, run: StoredRun, settings: FeedSettings) {
    this.#database = database;
    this.#actor = { ...actor, feed: { name: run.feed, runId: run.id } };
    this.run = run;
    this.settings = settings;
    this.#renewal = setInterval(() => void this.#renew().catch(() => {}), RENEWAL_MS);
  }

  /**
   * Begins a run, and creates the feed if it does not exist.
   * @throws {AppError} `feed_busy`, `quota_exceeded` for too many feeds, or what `write` throws
   */
  static async begin(database: Database, actor: Actor, name: string): Promise<LeasedRun> {
    const { outcome } = await write(database, actor, undefined, async ({ transaction, account }) => {
      const feed = (await findFeed(transaction, account.id, name)) ?? (await createFeed(transaction, actor, name));
      const run = newRun(name);
      await occupyFeed(transaction, account.id, feed, run.id);
      await insertRun(transaction, account.id, run);
      return { run, settings: feed.settings };
    });
    return new LeasedRun(database, actor, outcome.run, outcome.settings);
  }

  get accountId(): string {
    return this.#actor.accountId;
  }

  /**
   * Runs `work` in a transaction and stores the run that it returns.
   * @throws {AppError} `unavailable` if the run has lost the lease, or what `write` and `work` throw
   */
  async write(work: (writing: Writing, run: StoredRun) => Promise<StoredRun>): Promise<void> {
    const { outcome } = await write(this.#database, this.#actor, undefined, async (writing) => {
      const { transaction, account } = writing;
      await this.#requireLease(transaction);
      const { sequence } = account;
      const run = await work(writing, { ...this.run, counts: { ...this.run.counts } });
      const after = { ...run, sequenceFrom: run.sequenceFrom ?? sequence, sequenceTo: account.sequence };
      await updateRun(transaction, account.id, after);
      return after;
    });
    this.run = outcome;
  }

  /** Stores the end of the run, even if the actor has lost access. */
  async end({ outcome, error }: Pick<StoredRun, 'outcome' | 'error'>, columns?: FeedColumn[]): Promise<void> {
    clearInterval(this.#renewal);
    const { accountId, user } = this.#actor;
    const run = { ...this.run, outcome, error, finishedAt: Date.now() };
    const lastSuccessAt = outcome === 'succeeded' ? run.finishedAt : null;
    const lastColumns = toStoredColumns(columns);
    const hasEnded = await this.#database.write(async (transaction) => {
      const isHeld = await endLease(transaction, accountId, run.feed, run.id, lastSuccessAt, lastColumns);
      if (!isHeld) return false;
      await updateRun(transaction, accountId, run);
      await auditFeed(transaction, user, 'feed.run_finished', { name: run.feed, words: describeRun(run) });
      return true;
    }, accountId);
    this.run = run;
    if (hasEnded) countRun(outcome);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#renewal);
  }

  async #renew(): Promise<void> {
    await this.#database.write((transaction) => this.#requireLease(transaction), this.#actor.accountId);
  }

  async #requireLease(transaction: Executor): Promise<void> {
    const { feed, id } = this.run;
    const isHeld = await renewLease(transaction, this.#actor.accountId, feed, id, Date.now() + LEASE_MS);
    if (!isHeld) throw leaseLost();
  }
}

/** If the JSON of the columns is longer, the columns are not stored, and the next file is not compared with them. */
const COLUMNS_LENGTH_MAX = 32 * 1024;

/** Returns null, which leaves the stored columns unchanged, unless a CSV file was applied. */
function toStoredColumns(columns: FeedColumn[] | undefined): string | null {
  if (columns === undefined) return null;
  const text = JSON.stringify(columns);
  return text.length <= COLUMNS_LENGTH_MAX ? text : '[]';
}

function describeRun({ outcome, counts }: StoredRun): string {
  const { created, updated, withdrawn, deleted, failed } = counts;
  const words = `${created} created, ${updated} updated, ${withdrawn} withdrawn, ${deleted} deleted, ${failed} failed`;
  return `${outcome.replaceAll('_', ' ')}, ${words}`;
}

function newRun(feed: string): StoredRun {
  return {
    id: createId(RUN_ID_PREFIX),
    feed,
    startedAt: Date.now(),
    finishedAt: null,
    outcome: 'running',
    counts: emptyCounts(),
    sequenceFrom: null,
    sequenceTo: null,
    errors: '[]',
    error: null,
    storedRows: 0,
    storedBytes: 0,
    separator: null,
  };
}

async function createFeed(transaction: Executor, { accountId, user }: Actor, name: string): Promise<StoredFeed> {
  if ((await findFeeds(transaction, accountId)).length >= FEEDS_MAX) {
    const message = `The account has ${FEEDS_MAX} feeds, which is the maximum; delete one that is no longer used.`;
    throw new AppError('quota_exceeded', message, { members: { quota: 'feeds', limit: FEEDS_MAX } });
  }
  const feed = {
    name,
    settings: DEFAULT_SETTINGS,
    listings: 0,
    createdAt: Date.now(),
    lastSuccessAt: null,
    runId: null,
    leaseUntil: null,
  };
  await insertFeed(transaction, accountId, feed);
  await auditFeed(transaction, user, 'feed.created', { name });
  return feed;
}

/**
 * Gives the feed's lease to a run, or to the deletion of the feed. If an earlier run's lease has expired,
 * records that run as interrupted.
 * @throws {AppError} `feed_busy`
 */
export async function occupyFeed(
  transaction: Executor,
  accountId: string,
  { name, runId, leaseUntil }: StoredFeed,
  newRunId: string,
): Promise<void> {
  if (leaseUntil !== null && leaseUntil > Date.now()) throw feedBusy(name, runId);
  if (leaseUntil !== null && runId !== null) await interrupt(transaction, accountId, runId, leaseUntil);
  await takeLease(transaction, accountId, name, { runId: newRunId, leaseUntil: Date.now() + LEASE_MS });
}

/** If the transaction is retried, the metrics count the run twice. */
async function interrupt(transaction: Executor, accountId: string, runId: string, leaseUntil: number): Promise<void> {
  if (await interruptRun(transaction, accountId, runId, leaseUntil)) countRun('interrupted');
}

/** `runId` is the id of the run, or of the deletion. */
export function feedBusy(name: string, runId: string | null): AppError {
  const message = `A run or the deletion of the feed ${name} is in progress; wait until it has finished.`;
  return new AppError('feed_busy', message, { members: { runId }, headers: { 'Retry-After': '5' } });
}

function leaseLost(): AppError {
  const message =
    'The run was interrupted, because it could not write to the database for too long. Send the file again.';
  return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
}

const LOST_MAX = 100;

/** Marks runs with expired leases, such as those of killed processes, as interrupted. */
export async function endLostRuns(database: Database): Promise<void> {
  for (const { accountId, name, runId } of await findLostRuns(database, Date.now(), LOST_MAX)) {
    await database.write(async (transaction) => {
      const feed = await findFeed(transaction, accountId, name);
      if (runId === null || feed?.runId !== runId || feed.leaseUntil === null || feed.leaseUntil > Date.now()) return;
      await interrupt(transaction, accountId, runId, feed.leaseUntil);
      await endLease(transaction, accountId, name, runId, null, null);
    }, accountId);
  }
}

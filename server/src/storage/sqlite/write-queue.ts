import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { holdTurns } from '../../lib/turns.ts';
import type { LongTransaction } from '../database.ts';
import { stopping } from '../errors.ts';
import { type Job, type JobOptions, JobQueue } from '../job-queue.ts';
import { measureCommit, measureWait } from '../write-metrics.ts';
import type { Checkpoints } from './checkpoints.ts';
import { Connection } from './connection.ts';
import { isBusy, isStorageFull, translateCommitError, translateError } from './errors.ts';
import { JobTransaction, LateJobError, TurnGuard } from './job-transaction.ts';
import { type Indexing, WAITING_MAX } from './listing-index.ts';
import { CACHE_KIB } from './open-connection.ts';

/**
 * The limits of a group. Reads wait while a group runs. If a job takes longer than a typical one, the
 * group ends sooner, since its commit and its responses also take longer.
 */
const GROUP_JOBS_MAX = 256;
const GROUP_DURATION_MAX_MS = 10;
const USUAL_JOB_MS = 0.5;
const UNUSUAL_GROUP_MAX_MS = 3;
/** A small cache makes a long job write to the log while it runs, instead of all at once in the commit. */
const LONG_CACHE_KIB = 2_048;
/** For this long after a long job, writes are urgent, because they may have waited for that job. */
const URGENT_MS = 50;
/** How long a changed listing waits for others to be indexed with it. */
const INDEX_AFTER_MS = 1_000;
/** How long a write waits for another process's lock. */
const LOCK_WAIT_MAX_MS = 5_000;
const LOCK_RETRY_MS = 3;
/** The pause between two indexing transactions, in which another process can get the lock. */
const INDEX_PAUSE_MS = 2 * LOCK_RETRY_MS;

/** Resolves or rejects a job after the commit. */
type Settle = () => void;

/** Thrown for a job that threw after a write, or that awaited something other than its transaction. */
class JobFailure extends Error {
  readonly job: Job;

  constructor(job: Job, cause: unknown) {
    super('A write job has failed', { cause });
    this.job = job;
  }
}

/**
 * All write jobs go through this queue. Waiting jobs are committed together (group commit), and settled once the
 * commit is synced to disk. Accounts take turns, within a group and across groups. If a job fails after a
 * write, the transaction is rolled back, and the other jobs of the group run again. Savepoints would avoid
 * that, but each makes the full-text index flush its buffer, which takes a third of the time of creating a listing.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #connection: Connection;
  readonly #steps: Record<'begin' | 'commit', StatementSync>;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #indexing: Indexing | undefined;
  #isIndexing = false;
  #indexTimer: NodeJS.Timeout | undefined;
  readonly #waiting = new JobQueue();
  #draining: Promise<void> | undefined;
  #longEndMs = Number.NEGATIVE_INFINITY;
  /** The current or latest job and its transaction. */
  #running: { job: Job; transaction: JobTransaction } | undefined;
  #closed = false;

  /** Without `checkpoints`, the database has no log; without `indexing`, its listings are not searched. */
  constructor(database: DatabaseSync, checkpoints?: Checkpoints, indexing?: Indexing) {
    this.#database = database;
    this.#checkpoints = checkpoints;
    this.#indexing = indexing;
    this.#connection = new Connection(database);
    // Use `.all()`: `.run()` returns the last rowid, which the full-text index can set beyond the safe
    // integers.
    this.#steps = {
      begin: database.prepare('begin immediate'),
      commit: database.prepare('commit'),
    };
  }

  requireRoom(accountId: string): void {
    this.#waiting.requireRoom(accountId);
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** @throws {AppError} `unavailable` once the queue is closed, or what the job and `Database.write` throw */
  async submit<T>(run: (transaction: LongTransaction) => Promise<T>, options: JobOptions = {}): Promise<T> {
    const { accountId, isLong = false } = options;
    if (this.#closed) throw stopping();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const startTimeMs = performance.now();
    this.#waiting.add({ startTimeMs, run, accountId, isLong, resolve: (value) => resolve(value as T), reject });
    this.#draining ??= this.#drain();
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#indexTimer);
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      // Lets requests that arrived together join the same group.
      await nextTurn();
      const group: Job[] = [];
      const guard = new TurnGuard();
      try {
        await this.#checkpoints?.letCatchUp(performance.now() < this.#longEndMs + URGENT_MS);
        await this.#begin();
        const settles = await guard.watch(() => this.#runJobs(group, guard));
        this.#commit();
        for (const settle of settles) settle();
        this.#checkpoints?.noteCommit();
        this.#noteChanges();
      } catch (error) {
        // The whole transaction is lost, so its jobs must not be resolved.
        this.#running?.transaction.end();
        const failure = this.#findFailure(error);
        if (failure !== undefined) {
          failure.job.reject(translateError(failure.cause));
          this.#waiting.addAgain(group.filter((job) => job !== failure.job));
        } else {
          const reason = translateError(error);
          for (const job of group.length > 0 ? group : this.#waiting.takeAll()) job.reject(reason);
          if (isStorageFull(reason)) this.#checkpoints?.noteFull();
        }
        this.#leaveTransaction();
      }
      if (group[0]?.isLong) {
        this.#longEndMs = performance.now();
        // The long job's commit takes 20 to 30 ms, so the next group needs an event-loop turn of its own. The
        // `nextTurn` of the next iteration alone may still be in the commit's turn, which began with the log's sync.
        await nextTurn();
      }
    }
    this.#draining = undefined;
  }

  /** Indexes changed listings once enough of them wait. Indexing fewer, and merging, starts after a delay. */
  #noteChanges(): void {
    if (this.#indexing === undefined || this.#isIndexing || this.#closed) return;
    const waiting = this.#indexing.countWaiting();
    if (waiting === WAITING_MAX) this.#index();
    else if (waiting > 0 || this.#indexing.isMerging)
      this.#indexTimer ??= setTimeout(() => this.#index(), INDEX_AFTER_MS).unref();
  }

  #index(): void {
    clearTimeout(this.#indexTimer);
    this.#indexTimer = undefined;
    if (this.#closed) return;
    this.#isIndexing = true;
    const job = async () => {
      this.#connection.hasWritten = true;
      this.#indexing?.indexSome();
    };
    const resumeAfter = (delayMs: number) => {
      if (!this.#closed) this.#indexTimer = setTimeout(() => this.#resumeIndexing(), delayMs).unref();
    };
    // If the job fails, perhaps before it runs, nothing is lost: the listings wait until the next attempt.
    this.submit(job).then(
      () => resumeAfter(INDEX_PAUSE_MS),
      () => resumeAfter(INDEX_AFTER_MS),
    );
  }

  #resumeIndexing(): void {
    this.#indexTimer = undefined;
    this.#isIndexing = false;
    try {
      this.#noteChanges();
    } catch {
      // The database cannot be read; the next commit tries again.
    }
  }

  /** The failure of the job that caused the error; undefined if no job did. */
  #findFailure(error: unknown): JobFailure | undefined {
    if (error instanceof JobFailure) return error;
    if (!(error instanceof LateJobError) || this.#running === undefined) return undefined;
    return new JobFailure(this.#running.job, error);
  }

  async #begin(): Promise<void> {
    const endTimeMs = performance.now() + LOCK_WAIT_MAX_MS;
    for (;;) {
      try {
        this.#rollback();
        this.#steps.begin.all();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > endTimeMs) throw error;
        await sleep(LOCK_RETRY_MS);
      }
    }
  }

  /** Moves jobs from the queue to `group` and runs them. */
  async #runJobs(group: Job[], guard: TurnGuard): Promise<Settle[]> {
    const settles: Settle[] = [];
    const startMs = performance.now();
    let nowMs = startMs;
    let durationMaxMs = GROUP_DURATION_MAX_MS;
    while (group.length < GROUP_JOBS_MAX && nowMs - startMs < durationMaxMs) {
      const job = group.length === 0 ? this.#waiting.take() : this.#waiting.takeShort();
      if (job === undefined) break;
      group.push(job);
      settles.push(await this.#runJob(job, guard));
      if (job.isLong) break;
      const jobStartMs = nowMs;
      nowMs = performance.now();
      if (nowMs - jobStartMs > USUAL_JOB_MS) durationMaxMs = UNUSUAL_GROUP_MAX_MS;
    }
    return settles;
  }

  /** Runs a job. @throws if the whole transaction has failed, and all jobs of the group with it */
  async #runJob(job: Job, guard: TurnGuard): Promise<Settle> {
    const transaction = new JobTransaction(this.#connection, guard);
    this.#running = { job, transaction };
    measureWait(job.startTimeMs);
    this.#connection.hasWritten = false;
    // Pauses other long tasks, since all writes wait for this transaction.
    using _ = job.isLong ? holdTurns() : undefined;
    if (job.isLong) this.#database.exec(`pragma cache_size = -${LONG_CACHE_KIB}`);
    try {
      const value = await job.run(transaction);
      transaction.assertOpen();
      if (job.isLong) await guard.letPass(() => this.#checkpoints?.syncLog());
      return () => job.resolve(value);
    } catch (error) {
      // The job is late: its transaction has ended, and any open transaction belongs to another group.
      if (transaction.ended) throw error;
      // If the disk is full, SQLite has rolled back the whole transaction.
      if (!this.#database.isTransaction) throw error;
      if (this.#connection.hasWritten) throw new JobFailure(job, error);
      return () => job.reject(translateError(error));
    } finally {
      transaction.end();
      if (job.isLong) this.#database.exec(`pragma cache_size = -${CACHE_KIB}`);
    }
  }

  #commit(): void {
    const startTimeMs = performance.now();
    try {
      this.#steps.commit.all();
      measureCommit(startTimeMs);
    } catch (error) {
      throw translateCommitError(error);
    }
  }

  #rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }

  /** If the rollback fails here and again in `#begin`, all waiting jobs get the error. */
  #leaveTransaction(): void {
    try {
      this.#rollback();
    } catch {
      // `#begin` tries again.
    }
  }
}

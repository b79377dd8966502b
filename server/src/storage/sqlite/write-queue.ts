import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { holdTurns } from '../../lib/turns.ts';
import { AppError } from '../../model/errors.ts';
import type { LongTransaction } from '../database.ts';
import { JobQueue } from '../job-queue.ts';
import type { Checkpoints } from './checkpoints.ts';
import { Connection } from './connection.ts';
import { isBusy, isStorageFull, translateCommitError, translateError } from './errors.ts';
import { JobTransaction, LateJobError, TurnGuard } from './job-transaction.ts';
import { CACHE_KIB } from './open-connection.ts';

/**
 * A group ends after so many jobs or so long, so that requests that only read are not kept waiting: sooner if one of its jobs
 * takes longer than a usual listing does, as its commit and its answers will, too.
 */
const GROUP_JOBS_MAX = 256;
const GROUP_DURATION_MAX_MS = 10;
const USUAL_JOB_MS = 0.5;
const UNUSUAL_GROUP_MAX_MS = 3;
/** What a long job may keep in memory: the rest goes to the log as it is written, and not all at once by the commit. */
const LONG_CACHE_KIB = 2_048;
/** How long a write waits for another process's lock. */
const LOCK_WAIT_MAX_MS = 5_000;
const LOCK_RETRY_MS = 3;

interface Job {
  run(transaction: LongTransaction): Promise<unknown>;
  accountId: string | undefined;
  /** Whether it is alone in its transaction. */
  isLong: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface JobOptions {
  /** Whose data is written; undefined for what belongs to no account, or to several. */
  accountId?: string | undefined;
  isLong?: boolean;
}

type Answer = () => void;

/** A job has thrown after it had written, or did not come to its end. */
class JobFailure extends Error {
  readonly job: Job;

  constructor(job: Job, cause: unknown) {
    super('A write job has failed', { cause });
    this.job = job;
  }
}

/**
 * The one way to the writing connection. Whatever waits is committed together (group commit); answers go out after the
 * commit, which has then been synced to the disk. Accounts take turns within a group and from group to group. There are no savepoints: with each of them the full-text index would
 * write out what it has gathered, which cost a create a third of its time. A job that fails after it has written takes
 * the transaction with it, and the others of its group are run again.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #connection: Connection;
  readonly #steps: Record<'begin' | 'commit', StatementSync>;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #waiting = new JobQueue<Job>();
  #draining: Promise<void> | undefined;
  /** The job that runs, or has run last, and its session. */
  #running: { job: Job; transaction: JobTransaction } | undefined;
  #closed = false;

  /** `checkpoints` for a database that keeps a log. */
  constructor(database: DatabaseSync, checkpoints?: Checkpoints) {
    this.#database = database;
    this.#checkpoints = checkpoints;
    this.#connection = new Connection(database);
    // Run with `.all()`: `.run()` would tell the last rowid, and the full-text index makes some that no number can hold.
    this.#steps = {
      begin: database.prepare('begin immediate'),
      commit: database.prepare('commit'),
    };
  }

  /** @throws {AppError} `unavailable` if too many jobs of the account wait */
  requireRoom(accountId: string): void {
    this.#waiting.requireRoom(accountId);
  }

  /** @throws {AppError} `unavailable` once the queue is closed */
  async submit<T>(run: (transaction: LongTransaction) => Promise<T>, options: JobOptions = {}): Promise<T> {
    const { accountId, isLong = false } = options;
    if (this.#closed) {
      throw new AppError('unavailable', 'The service is stopping; send the request again.', {
        headers: { 'Retry-After': '1' },
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add({ run, accountId, isLong, resolve: (value) => resolve(value as T), reject });
    this.#draining ??= this.#drain();
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      // One turn of the event loop lets the requests that have arrived together join the group.
      await nextTurn();
      const group: Job[] = [];
      const guard = new TurnGuard();
      try {
        await this.#checkpoints?.letCatchUp();
        await this.#begin();
        const answers = await guard.watch(() => this.#runJobs(group, guard));
        this.#commit();
        for (const answer of answers) answer();
        this.#checkpoints?.noteCommit();
      } catch (error) {
        // The whole transaction is gone: nobody may be told that anything was written.
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
    }
    this.#draining = undefined;
  }

  /** The one job that an error is the fault of; undefined if it is nobody's. */
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

  /** Moves jobs from the queue to `group`, runs them, and says what to answer once they are committed. */
  async #runJobs(group: Job[], guard: TurnGuard): Promise<Answer[]> {
    const answers: Answer[] = [];
    const startMs = performance.now();
    let nowMs = startMs;
    let durationMaxMs = GROUP_DURATION_MAX_MS;
    while (group.length < GROUP_JOBS_MAX && nowMs - startMs < durationMaxMs) {
      const job = group.length === 0 ? this.#waiting.take() : this.#waiting.takeShort();
      if (job === undefined) break;
      group.push(job);
      answers.push(await this.#runJob(job, guard));
      if (job.isLong) break;
      const jobStartMs = nowMs;
      nowMs = performance.now();
      if (nowMs - jobStartMs > USUAL_JOB_MS) durationMaxMs = UNUSUAL_GROUP_MAX_MS;
    }
    return answers;
  }

  /** @throws if the transaction has ended, and every job of the group with it */
  async #runJob(job: Job, guard: TurnGuard): Promise<Answer> {
    const transaction = new JobTransaction(this.#connection, guard);
    this.#running = { job, transaction };
    this.#connection.hasWritten = false;
    // Whatever else takes long would make it longer, and other writes wait for it.
    using _ = job.isLong ? holdTurns() : undefined;
    if (job.isLong) this.#database.exec(`pragma cache_size = -${LONG_CACHE_KIB}`);
    try {
      const value = await job.run(transaction);
      transaction.assertOpen();
      if (job.isLong) await guard.letPass(() => this.#checkpoints?.syncLog());
      return () => job.resolve(value);
    } catch (error) {
      // A refused job that comes back late has no transaction any more: one that is open is another group's.
      if (transaction.ended) throw error;
      // On a full disk SQLite rolls the whole transaction back.
      if (!this.#database.isTransaction) throw error;
      if (this.#connection.hasWritten) throw new JobFailure(job, error);
      return () => job.reject(translateError(error));
    } finally {
      transaction.end();
      if (job.isLong) this.#database.exec(`pragma cache_size = -${CACHE_KIB}`);
    }
  }

  #commit(): void {
    try {
      this.#steps.commit.all();
    } catch (error) {
      throw translateCommitError(error);
    }
  }

  #rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }

  /** Whoever was in the transaction has had the answer; if it cannot be left, those in the next one are told. */
  #leaveTransaction(): void {
    try {
      this.#rollback();
    } catch {
      // `#begin` tries again.
    }
  }
}

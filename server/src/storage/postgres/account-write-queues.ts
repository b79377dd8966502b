import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { LongTransaction } from '../database.ts';
import { NOTHING_WRITTEN, stopping, tooManyChanges, unavailable } from '../errors.ts';
import type { Job, JobOptions } from '../job-queue.ts';
import { measureWait } from '../write-metrics.ts';
import { AccountQueue, WriteSlots } from './account-queue.ts';
import { Backoff } from './backoff.ts';
import { send } from './connection.ts';
import { isAway, translateError } from './errors.ts';
import { Group, GroupFailure } from './group.ts';
import type { Pool } from './pool.ts';

/** The limits of a group keep its first job from waiting for too many others. */
const GROUP_JOBS_MAX = 256;
const GROUP_DURATION_MAX_MS = 20;
/** A job that has waited longer could take more than five seconds if it starts over. */
const WAITING_MAX_MS = 2_000;

/**
 * A write queue per account, and one for jobs without an account. The waiting jobs of a queue are committed
 * together (group commit). Each transaction first locks its account's row: it then sees all changes that
 * other processes have committed, and no other process changes the account. If a job fails after a write, the
 * transaction is rolled back, and the other jobs of the group run again.
 */
export class AccountWriteQueues {
  readonly #pool: Pool;
  readonly #onEnd: () => void;
  readonly #queues = new Map<string | undefined, AccountQueue>();
  /** Half of the connections; the others are left for reads. */
  readonly #slots: WriteSlots;
  /** Whether a commit was not acknowledged, so commits may be waiting for a standby. */
  #isInDoubt = false;
  #isClosed = false;

  /** @param onEnd called after each transaction with an account, unless the transaction failed */
  constructor(pool: Pool, onEnd = () => {}) {
    this.#pool = pool;
    this.#onEnd = onEnd;
    this.#slots = new WriteSlots(Math.max(1, Math.floor(pool.settings.poolSize / 2)));
  }

  get length(): number {
    return this.#queues.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  requireRoom(accountId: string): void {
    if (this.#queues.get(accountId)?.isFull) throw tooManyChanges();
  }

  /** @throws {AppError} `unavailable` once the queues are closed, or what the job and `Database.write` throw */
  async submit<T>(run: (transaction: LongTransaction) => Promise<T>, options: JobOptions = {}): Promise<T> {
    const { accountId, isLong = false } = options;
    if (this.#isClosed) throw stopping();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const queue = this.#queues.get(accountId) ?? new AccountQueue(accountId);
    this.#queues.set(accountId, queue);
    const startTimeMs = performance.now();
    queue.waiting.push({ startTimeMs, run, accountId, isLong, resolve: (value) => resolve(value as T), reject });
    queue.drained ??= this.#drain(queue);
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#queues.values(), ({ drained }) => drained));
  }

  /** Releases the slot after each transaction, so that queues take turns. */
  async #drain(queue: AccountQueue): Promise<void> {
    // Lets requests that arrived together join the same group.
    await nextTurn();
    while (queue.waiting.length > 0) {
      const release = await this.#slots.acquire(queue);
      await this.#write(queue);
      release();
    }
    this.#queues.delete(queue.accountId);
  }

  async #write(queue: AccountQueue): Promise<void> {
    const jobs: Job[] = [];
    queue.isRunning = true;
    queue.backoff ??= new Backoff();
    // All jobs may have been rejected while the queue waited for a slot.
    if (queue.waiting.length > 0) {
      // Urgent, because many requests wait for a group: behind the account's reads, a group would start only
      // every two seconds.
      await this.#pool
        .use((client) => this.#runGroup(client, queue, jobs), queue.accountId, true)
        .catch((error: unknown) => this.#settleFailure(error, queue, jobs));
    }
    queue.isRunning = false;
  }

  /** Runs one transaction, and moves its jobs to `jobs`. @throws {GroupFailure}, or as `requireStandby` does */
  async #runGroup(client: pg.ClientBase, queue: AccountQueue, jobs: Job[]): Promise<void> {
    const { accountId, waiting } = queue;
    if (this.#isInDoubt) {
      await requireStandby(client, this.#pool.settings.statementTimeoutMs);
      this.#isInDoubt = false;
    }
    const group = new Group(client, this.#pool, accountId);
    const endTimeMs = performance.now() + GROUP_DURATION_MAX_MS;
    try {
      do {
        const [job] = waiting;
        if (job === undefined || (job.isLong && jobs.length > 0)) break;
        waiting.shift();
        jobs.push(job);
        measureWait(job.startTimeMs);
        await group.run(job);
        if (job.isLong) break;
      } while (jobs.length < GROUP_JOBS_MAX && performance.now() < endTimeMs);
      const isKnown = await group.end();
      if (accountId !== undefined) this.#onEnd();
      queue.backoff = undefined;
      if (isKnown) return;
      this.#isInDoubt = true;
      this.#rejectOthers(queue, unavailable(NOTHING_WRITTEN), WAITING_MAX_MS);
    } catch (error) {
      await group.rollBack();
      throw error;
    }
  }

  /**
   * Rejects the job that caused the error and runs the others again. If no job caused it, retries all jobs for a
   * while. If retrying does not or cannot help, rejects them, the jobs that wait behind them, and jobs of other
   * queues (`#rejectOthers`), which would get the same error.
   */
  async #settleFailure(error: unknown, queue: AccountQueue, jobs: Job[]): Promise<void> {
    const { cause, culprit, isRepeatable } = error instanceof GroupFailure ? error : new GroupFailure(error, undefined);
    if (culprit !== undefined) {
      culprit.reject(translateError(cause));
      queue.waiting.unshift(...jobs.filter((job) => job !== culprit));
      return;
    }
    if (isRepeatable && (await queue.backoff?.next())) {
      queue.waiting.unshift(...jobs);
      return;
    }
    queue.backoff = undefined;
    const reason = translateError(cause);
    for (const job of [...jobs, ...queue.waiting.splice(0)]) job.reject(reason);
    this.#rejectOthers(queue, reason, isAway(cause) ? 0 : WAITING_MAX_MS);
  }

  /** Rejects jobs of this queue, and of queues that are not running, that have waited for at least `waitedMs`. */
  #rejectOthers(queue: AccountQueue, error: unknown, waitedMs: number): void {
    const lastTimeMs = performance.now() - waitedMs;
    for (const other of this.#queues.values()) {
      if (other.isRunning && other !== queue) continue;
      const waiting = other.waiting.splice(0);
      other.waiting.push(...waiting.filter(({ startTimeMs }) => startTimeMs > lastTimeMs));
      for (const { startTimeMs, reject } of waiting) if (startTimeMs <= lastTimeMs) reject(error);
    }
  }
}

/**
 * Finds a server session of this user whose commit has waited this many milliseconds for a synchronous
 * standby. Only the standby or the operator can end the wait, even if the client has disconnected.
 */
const WAITING_COMMITS = `select 1 from pg_stat_activity where usename = current_user and wait_event = 'SyncRep'
  and query_start < clock_timestamp() - $1 * interval '1 ms' limit 1`;

/**
 * While a commit waits for a standby, further commits would also wait, and could block all connections, including those
 * for reads.
 * @throws {AppError} `unavailable` while commits wait for a standby
 */
async function requireStandby(client: pg.ClientBase, waitedMs: number): Promise<void> {
  const { rows } = await send(client, { text: WAITING_COMMITS, values: [waitedMs] });
  if (rows.length === 0) return;
  throw unavailable('The database cannot commit at the moment, so nothing was written; try again later.');
}

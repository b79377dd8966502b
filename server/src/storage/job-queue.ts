import { FairQueue } from '../lib/fair-queue.ts';
import type { LongTransaction } from './database.ts';
import { tooManyChanges } from './errors.ts';

/** Maximum waiting changes per account. They are committed in groups, but can wait for seconds on a slow machine. */
export const ACCOUNT_JOBS_MAX = 1_500;

export interface JobOptions {
  /** The account whose data is written; undefined for data that does not belong to a single account. */
  accountId?: string | undefined;
  /** Whether the job is alone in its transaction. */
  isLong?: boolean;
}

export interface Job extends Required<JobOptions> {
  readonly startTimeMs: number;
  run(transaction: LongTransaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Jobs that wait for one writer. Accounts take turns; jobs without an account count as one more account. The
 * jobs of an account stay in order. Short jobs run between long ones, so that no short job waits for two
 * long ones.
 */
export class JobQueue {
  readonly #accounts = new FairQueue<string | undefined, Job>();
  /** Jobs of a failed group, which run before all others. */
  readonly #again: Job[] = [];
  /** Whether `take` last returned a long job. */
  #wasLong = false;

  get length(): number {
    return this.#again.length + this.#accounts.length;
  }

  get isEmpty(): boolean {
    return this.#again.length === 0 && this.#accounts.isEmpty;
  }

  /** @throws {AppError} `unavailable` if too many jobs of the account wait */
  requireRoom(accountId: string): void {
    if (this.#accounts.countOf(accountId) >= ACCOUNT_JOBS_MAX) throw tooManyChanges();
  }

  add(job: Job): void {
    this.#accounts.add(job.accountId, job);
  }

  addAgain(jobs: readonly Job[]): void {
    this.#again.unshift(...jobs);
  }

  /** Takes the next job. After a long job, a short one of any account comes first. */
  take(): Job | undefined {
    const job = (this.#wasLong ? this.takeShort() : this.#again.shift()) ?? this.#accounts.take();
    this.#wasLong = job?.isLong ?? false;
    return job;
  }

  /** Takes the next short job. An account whose next job is long keeps its turn. */
  takeShort(): Job | undefined {
    return this.#again.shift() ?? this.#accounts.take(({ isLong }) => !isLong);
  }

  takeAll(): Job[] {
    return [...this.#again.splice(0), ...this.#accounts.takeAll()];
  }
}

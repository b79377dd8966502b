import { FairQueue } from '../lib/fair-queue.ts';
import { tooManyChanges } from './fair-semaphore.ts';

/** So many changes of an account may wait, also where a slow machine lets some wait for seconds: they are committed together. */
export const ACCOUNT_JOBS_MAX = 1_500;

/** A write job that waits. */
interface QueuedJob {
  accountId: string | undefined;
  /** Whether it is alone in its transaction. */
  isLong: boolean;
}

/**
 * Jobs that wait for one writer. Accounts take turns, and so do those of no account; within an account the order stays.
 * Between two long jobs short ones have their turn, so that no number of accounts makes others wait for two long ones.
 */
export class JobQueue<J extends QueuedJob> {
  readonly #accounts = new FairQueue<string | undefined, J>();
  /** Jobs of a group that has failed: they are run before all others. */
  readonly #again: J[] = [];
  /** Whether the last one that `take` gave was a long one. */
  #wasLong = false;

  get isEmpty(): boolean {
    return this.#again.length === 0 && this.#accounts.isEmpty;
  }

  /** @throws {AppError} `unavailable` if too many jobs of the account wait */
  requireRoom(accountId: string): void {
    if (this.#accounts.countOf(accountId) >= ACCOUNT_JOBS_MAX) throw tooManyChanges();
  }

  add(job: J): void {
    this.#accounts.add(job.accountId, job);
  }

  /** Puts jobs that must be run again before all others. */
  addAgain(jobs: readonly J[]): void {
    this.#again.unshift(...jobs);
  }

  /** The job whose turn it is. After a long one, short ones of any account come first. */
  take(): J | undefined {
    const job = (this.#wasLong ? this.takeShort() : this.#again.shift()) ?? this.#accounts.take();
    this.#wasLong = job?.isLong ?? false;
    return job;
  }

  /** The short job whose turn it is: an account whose next job is a long one keeps its place. */
  takeShort(): J | undefined {
    return this.#again.shift() ?? this.#accounts.take(({ isLong }) => !isLong);
  }

  /** All jobs: nothing waits afterwards. */
  takeAll(): J[] {
    return [...this.#again.splice(0), ...this.#accounts.takeAll()];
  }
}

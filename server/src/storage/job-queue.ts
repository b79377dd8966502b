import { tooManyChanges } from './scan-turns.ts';

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
  /** In the order of their turns; none is empty. */
  readonly #accounts = new Map<string | undefined, J[]>();
  /** Jobs of a group that has failed: they are run before all others. */
  readonly #again: J[] = [];
  /** Whether the last one that `take` gave was a long one. */
  #wasLong = false;

  get isEmpty(): boolean {
    return this.#again.length === 0 && this.#accounts.size === 0;
  }

  /** @throws {AppError} `unavailable` if too many jobs of the account wait */
  requireRoom(accountId: string): void {
    if ((this.#accounts.get(accountId)?.length ?? 0) >= ACCOUNT_JOBS_MAX) throw tooManyChanges();
  }

  add(job: J): void {
    const jobs = this.#accounts.get(job.accountId);
    if (jobs === undefined) this.#accounts.set(job.accountId, [job]);
    else jobs.push(job);
  }

  /** Puts jobs that must be run again before all others. */
  addAgain(jobs: readonly J[]): void {
    this.#again.unshift(...jobs);
  }

  /** The job whose turn it is. After a long one, short ones of any account come first. */
  take(): J | undefined {
    const job = (this.#wasLong ? this.takeShort() : this.#again.shift()) ?? this.#takeFirst(() => true);
    this.#wasLong = job?.isLong ?? false;
    return job;
  }

  /** The short job whose turn it is: an account whose next job is a long one keeps its place. */
  takeShort(): J | undefined {
    return this.#again.shift() ?? this.#takeFirst(({ isLong }) => !isLong);
  }

  /** All jobs: nothing waits afterwards. */
  takeAll(): J[] {
    const jobs = [...this.#again.splice(0), ...Array.from(this.#accounts.values()).flat()];
    this.#accounts.clear();
    return jobs;
  }

  #takeFirst(isWanted: (job: J) => boolean): J | undefined {
    for (const [accountId, jobs] of this.#accounts) {
      const [job] = jobs;
      if (job === undefined || !isWanted(job)) continue;
      jobs.shift();
      // Its next turn comes after those of all others.
      this.#accounts.delete(accountId);
      if (jobs.length > 0) this.#accounts.set(accountId, jobs);
      return job;
    }
    return undefined;
  }
}

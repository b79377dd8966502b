import { ACCOUNT_JOBS_MAX } from '../job-queue.ts';
import type { Backoff } from './backoff.ts';
import type { Job } from './group.ts';

/** The jobs of an account that wait, or those of none. */
export class Lane {
  readonly accountId: string | undefined;
  readonly waiting: Job[] = [];
  drained: Promise<void> | undefined;
  /** Whether its jobs are being run. */
  isEntered = false;
  /** Of what has failed; undefined while all is well. */
  backoff: Backoff | undefined;

  constructor(accountId: string | undefined) {
    this.accountId = accountId;
  }

  /** Whether its next job is alone in its transaction. */
  get isLong(): boolean {
    return this.waiting[0]?.isLong ?? false;
  }

  /** Whether whoever comes is better told so than made to wait for seconds. */
  get isTooLong(): boolean {
    return this.waiting.length >= ACCOUNT_JOBS_MAX;
  }
}

import type { Job } from './group.ts';
import type { Tries } from './tries.ts';

/** So many jobs may wait. */
const LENGTH_MAX = 1_500;
/** More than so many, of which the first has waited for longer than this, are too many: each group waits for a connection. */
const STANDING_LENGTH = 200;
const STANDING_MS = 1_000;

/** The jobs of an account that wait, or those of none. */
export class Lane {
  readonly accountId: string | undefined;
  readonly waiting: Job[] = [];
  drained: Promise<void> | undefined;
  /** Whether its jobs are being run. */
  isEntered = false;
  /** Of what has failed; undefined while all is well. */
  tries: Tries | undefined;

  constructor(accountId: string | undefined) {
    this.accountId = accountId;
  }

  /** Whether whoever comes is better told so than made to wait for seconds. */
  get isTooLong(): boolean {
    const [first] = this.waiting;
    if (first === undefined || this.waiting.length < STANDING_LENGTH) return false;
    return this.waiting.length >= LENGTH_MAX || performance.now() - first.startTimeMs > STANDING_MS;
  }
}

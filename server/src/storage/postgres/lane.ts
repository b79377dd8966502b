import type { Job } from './group.ts';
import type { Tries } from './tries.ts';

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
}

import { ACCOUNT_JOBS_MAX, type Job } from '../job-queue.ts';
import type { Backoff } from './backoff.ts';

/** The waiting write jobs of one account, or those without an account. */
export class AccountQueue {
  readonly accountId: string | undefined;
  readonly waiting: Job[] = [];
  drained: Promise<void> | undefined;
  isRunning = false;
  /** Limits the retries after a failure; cleared after a commit, or when the jobs are rejected. */
  backoff: Backoff | undefined;

  constructor(accountId: string | undefined) {
    this.accountId = accountId;
  }

  /** Whether the next job gets a transaction of its own. */
  get isLong(): boolean {
    return this.waiting[0]?.isLong ?? false;
  }

  get isFull(): boolean {
    return this.waiting.length >= ACCOUNT_JOBS_MAX;
  }
}

interface Waiter {
  queue: AccountQueue;
  resolve(release: () => void): void;
}

/** Slots for queues that write at the same time. Unless there is only one slot, long jobs never occupy all slots. */
export class WriteSlots {
  #free: number;
  #freeForLong: number;
  readonly #waiters: Waiter[] = [];

  constructor(count: number) {
    this.#free = count;
    this.#freeForLong = Math.max(1, count - 1);
  }

  /** @returns the function that releases the slot */
  acquire(queue: AccountQueue): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    this.#waiters.push({ queue, resolve });
    this.#assign();
    return promise;
  }

  #assign(): void {
    while (this.#free > 0) {
      const index = this.#waiters.findIndex(({ queue }) => !queue.isLong || this.#freeForLong > 0);
      const [waiter] = index < 0 ? [] : this.#waiters.splice(index, 1);
      if (waiter === undefined) return;
      waiter.resolve(this.#take(waiter.queue.isLong));
    }
  }

  #take(isLong: boolean): () => void {
    this.#free -= 1;
    if (isLong) this.#freeForLong -= 1;
    return () => {
      this.#free += 1;
      if (isLong) this.#freeForLong += 1;
      this.#assign();
    };
  }
}

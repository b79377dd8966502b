import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../lib/fair-queue.ts';
import { stopping, unavailable } from './errors.ts';

/** Maximum waiting searches per account. Further ones are rejected, because they could wait for many seconds. */
const WAITING_MAX = 100;
/** Rejections are delayed, so that clients that ignore `Retry-After` retry less often. */
const REJECTION_MS = { min: 500, max: 1_500 };

/** An account is considered the only one if, for this long, no other account has acquired a permit. */
const ALONE_AFTER_MS = 1_000;

interface Waiter extends RunOptions {
  accountId: string;
  start(): void;
  reject(error: unknown): void;
}

export interface RunOptions {
  /** Cancels work that is still waiting. */
  signal?: AbortSignal | undefined;
  /** Whether to run before the account's other work. Work that continues a search does, to free memory sooner. */
  isUrgent?: boolean | undefined;
  /** Whether the work is rejected if too much limited work of the account waits. Urgent work is never rejected. */
  isLimited?: boolean | undefined;
  /**
   * Whether to hold the permit for twice the duration of the work, unless the account is the only one. This
   * leaves half the time to the other accounts.
   */
  pauses?: boolean | undefined;
}

/** Permits for concurrent work. Accounts take turns, so an account with a lot of work does not delay the others. */
export class FairSemaphore {
  readonly #waiting = new FairQueue<string, Waiter>();
  readonly #running = new Map<string, number>();
  readonly #accountMax: number;
  readonly #aloneMax: number;
  #free: number;
  #isClosed = false;
  #latestId = '';
  /** When a permit last went to an account other than the previous one. */
  #changedMs = Number.NEGATIVE_INFINITY;

  /** An account has at most `accountMax` permits, or `aloneMax` while it is the only one. */
  constructor(count: number, accountMax = count, aloneMax = accountMax) {
    this.#free = count;
    this.#accountMax = accountMax;
    this.#aloneMax = aloneMax;
  }

  /**
   * Runs `work` with a permit, unless `signal` aborts first.
   * @throws {AppError} `unavailable` if limited work is rejected or the service is stopping
   */
  async run<T>(accountId: string, work: () => Promise<T>, options: RunOptions = {}): Promise<T> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#isClosed) throw stopping();
    if (isRejectable(options) && this.#waiting.countOf(accountId, isRejectable) >= WAITING_MAX)
      return await rejectLate(signal);
    const acquired = this.acquire(accountId, options);
    if (acquired !== undefined) await acquired;
    const startMs = performance.now();
    try {
      return await work();
    } finally {
      if (!options.pauses || this.#isAlone(accountId)) this.release(accountId);
      else void sleep(performance.now() - startMs).then(() => this.release(accountId));
    }
  }

  /** The caller must `release` the permit. @returns a promise if none is free yet @throws the reason of `signal` */
  acquire(accountId: string, options: RunOptions = {}): Promise<void> | undefined {
    if (!this.isFreeFor(accountId)) return this.#wait(accountId, options);
    this.#begin(accountId);
    return undefined;
  }

  release(accountId: string): void {
    this.#end(accountId);
    // More than one permit can be free for an account that has become the only one.
    while (this.#free > 0) {
      const next = this.#waiting.take((waiter) => this.#isBelowMax(waiter.accountId));
      if (next === undefined) return;
      this.#begin(next.accountId);
      next.start();
    }
  }

  isFreeFor(accountId: string): boolean {
    return this.#free > 0 && this.#waiting.countOf(accountId) === 0 && this.#isBelowMax(accountId);
  }

  #isBelowMax(accountId: string): boolean {
    return (this.#running.get(accountId) ?? 0) < (this.#isAlone(accountId) ? this.#aloneMax : this.#accountMax);
  }

  #isAlone(accountId: string): boolean {
    return accountId === this.#latestId && performance.now() - this.#changedMs > ALONE_AFTER_MS;
  }

  #begin(accountId: string): void {
    if (accountId !== this.#latestId) this.#changedMs = performance.now();
    this.#latestId = accountId;
    this.#free -= 1;
    this.#running.set(accountId, (this.#running.get(accountId) ?? 0) + 1);
  }

  #end(accountId: string): void {
    this.#free += 1;
    const left = (this.#running.get(accountId) ?? 1) - 1;
    if (left > 0) this.#running.set(accountId, left);
    else this.#running.delete(accountId);
  }

  close(): void {
    this.#isClosed = true;
    this.rejectWaiting(stopping());
  }

  rejectWaiting(error: unknown): void {
    for (const waiter of this.#waiting.takeAll()) waiter.reject(error);
  }

  async #wait(accountId: string, options: RunOptions): Promise<void> {
    const { signal, isUrgent } = options;
    // A signal that has already aborted does not emit the event again.
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { ...options, accountId, start: resolve, reject };
    const drop = () => {
      if (this.#waiting.remove(accountId, waiter)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', drop);
    if (isUrgent) this.#waiting.addFirst(accountId, waiter);
    else this.#waiting.add(accountId, waiter);
    await promise.finally(() => signal?.removeEventListener('abort', drop));
  }
}

function isRejectable({ isLimited = false, isUrgent = false }: RunOptions): boolean {
  return isLimited && !isUrgent;
}

async function rejectLate(signal: AbortSignal | undefined): Promise<never> {
  await sleep(REJECTION_MS.min + Math.random() * (REJECTION_MS.max - REJECTION_MS.min));
  signal?.throwIfAborted();
  throw unavailable("Too many of this account's requests are waiting; retry later.");
}

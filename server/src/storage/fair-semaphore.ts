import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../lib/fair-queue.ts';
import { AppError } from '../model/errors.ts';

/** So many queries of one account may wait: what comes then is better told so than made to wait for minutes. */
const WAITING_MAX = 256;
/** So long after it came a query is told that too many wait: not those that came together at once. */
const REFUSAL_MS = { min: 500, max: 1_500 };

/** An account is alone when for so long no other has had a turn. */
const ALONE_AFTER_MS = 1_000;

interface Waiter {
  accountId: string;
  start(): void;
  reject(error: unknown): void;
}

interface RunOptions {
  signal?: AbortSignal | undefined;
  goesOn?: boolean | undefined;
  /** Whether the turn lasts twice as long as the work, while other accounts read: half of its time is theirs. */
  rests?: boolean | undefined;
}

/** Lets so many reads run at a time, long ones or very many. Accounts take turns, so that one with many keeps nobody else waiting for all of them. */
export class FairSemaphore {
  readonly #waiting = new FairQueue<string, Waiter>();
  readonly #running = new Map<string, number>();
  readonly #ofOneMax: number;
  readonly #ofOnlyMax: number;
  #free: number;
  #isClosed = false;
  #latestId = '';
  /** When the turns last went from one account to another. */
  #changedMs = Number.NEGATIVE_INFINITY;

  /** `ofOneMax` of them at most are one account's, or `ofOnlyMax` while no other account has any. */
  constructor(count: number, ofOneMax = count, ofOnlyMax = ofOneMax) {
    this.#free = count;
    this.#ofOneMax = ofOneMax;
    this.#ofOnlyMax = ofOnlyMax;
  }

  /**
   * To be asked before `run`, in the same turn. @returns why there is no room for another read, to be waited for
   * @throws {AppError} `unavailable` if the service is stopping; why `signal` aborts
   */
  requireRoom(accountId: string, { signal, goesOn = false }: RunOptions = {}): Promise<never> | undefined {
    signal?.throwIfAborted();
    if (this.#isClosed) throw unavailable('The service is stopping; send the request again.');
    return goesOn || this.#waiting.countOf(accountId) < WAITING_MAX ? undefined : refuse(signal);
  }

  /** Runs `work` when it is its turn, unless `signal` aborts before. One that goes on with what was read has its turn before others of the account. */
  async run<T>(accountId: string, work: () => Promise<T>, options: RunOptions = {}): Promise<T> {
    const turn = this.enter(accountId, options);
    if (turn !== undefined) await turn;
    const startMs = performance.now();
    try {
      return await work();
    } finally {
      if (!options.rests || this.#isOnly(accountId)) this.leave(accountId);
      else void sleep(performance.now() - startMs).then(() => this.leave(accountId));
    }
  }

  /** Begins a turn of the account, which lasts until `leave`. @returns what to wait for first, if anything @throws why `signal` aborts */
  enter(accountId: string, { signal, goesOn = false }: RunOptions = {}): Promise<void> | undefined {
    if (!this.isFreeFor(accountId)) return this.#wait(accountId, signal, goesOn);
    this.#begin(accountId);
    return undefined;
  }

  leave(accountId: string): void {
    this.#end(accountId);
    // More than one where an account has become the only one.
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
    return (this.#running.get(accountId) ?? 0) < (this.#isOnly(accountId) ? this.#ofOnlyMax : this.#ofOneMax);
  }

  #isOnly(accountId: string): boolean {
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

  /** What waits is refused, and what comes. */
  close(): void {
    this.#isClosed = true;
    this.refuseWaiting(unavailable('The service is stopping; send the request again.'));
  }

  /** What waits is refused. */
  refuseWaiting(error: unknown): void {
    for (const waiter of this.#waiting.takeAll()) waiter.reject(error);
  }

  async #wait(accountId: string, signal: AbortSignal | undefined, goesOn: boolean): Promise<void> {
    // Nothing would tell of it any more.
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { accountId, start: resolve, reject };
    const drop = () => {
      if (this.#waiting.remove(accountId, waiter)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', drop);
    if (goesOn) this.#waiting.addFirst(accountId, waiter);
    else this.#waiting.add(accountId, waiter);
    await promise.finally(() => signal?.removeEventListener('abort', drop));
  }
}

/** Who asks again at once, whatever `Retry-After` says, does so less often. */
async function refuse(signal: AbortSignal | undefined): Promise<never> {
  await sleep(REFUSAL_MS.min + Math.random() * (REFUSAL_MS.max - REFUSAL_MS.min));
  signal?.throwIfAborted();
  throw unavailable('Too many searches of this account are waiting; send the request again later.');
}

export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

export function tooManyChanges(): AppError {
  return unavailable(
    'Too many changes of this account are waiting, and nothing was written; send this one again later.',
  );
}

import { AppError } from '../model/errors.ts';

/** So many queries of one account may wait: what comes then is better told so than made to wait for minutes. */
const WAITING_MAX = 256;

interface Waiter {
  accountId: string;
  start(): void;
  reject(error: unknown): void;
}

/** Lets so many reads run at a time, long ones or very many. Accounts take turns, so that one with many keeps nobody else waiting for all of them. */
export class ScanTurns {
  readonly #waiting = new Map<string, Waiter[]>();
  #free: number;
  #isClosed = false;

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws {AppError} `unavailable` if too many of the account wait, or the service is stopping; why `signal` aborts */
  refuse(accountId: string, signal?: AbortSignal): void {
    signal?.throwIfAborted();
    if (this.#isClosed) throw unavailable('The service is stopping; send the request again.');
    if ((this.#waiting.get(accountId)?.length ?? 0) < WAITING_MAX) return;
    throw unavailable('Too many searches of this account are waiting; send the request again later.');
  }

  /** Runs `work` when it is its turn, unless `signal` aborts before. */
  async run<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(accountId, signal);
    try {
      return await work();
    } finally {
      const next = this.#take();
      if (next === undefined) this.#free += 1;
      else next.start();
    }
  }

  /** What waits is refused, and what comes. */
  close(): void {
    this.#isClosed = true;
    this.refuseWaiting(unavailable('The service is stopping; send the request again.'));
  }

  /** What waits is refused. */
  refuseWaiting(error: unknown): void {
    for (let waiter = this.#take(); waiter !== undefined; waiter = this.#take()) waiter.reject(error);
  }

  async #wait(accountId: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { accountId, start: resolve, reject };
    const drop = () => {
      if (this.#remove(waiter)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', drop);
    this.#add(waiter);
    await promise.finally(() => signal?.removeEventListener('abort', drop));
  }

  #add(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.accountId);
    if (waiters === undefined) this.#waiting.set(waiter.accountId, [waiter]);
    else waiters.push(waiter);
  }

  /** Whether it was still waiting. */
  #remove(waiter: Waiter): boolean {
    const waiters = this.#waiting.get(waiter.accountId) ?? [];
    const index = waiters.indexOf(waiter);
    if (index < 0) return false;
    waiters.splice(index, 1);
    if (waiters.length === 0) this.#waiting.delete(waiter.accountId);
    return true;
  }

  /** The first of the account whose turn it is; that one is the last again. */
  #take(): Waiter | undefined {
    for (const [accountId, waiters] of this.#waiting) {
      const waiter = waiters.shift();
      this.#waiting.delete(accountId);
      if (waiters.length > 0) this.#waiting.set(accountId, waiters);
      return waiter;
    }
    return undefined;
  }
}

export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

export function tooManyChanges(): AppError {
  return unavailable(
    'Too many changes of this account are waiting, and nothing was written; send this one again later.',
  );
}

import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../model/errors.ts';
import { findSequences } from '../storage/account-heads.ts';
import type { Database } from '../storage/database.ts';
import { FairSemaphore } from '../storage/fair-semaphore.ts';

/** Announces this process's commits by account. */
export const accountWrites = new EventEmitter<{ written: [accountId: string] }>().setMaxListeners(0);

/** Delay until another process's change is found. */
const POLL_INTERVAL_MS = 250;

/**
 * Woken requests that read at a time. The others wait here without a limit: thousands of them would
 * otherwise fill the queue of the few database connections.
 */
const READERS_MAX = 4;

interface Waiter {
  accountId: string;
  /** The account's sequence that the request has seen. */
  sequence: number;
  end(): void;
}

/**
 * Long polls wait here for a change of their account. Writes of this process wake them at once; one
 * query for all of them finds those of other processes. Without waiting requests nothing runs.
 */
export class EventHub {
  readonly #database: Database;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #turns = new FairSemaphore(READERS_MAX);
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(database: Database) {
    this.#database = database;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Resolves when the account's sequence differs, after `durationMs`, when `signal` aborts, and
   * when the hub stops; the caller checks which. The next poll finds commits since the caller read.
   */
  wait(accountId: string, sequence: number, durationMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#isStopped || signal.aborted) resolve();
    else this.#add(accountId, sequence, durationMs, signal, resolve);
    return promise;
  }

  /** Runs `work` in turn. If the database is lost, all waiting readers fail at once. */
  read<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountId, () =>
      work().catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'unavailable') this.#turns.rejectWaiting(error);
        throw error;
      }),
    );
  }

  /** Ends all waits, also later ones. */
  stop(): void {
    this.#isStopped = true;
    for (const waiter of this.#waitersOf([...this.#waiters.keys()])) waiter.end();
  }

  #add(accountId: string, sequence: number, durationMs: number, signal: AbortSignal, resolve: () => void): void {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      this.#remove(waiter);
      resolve();
    };
    const waiter = { accountId, sequence, end };
    const timer = setTimeout(end, durationMs);
    signal.addEventListener('abort', end);
    if (this.#waiters.size === 0) this.#listen();
    const others = this.#waiters.get(accountId);
    if (others === undefined) this.#waiters.set(accountId, new Set([waiter]));
    else others.add(waiter);
  }

  #remove(waiter: Waiter): void {
    const others = this.#waiters.get(waiter.accountId);
    if (!others?.delete(waiter) || others.size > 0) return;
    this.#waiters.delete(waiter.accountId);
    if (this.#waiters.size === 0) this.#unlisten();
  }

  #listen(): void {
    accountWrites.on('written', this.#onWritten);
    this.#timer = setTimeout(this.#poll, POLL_INTERVAL_MS);
  }

  #unlisten(): void {
    accountWrites.off('written', this.#onWritten);
    clearTimeout(this.#timer);
  }

  readonly #onWritten = (accountId: string): void => {
    if (this.#waiters.has(accountId)) void this.#wakeChanged([accountId]);
  };

  readonly #poll = async (): Promise<void> => {
    const timer = this.#timer;
    await this.#wakeChanged([...this.#waiters.keys()]);
    // All requests may have left, and others come, in the meantime.
    if (timer === this.#timer && this.#waiters.size > 0) this.#timer = setTimeout(this.#poll, POLL_INTERVAL_MS);
  };

  async #wakeChanged(accountIds: string[]): Promise<void> {
    // If the database fails, all requests are woken and report the error themselves.
    const sequences = await findSequences(this.#database, accountIds).catch(() => new Map<string, number>());
    const changed = this.#waitersOf(accountIds).filter((waiter) => waiter.sequence !== sequences.get(waiter.accountId));
    // Before the first pause: no request is woken twice.
    for (const waiter of changed) this.#remove(waiter);
    for (const waiter of changed) {
      waiter.end();
      // Each reads in its own turn of the event loop: a thousand at once would block it.
      await nextTurn();
    }
  }

  #waitersOf(accountIds: string[]): Waiter[] {
    return accountIds.flatMap((accountId) => [...(this.#waiters.get(accountId) ?? [])]);
  }
}

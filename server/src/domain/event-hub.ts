import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../model/errors.ts';
import { findSequences } from '../storage/account-heads.ts';
import type { Database } from '../storage/database.ts';
import { FairSemaphore } from '../storage/fair-semaphore.ts';

/** Tells this process which account a write has just been committed for. */
export const accountWrites = new EventEmitter<{ written: [accountId: string] }>().setMaxListeners(0);

/** How soon a change that another process has made is found. */
const POLL_INTERVAL_MS = 250;

/**
 * So many of those that were woken read at a time. The others wait here, as long as it takes: thousands that ask for one
 * of a few connections would be put off, and keep everybody else from them.
 */
const READERS_MAX = 4;

interface Waiter {
  accountId: string;
  /** What it knows of its account. */
  sequence: number;
  end(): void;
}

/**
 * Where requests wait for a change of their account. Writes of this process wake them at once; those of others are found
 * by one query for all that wait. While nobody waits, nothing runs.
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
   * Resolves when the account's sequence is another than this one, when the time is over, when `signal` aborts and when
   * the hub stops: the caller looks which. What was committed since the caller has read is found by the next query.
   */
  wait(accountId: string, sequence: number, durationMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#isStopped || signal.aborted) resolve();
    else this.#add(accountId, sequence, durationMs, signal, resolve);
    return promise;
  }

  /** Reads for one that was woken, when it is its turn. What a database that is lost tells one is told to all that wait for theirs. */
  read<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountId, () =>
      work().catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'unavailable') this.#turns.refuseWaiting(error);
        throw error;
      }),
    );
  }

  /** Ends all waiting, now and for ever. */
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
    // Everybody may have left meanwhile, and others come.
    if (timer === this.#timer && this.#waiters.size > 0) this.#timer = setTimeout(this.#poll, POLL_INTERVAL_MS);
  };

  async #wakeChanged(accountIds: string[]): Promise<void> {
    // If the database does not answer, all go and meet the fault themselves.
    const sequences = await findSequences(this.#database, accountIds).catch(() => new Map<string, number>());
    const changed = this.#waitersOf(accountIds).filter((waiter) => waiter.sequence !== sequences.get(waiter.accountId));
    // So that nobody is woken twice.
    for (const waiter of changed) this.#remove(waiter);
    for (const waiter of changed) {
      waiter.end();
      // Each reads in a turn of the event loop of its own: a thousand at once would stop it.
      await nextTurn();
    }
  }

  #waitersOf(accountIds: string[]): Waiter[] {
    return accountIds.flatMap((accountId) => [...(this.#waiters.get(accountId) ?? [])]);
  }
}

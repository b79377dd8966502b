import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCounter } from '../../lib/metrics.ts';
import { AppError } from '../../model/errors.ts';
import { findSequences } from '../../storage/account-heads.ts';
import type { Database } from '../../storage/database.ts';
import { FairSemaphore } from '../../storage/fair-semaphore.ts';

/** Emits an account's id after each commit of its changes in this process. */
export const accountWrites = new EventEmitter<{ written: [accountId: string] }>().setMaxListeners(0);

const committedEvents = createCounter({
  name: 'property_listings_events_total',
  help: 'Committed changes to listings, each with an event.',
});

/** Call this after each commit of an account's changes. */
export function noteWritten(accountId: string, events: number): void {
  accountWrites.emit('written', accountId);
  committedEvents.add({}, events);
}

/** How long a change by another process can remain unnoticed. */
const POLL_INTERVAL_MS = 250;

/**
 * Maximum number of woken requests that read concurrently. The others wait for their turn in the event hub,
 * because thousands of them would fill the queue for the few database connections.
 */
const READERS_MAX = 4;

interface Waiter {
  accountId: string;
  /** The account's sequence that the client has seen. */
  sequence: number;
  end(): void;
}

/**
 * Long polls wait here for changes to their account. Writes in this process wake them immediately. While any
 * are waiting, one query for all accounts polls for other processes' writes.
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
   * Resolves when the account's sequence differs from `sequence`, after `durationMs`, when `signal` aborts,
   * or when the hub stops. The caller checks which of these has happened. A commit before the call also ends the wait.
   */
  wait(accountId: string, sequence: number, durationMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#isStopped || signal.aborted) resolve();
    else this.#add(accountId, sequence, durationMs, signal, resolve);
    return promise;
  }

  /** Runs `work` when the account's turn comes. If the database is lost, all waiting work fails immediately. */
  read<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountId, () =>
      work().catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'unavailable') this.#turns.rejectWaiting(error);
        throw error;
      }),
    );
  }

  /** Ends all waits, including later ones. */
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
    // During the query, the last long poll may have ended and a new one may have set another timer.
    if (timer === this.#timer && this.#waiters.size > 0) this.#timer = setTimeout(this.#poll, POLL_INTERVAL_MS);
  };

  async #wakeChanged(accountIds: string[]): Promise<void> {
    // If the database fails, all requests are woken, and each reports the error.
    const sequences = await findSequences(this.#database, accountIds).catch(() => new Map<string, number>());
    const changed = this.#waitersOf(accountIds).filter((waiter) => waiter.sequence !== sequences.get(waiter.accountId));
    // The waiters are removed before the first pause, so no request is woken twice.
    for (const waiter of changed) this.#remove(waiter);
    for (const waiter of changed) {
      waiter.end();
      // Each request reads in its own event-loop turn, because a thousand reads at once would block the loop.
      await nextTurn();
    }
  }

  #waitersOf(accountIds: string[]): Waiter[] {
    return accountIds.flatMap((accountId) => [...(this.#waiters.get(accountId) ?? [])]);
  }
}

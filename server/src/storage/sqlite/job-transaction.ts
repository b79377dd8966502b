import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Executor, LongTransaction } from '../database.ts';
import type { Connection } from './connection.ts';

/** The transaction of a job. It ends with the job, so no late statement can run in another job's transaction. */
export class JobTransaction implements LongTransaction {
  readonly hasCountTriggers = true;
  readonly #connection: Connection;
  readonly #guard: TurnGuard;
  #ended = false;

  constructor(connection: Connection, guard: TurnGuard) {
    this.#connection = connection;
    this.#guard = guard;
  }

  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  assertOpen(): void {
    if (this.#ended) throw new Error('A statement was run after its write job had ended');
  }

  execute: Executor['execute'] = (statement, parameters) => {
    this.assertOpen();
    return this.#connection.execute(statement, parameters);
  };

  executeRun: Executor['executeRun'] = (statement, parameters, bytesMax) => {
    this.assertOpen();
    return this.#connection.executeRun(statement, parameters, bytesMax);
  };

  async nextTurn(): Promise<void> {
    this.assertOpen();
    await this.#guard.letPass(nextTurn);
    this.assertOpen();
  }
}

export class LateJobError extends Error {
  constructor() {
    super('A write job awaited something other than its transaction');
  }
}

/**
 * Fails a job that awaits anything but its statements, which return within one event-loop turn. Such a job is
 * a bug: it holds the write lock, and other writes must not wait for it.
 */
export class TurnGuard {
  readonly #late = Promise.withResolvers<never>();
  #alarm: NodeJS.Immediate | undefined;

  /** @throws {LateJobError} when `run` awaits anything but statements and `letPass` */
  async watch<T>(run: () => Promise<T>): Promise<T> {
    this.#setAlarm();
    try {
      return await Promise.race([run(), this.#late.promise]);
    } finally {
      clearImmediate(this.#alarm);
    }
  }

  /** Waits for something other than a statement while the transaction stays open. */
  async letPass(wait: () => Promise<void> | undefined): Promise<void> {
    clearImmediate(this.#alarm);
    await wait();
    this.#setAlarm();
  }

  #setAlarm(): void {
    clearImmediate(this.#alarm);
    this.#alarm = setImmediate(() => this.#late.reject(new LateJobError()));
  }
}

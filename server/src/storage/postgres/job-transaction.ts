import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { LongTransaction, Run, Statement } from '../database.ts';
import { compiler, send, toQuery, toRows } from './connection.ts';
import { readRun } from './read-run.ts';

/** A statement that was sent and whose answer nobody has looked at. */
export interface Pending<Owner> {
  /** Whose it is. */
  owner: Owner;
  answer: Promise<unknown>;
}

/**
 * What a job works with. A statement that gives no rows is sent, and the job goes on: what becomes of it is looked at with
 * the commit. So a change takes one round trip for each of its questions, and not for its answers.
 */
export class JobTransaction<Owner> implements LongTransaction {
  readonly #client: pg.ClientBase;
  readonly #isNamed: boolean;
  readonly #owner: Owner;
  readonly #pending: Pending<Owner>[];
  #ended = false;
  /** Whether a statement that may write was sent. */
  hasWritten = false;
  /** Whether a statement has failed, and the transaction with it. */
  hasFailed = false;

  constructor(client: pg.ClientBase, isNamed: boolean, owner: Owner, pending: Pending<Owner>[]) {
    this.#client = client;
    this.#isNamed = isNamed;
    this.#owner = owner;
    this.#pending = pending;
  }

  end(): void {
    this.#ended = true;
  }

  assertOpen(): void {
    if (this.#ended) throw new Error('A statement came after its write job had ended');
  }

  async execute<P, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    this.assertOpen();
    const compiled = compiler.compile(statement);
    if (!compiled.isQuery) this.hasWritten = true;
    const answer = send(this.#client, toQuery(compiled, parameters, this.#isNamed));
    if (!compiled.givesRows) {
      this.#leave(answer);
      return [];
    }
    return toRows(compiled, await this.#watch(answer)) as R[];
  }

  async executeRun<P, R>(statement: Statement<P, R>, parameters: P, bytesMax: number): Promise<Run<R>> {
    this.assertOpen();
    const compiled = compiler.compile(statement);
    const run = await this.#watch(readRun(this.#client, toQuery(compiled, parameters, false), bytesMax));
    return { rows: toRows(compiled, run) as R[], isCut: run.isCut };
  }

  async nextTurn(): Promise<void> {
    this.assertOpen();
    await this.#watch(Promise.all(this.#pending.map(({ answer }) => answer)));
    this.#pending.length = 0;
    await nextTurn();
    this.assertOpen();
  }

  #leave(answer: Promise<unknown>): void {
    // It is looked at later: until then nobody has failed to handle it.
    answer.catch(() => {});
    this.#pending.push({ owner: this.#owner, answer });
  }

  async #watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { LongTransaction, Statement } from '../database.ts';
import type { Run } from '../runs.ts';
import { compiler, send, toQuery, toRows } from './connection.ts';
import { readRun } from './read-run.ts';

/** A statement that was sent, but whose result is not awaited yet. */
export interface Pending<Owner> {
  owner: Owner;
  result: Promise<unknown>;
}

/**
 * The transaction of a job. A statement that returns no rows is sent without awaiting its result, so that only
 * statements that return rows cost a round trip. If such a statement fails, so does the commit.
 */
export class JobTransaction<Owner> implements LongTransaction {
  readonly hasCountTriggers = false;
  readonly #client: pg.ClientBase;
  readonly #isNamed: boolean;
  readonly #owner: Owner;
  readonly #pending: Pending<Owner>[];
  #ended = false;
  /** Whether a statement that can write was sent. */
  hasWritten = false;
  /** Whether a statement whose result was awaited has failed, and the transaction with it. */
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
    if (this.#ended) throw new Error('A statement was run after its write job had ended');
  }

  async execute<P, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    this.assertOpen();
    const compiled = compiler.compile(statement);
    if (!compiled.isQuery) this.hasWritten = true;
    const result = send(this.#client, toQuery(compiled, parameters, this.#isNamed));
    if (!compiled.returnsRows) {
      // The result may be checked later; this keeps Node.js from reporting an unhandled rejection until then.
      result.catch(() => {});
      this.#pending.push({ owner: this.#owner, result });
      return [];
    }
    return toRows(compiled, await this.#watch(result)) as R[];
  }

  async executeRun<P, R>(statement: Statement<P, R>, parameters: P, bytesMax: number): Promise<Run<R>> {
    this.assertOpen();
    const compiled = compiler.compile(statement);
    const run = await this.#watch(readRun(this.#client, toQuery(compiled, parameters, false), bytesMax));
    return { rows: toRows(compiled, run) as R[], isCut: run.isCut };
  }

  async nextTurn(): Promise<void> {
    this.assertOpen();
    await this.#watch(Promise.all(this.#pending.map(({ result }) => result)));
    this.#pending.length = 0;
    await nextTurn();
    this.assertOpen();
  }

  async #watch<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}

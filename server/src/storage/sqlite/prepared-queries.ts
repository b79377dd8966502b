import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import type { Run } from '../runs.ts';
import { readRun } from './read-run.ts';

/** The maximum number of statements to keep. Each combination of conditions has its own, and most recur. */
const PREPARED_MAX = 200;

type Query = Pick<Sql, 'sql'> & { values: readonly unknown[] };

/** Runs queries that are built per request, on one connection. Rows are arrays. */
export class PreparedQueries {
  readonly #database: DatabaseSync;
  readonly #prepared = new LRUCache<string, StatementSync>({ max: PREPARED_MAX });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all({ sql, values }: Query): unknown[][] {
    return this.#prepare(sql).all(...(values as SQLInputValue[])) as unknown as unknown[][];
  }

  /** Stops as `Executor.executeRun` does. */
  run({ sql, values }: Query, bytesMax: number): Run<unknown[]> {
    return readRun(this.#prepare(sql), values as SQLInputValue[], bytesMax);
  }

  columns(text: string): string[] {
    return this.#prepare(text)
      .columns()
      .map(({ name }) => name);
  }

  /** Runs `read` on one snapshot of the database. */
  onSnapshot<T>(read: () => T): T {
    this.#database.exec('begin');
    try {
      return read();
    } finally {
      this.#database.exec('commit');
    }
  }

  #prepare(text: string): StatementSync {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    this.#prepared.set(text, statement);
    return statement;
  }
}

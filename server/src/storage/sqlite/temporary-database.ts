import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { translateError } from './errors.ts';

/**
 * A private database that is needed only for a while. SQLite keeps it in memory up to the size of the cache, and the
 * rest in an unnamed temporary file, which is deleted when the connection closes. Each method throws {AppError}
 * `storage_full` or `unavailable`.
 */
export class TemporaryDatabase {
  readonly #database = new DatabaseSync('');
  readonly #statements = new Map<string, StatementSync>();

  /** @param start SQL that sets pragmas and creates tables */
  constructor(start: string) {
    // The file does not need to survive a crash or to be rolled back.
    const begin = `pragma journal_mode = off; pragma synchronous = off; ${start} begin;`;
    translated(() => this.#database.exec(begin));
  }

  /** Runs a statement that is prepared on its first use. */
  all<T>(sql: string, values: (SQLInputValue | undefined)[]): T[] {
    return translated(() => {
      const prepared = this.#statements.get(sql) ?? this.#database.prepare(sql);
      this.#statements.set(sql, prepared);
      return prepared.all(...values.map((value) => value ?? null)) as T[];
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateError(error);
  }
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { DummyDriver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { AppError } from '../../model/errors.ts';
import type { Run, Session, Statement } from '../database.ts';
import { rowMapper, StatementCompiler } from '../statements.ts';
import { translateError } from './errors.ts';

/** How long an opening connection waits for another process that migrates or recovers. */
const OPEN_TIMEOUT_MS = 10_000;
const CACHE_KIB = 16_384;

const compiler = new StatementCompiler({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});

interface Prepared {
  statement: StatementSync;
  isQuery: boolean;
  bind(parameters: unknown): SQLInputValue[];
  toRow(values: unknown[]): unknown;
}

/** A connection with its prepared statements. */
export class Connection implements Session {
  readonly #database: DatabaseSync;
  readonly #prepared = new WeakMap<object, Prepared>();
  /** Whether a statement that may write has run since somebody set this to false. */
  hasWritten = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async execute<P, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    try {
      const { statement: prepared, isQuery, bind, toRow } = this.#prepare(statement);
      if (!isQuery) this.hasWritten = true;
      // `.all()` also for writes: it ends the statement, so that no cursor stays open and the log is checkpointed.
      const rows = prepared.all(...bind(parameters)) as unknown as unknown[][];
      return rows.map(toRow) as R[];
    } catch (error) {
      throw translateError(error);
    }
  }

  /** Half as slow again for each row as `.all()`. Leaving the loop ends the statement: no cursor stays open. */
  async executeRun<P, R>(statement: Statement<P, R>, parameters: P, bytesMax: number): Promise<Run<R>> {
    try {
      const { statement: prepared, bind, toRow } = this.#prepare(statement);
      const rows: R[] = [];
      let bytes = 0;
      for (const row of prepared.iterate(...bind(parameters))) {
        const values = row as unknown as unknown[];
        rows.push(toRow(values) as R);
        bytes += textBytes(values);
        if (bytes > bytesMax) return { rows, isCut: true };
      }
      return { rows, isCut: false };
    } catch (error) {
      throw translateError(error);
    }
  }

  #prepare<P, R>(statement: Statement<P, R>): Prepared {
    const known = this.#prepared.get(statement);
    if (known !== undefined) return known;
    const { sql, isQuery, bind } = compiler.compile(statement);
    const compiled = this.#database.prepare(sql);
    // Rows as arrays take a quarter less time, even with the objects made here.
    compiled.setReturnArrays(true);
    const prepared: Prepared = {
      statement: compiled,
      isQuery,
      bind: bind as Prepared['bind'],
      toRow: rowMapper(compiled.columns().map(({ name }) => name)),
    };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

function textBytes(values: unknown[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}

/**
 * Opens a connection that loses nothing: a commit returns when it is on the disk.
 * @throws {AppError} `unavailable` with words for the operator
 */
export function openConnection(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { timeout: OPEN_TIMEOUT_MS });
    refuseForeignTables(database, path);
    database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -${CACHE_KIB};
      pragma temp_store = memory;
    `);
    expectPragma(database, 'journal_mode', 'wal');
    expectPragma(database, 'synchronous', 2);
    expectPragma(database, 'foreign_keys', 1);
    return database;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('unavailable', `Cannot open the database ${path}: ${reason}.`, { cause: error });
  }
}

/** Before anything is changed, also the journal mode: a database without our tables, unless it is empty, is not ours. */
function refuseForeignTables(database: DatabaseSync, name: string): void {
  const tables = database.prepare('select name from sqlite_schema').all();
  if (tables.length === 0 || tables.some((table) => table.name === 'database_info')) return;
  throw new AppError('unavailable', `The file ${name} is another program's database; name another file.`);
}

/** A durability setting that did not take, for example on a network file system, would lose data in silence. */
function expectPragma(database: DatabaseSync, name: string, expected: string | number): void {
  const actual = database.prepare(`pragma ${name}`).get()?.[name];
  if (actual !== expected) throw new Error(`${name} is ${actual} and must be ${expected}`);
}

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openReader } from './open-connection.ts';
import { readRun } from './read-run.ts';

// A thread of `ReaderThreads`: reads what it is told to, one query after the other.

export interface ReadRequest {
  sql: string;
  values: readonly unknown[];
  bytesMax: number;
}

export type ReadAnswer =
  | { columns: string[]; rows: unknown[][]; isCut: boolean }
  /** `errcode` is SQLite's; an error loses it on its way between threads. */
  | { error: { message: string; errcode: unknown } };

/** Queries differ by their filters, and most of them come again. */
const PREPARED_MAX = 100;

const database: DatabaseSync = openReader(workerData);
const prepared = new Map<string, StatementSync>();

parentPort?.on('message', (request: ReadRequest | 'close') => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
  } else {
    parentPort?.postMessage(read(request));
  }
});

function read({ sql, values, bytesMax }: ReadRequest): ReadAnswer {
  try {
    const statement = prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    return { columns, ...readRun(statement, values as SQLInputValue[], bytesMax) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: unknown };
    return { error: { message, errcode } };
  }
}

/** The one that has not been used for longest makes room. */
function prepare(sql: string): StatementSync {
  const statement = prepared.get(sql) ?? database.prepare(sql);
  statement.setReturnArrays(true);
  prepared.delete(sql);
  prepared.set(sql, statement);
  const [oldest] = prepared.keys();
  if (prepared.size > PREPARED_MAX && oldest !== undefined) prepared.delete(oldest);
  return statement;
}

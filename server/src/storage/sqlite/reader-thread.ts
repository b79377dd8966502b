import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { setThreadPriority } from '../../lib/thread-priority.ts';
import { openReader } from './open-connection.ts';
import { readRun } from './read-run.ts';

// A thread of `ReaderThreads`. Runs one query at a time.

export interface ReadRequest {
  sql: string;
  values: readonly unknown[];
  bytesMax: number;
  /** Rows per pack; without it, rows are not packed. */
  packLength?: number;
}

/** A pack is a JSON array of rows in UTF-8. */
export interface ReadRows {
  columns: string[];
  rows: unknown[][];
  packs: Uint8Array<ArrayBuffer>[];
  count: number;
  isCut: boolean;
}

export type ReadResult =
  | ReadRows
  /** `errcode` is SQLite's result code, which an Error would lose between threads. */
  | { error: { message: string; errcode: unknown } };

/** Queries differ by their filters, and most recur. */
const PREPARED_MAX = 100;

/** The main thread has priority, since its tasks are short. */
const NICE = 5;

setThreadPriority(NICE);
const database: DatabaseSync = openReader(workerData);
const prepared = new Map<string, StatementSync>();

parentPort?.on('message', (request: ReadRequest | 'close') => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
  } else {
    const result = read(request);
    // Packs are transferred: copying would block the main thread.
    const transferred = 'packs' in result ? result.packs.map(({ buffer }) => buffer) : [];
    parentPort?.postMessage(result, transferred);
  }
});

function read({ sql, values, bytesMax, packLength }: ReadRequest): ReadResult {
  try {
    const statement = prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    const { rows, isCut } = readRun(statement, values as SQLInputValue[], bytesMax);
    const result = { columns, rows, packs: [], count: rows.length, isCut };
    return packLength === undefined ? result : { ...result, rows: [], packs: pack(rows, packLength) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: unknown };
    return { error: { message, errcode } };
  }
}

function pack(rows: unknown[][], packLength: number): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const packs: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < rows.length; start += packLength) {
    packs.push(encoder.encode(JSON.stringify(rows.slice(start, start + packLength))));
  }
  return packs;
}

/** Keeps the most recently used statements. */
function prepare(sql: string): StatementSync {
  const statement = prepared.get(sql) ?? database.prepare(sql);
  statement.setReturnArrays(true);
  prepared.delete(sql);
  prepared.set(sql, statement);
  const [oldest] = prepared.keys();
  if (prepared.size > PREPARED_MAX && oldest !== undefined) prepared.delete(oldest);
  return statement;
}

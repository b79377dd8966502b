import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { setThreadPriority } from '../../lib/thread-priority.ts';
import { openReader } from './open-connection.ts';
import { readRun } from './read-run.ts';

// A thread of `ReaderThreads`: reads what it is told to, one query after the other.

export interface ReadRequest {
  sql: string;
  values: readonly unknown[];
  bytesMax: number;
  /** So many rows make a pack; without it they are not packed. */
  packLength?: number;
}

/** Rows as they are read; a pack is JSON of them, in UTF-8. */
export interface ReadRows {
  columns: string[];
  rows: unknown[][];
  packs: Uint8Array<ArrayBuffer>[];
  count: number;
  isCut: boolean;
}

export type ReadAnswer =
  | ReadRows
  /** `errcode` is SQLite's; an error loses it on its way between threads. */
  | { error: { message: string; errcode: unknown } };

/** Queries differ by their filters, and most of them come again. */
const PREPARED_MAX = 100;

/** What the thread of requests does goes before: it is short. */
const NICE = 5;

setThreadPriority(NICE);
const database: DatabaseSync = openReader(workerData);
const prepared = new Map<string, StatementSync>();

parentPort?.on('message', (request: ReadRequest | 'close') => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
  } else {
    const answer = read(request);
    // Packs are handed over, not copied: that would stop the serving thread.
    const handedOver = 'packs' in answer ? answer.packs.map(({ buffer }) => buffer) : [];
    parentPort?.postMessage(answer, handedOver);
  }
});

function read({ sql, values, bytesMax, packLength }: ReadRequest): ReadAnswer {
  try {
    const statement = prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    const { rows, isCut } = readRun(statement, values as SQLInputValue[], bytesMax);
    const answer = { columns, rows, packs: [], count: rows.length, isCut };
    return packLength === undefined ? answer : { ...answer, rows: [], packs: pack(rows, packLength) };
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

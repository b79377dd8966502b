import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { setThreadPriority } from '../../lib/thread-priority.ts';
import type { Search } from '../../model/search.ts';
import type { Wanted } from '../searches.ts';
import { openReader } from './open-connection.ts';
import { PreparedQueries } from './prepared-queries.ts';
import { SearchReader } from './search-reader.ts';

/** What to read: the rows of a query, or the matches of a search, their count, or their clusters. */
export type ReadRequest = {
  /** Rows per pack; without it, rows are not packed. */
  packLength?: number;
} & (
  | { sql: string; values: readonly unknown[]; bytesMax?: number | undefined }
  | { find: { accountId: string; search: Search; wanted: Wanted } }
  | { count: { accountId: string; search: Search } }
  | { cluster: { accountId: string; search: Search; sideDegrees: number } }
);

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

/** The main thread has priority, since its tasks are short. */
const NICE = 5;

setThreadPriority(NICE);
const database: DatabaseSync = openReader(workerData);
const searches = new SearchReader(database);
const queries = new PreparedQueries(database);

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

function read({ packLength, ...request }: ReadRequest): ReadResult {
  try {
    const { columns, rows, isCut } = readRows(request);
    const result = { columns, rows, packs: [], count: rows.length, isCut };
    return packLength === undefined ? result : { ...result, rows: [], packs: pack(rows, packLength) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: unknown };
    return { error: { message, errcode } };
  }
}

function readRows(request: ReadRequest): Pick<ReadRows, 'columns' | 'rows' | 'isCut'> {
  if ('find' in request) {
    const { accountId, search, wanted } = request.find;
    const run = searches.find(accountId, search, wanted, false);
    return { columns: [], rows: [], isCut: false, ...run };
  }
  if ('count' in request) {
    const { accountId, search } = request.count;
    return { columns: [], rows: [[searches.count(accountId, search, false)]], isCut: false };
  }
  if ('cluster' in request) {
    const { accountId, search, sideDegrees } = request.cluster;
    return { columns: [], rows: searches.cluster(accountId, search, sideDegrees), isCut: false };
  }
  const { sql, values, bytesMax = Number.POSITIVE_INFINITY } = request;
  return { columns: queries.columns(sql), ...queries.run({ sql, values }, bytesMax) };
}

function pack(rows: unknown[][], packLength: number): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const packs: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < rows.length; start += packLength) {
    packs.push(encoder.encode(JSON.stringify(rows.slice(start, start + packLength))));
  }
  return packs;
}

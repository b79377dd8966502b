import { closeSync, existsSync, openSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { setThreadPriority } from '../../lib/thread-priority.ts';
import { isDamaged, SQLITE_FULL } from './errors.ts';
import { COMPANIONS, FILE_MODE } from './files.ts';

// The thread of a `RequestLogFile`. The request log can be lost: a damaged file is removed, and a missing one
// is created.

export interface LogQuery {
  sql: string;
  values: readonly unknown[];
}

export type LogResult =
  | { columns: string[]; rows: unknown[][] }
  /** `errcode` is SQLite's result code, which an Error would lose between threads. */
  | { error: { message: string; errcode: unknown } };

/** Requests have priority. */
const NICE = 10;
/** How long to wait for the lock of another process. */
const LOCK_TIMEOUT_MS = 1_000;
const CACHE_KIB = 2_048;
const LOG_BYTES_KEPT = 16 * 1024 * 1024;

/** Disk space that must stay free for the listings: this much, or a tenth of the disk if that is less. */
const FREE_BYTES_MIN = 256 * 1024 * 1024;

const COMPRESSED_BYTES_MIN = 4_096;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** The first byte of compressed data (RFC 8878 §3.1.1). JSON begins with a bracket. */
const ZSTD_MAGIC = 0x28;

const TABLES = `
  create table if not exists request_blocks (
    account_id text not null,
    id text not null,
    requests blob not null,
    failures integer not null,
    -- About the size of the row, with its entries in indexes.
    bytes integer not null generated always as (octet_length(requests) + 250) stored
  ) strict;
  create unique index if not exists request_blocks_id on request_blocks (account_id, id);
  create index if not exists request_blocks_failed on request_blocks (account_id, id) where failures > 0;
  create index if not exists request_blocks_oldest on request_blocks (id, bytes);
`;

const path: string = workerData;
let connection: { database: DatabaseSync; file: number | undefined } | undefined;
const prepared = new Map<string, { statement: StatementSync; columns: string[] }>();

setThreadPriority(NICE);
parentPort?.on('message', (query: LogQuery | 'close') => {
  if (query === 'close') {
    close();
    parentPort?.close();
  } else {
    parentPort?.postMessage(run(query));
  }
});

function run({ sql, values }: LogQuery): LogResult {
  try {
    if (sql.startsWith('insert')) requireSpace();
    return runOn(connect(), sql, values as SQLInputValue[]);
  } catch (error) {
    if (isDamaged(error)) discard();
    const { message, errcode } = error as Error & { errcode?: unknown };
    return { error: { message, errcode } };
  } finally {
    for (const value of values) if (value instanceof Uint8Array) free(value.buffer);
  }
}

/** V8 would not free the blocks' memory until they take many megabytes, since this thread allocates little else. */
function free(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

function runOn(database: DatabaseSync, sql: string, values: SQLInputValue[]) {
  let known = prepared.get(sql);
  if (known === undefined) {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    known = { statement, columns: statement.columns().map(({ name }) => name) };
    prepared.set(sql, known);
  }
  const rows = known.statement.all(...values.map(compress)) as unknown as SQLOutputValue[][];
  return { columns: known.columns, rows: rows.map((row) => row.map(decompress)) };
}

/** Compresses a block, unless preparing the compression would take longer than writing the block. */
function compress(value: SQLInputValue): SQLInputValue {
  return value instanceof Uint8Array && value.length >= COMPRESSED_BYTES_MIN ? zstdCompressSync(value, FAST) : value;
}

function decompress(value: SQLOutputValue): SQLOutputValue {
  return value instanceof Uint8Array && value[0] === ZSTD_MAGIC ? zstdDecompressSync(value) : value;
}

function requireSpace(): void {
  const { bsize, blocks, bavail } = statfsSync(dirname(path));
  if (bavail * bsize >= Math.min(FREE_BYTES_MIN, (blocks * bsize) / 10)) return;
  throw Object.assign(new Error('the disk is almost full'), { errcode: SQLITE_FULL });
}

/** The connection to the file that is now at the path. */
function connect(): DatabaseSync {
  if (connection !== undefined && (connection.database.isTransaction || connection.file === identify()))
    return connection.database;
  close();
  // SQLite would create a file that all users can read.
  if (!existsSync(path)) closeSync(openSync(path, 'a', FILE_MODE));
  const file = identify();
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  connection = { database, file };
  try {
    database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = normal;
      pragma secure_delete = on;
      pragma cache_size = -${CACHE_KIB};
      pragma journal_size_limit = ${LOG_BYTES_KEPT};
    `);
    database.exec(TABLES);
  } catch (error) {
    if (isDamaged(error)) discard();
    else close();
    throw error;
  }
  return database;
}

function identify(): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Removes the damaged file, unless another process has already replaced it. */
function discard(): void {
  const file = connection?.file;
  close();
  if (file === identify()) for (const suffix of ['', ...COMPANIONS]) rmSync(path + suffix, { force: true });
}

function close(): void {
  prepared.clear();
  connection?.database.close();
  connection = undefined;
}

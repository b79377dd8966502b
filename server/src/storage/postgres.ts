import type pg from 'pg';
import { resumeOnePerTurn } from '../lib/turns.ts';
import { AppError } from '../model/errors.ts';
import { type Database, DatabaseAwayError } from './database.ts';
import type { Inspection } from './inspection.ts';
import { AccountWriteQueues } from './postgres/account-write-queues.ts';
import { dialect, send } from './postgres/connection.ts';
import { createCounters } from './postgres/counters.ts';
import { distribute } from './postgres/distribute.ts';
import { isAway } from './postgres/errors.ts';
import { inspect } from './postgres/inspect.ts';
import { migrate } from './postgres/migrate.ts';
import { PendingList } from './postgres/pending-list.ts';
import { Pool, type PoolSettings } from './postgres/pool.ts';
import { execute, executeRun } from './postgres/reads.ts';
import { PostgresScans } from './postgres/scans.ts';
import { PostgresSearch } from './postgres/search.ts';
import type { TellProgress } from './rebuild.ts';

/** Enough for the largest atomic import with its search terms. Limits only memory: other accounts do not wait. */
const LONG_WRITE_BYTES_MAX = 192 * 1024 * 1024;
const INSPECTION: PoolSettings = { poolSize: 1, statementTimeoutMs: 10_000, preparesStatements: false };

/**
 * Opens a database on a PostgreSQL server (14 or newer), and migrates its tables.
 * @throws {AppError} `unavailable` with a message for the operator, if the server or database is missing, or
 * the tables are from a newer release
 */
export async function openPostgres(url: string, settings: PoolSettings, tell: TellProgress): Promise<Database> {
  const name = nameOf(url);
  const pool = new Pool(url, settings);
  try {
    await pool.use((client) => migrate(client, name, tell));
  } catch (error) {
    await pool.close();
    throw explain(error, name);
  }
  resumeOnePerTurn();
  // The request log has its own connection, so it does not take one from requests.
  const logPool = new Pool(url, { ...settings, poolSize: 1 });
  const pendingPool = new Pool(url, { ...settings, poolSize: 1 });
  const pendingList = new PendingList(pendingPool);
  const queues = new AccountWriteQueues(pool, () => pendingList.noteCommit());
  const scans = new PostgresScans(pool);
  const logQueues = new AccountWriteQueues(logPool);
  return {
    name,
    dialect,
    scans,
    search: new PostgresSearch(pool, scans),
    requestLog: {
      execute: (...query) => execute(logPool, ...query),
      write: (job) => logQueues.submit(job, {}),
    },
    execute: (...query) => execute(pool, ...query),
    executeRun: (...query) => executeRun(pool, ...query),
    isServing: () => pool.isServing,
    isOverfull: (accountId) => pool.isOverfull(accountId),
    requireRoom: (accountId) => queues.requireRoom(accountId),
    counters: createCounters(pool),
    longWriteBytesMax: LONG_WRITE_BYTES_MAX,
    write: (job, accountId) => queues.submit(job, { accountId }),
    writeLong: (job, accountId) => queues.submit(job, { accountId, isLong: true }),
    distribute: () => pool.use(distributeAlone),
    measure: () => ({ waitingWrites: queues.length, pool: pool.measure() }),
    async close() {
      await queues.close();
      await logQueues.close();
      await pendingList.close();
      scans.close();
      await pool.close();
      await logPool.close();
      await pendingPool.close();
    },
  };
}

/** Inspects a database without creating or changing anything. @throws {AppError} as `openPostgres` does */
export async function inspectPostgres(url: string, withTables: boolean): Promise<Inspection> {
  const pool = new Pool(url, INSPECTION);
  try {
    return await pool.use((client) => inspect(client, nameOf(url), withTables));
  } catch (error) {
    throw explain(error, nameOf(url));
  } finally {
    await pool.close();
  }
}

async function distributeAlone(client: pg.ClientBase): Promise<void> {
  await send(client, { text: 'begin' });
  await distribute(client);
  await send(client, { text: 'commit' });
}

/** Returns the URL without its password and its query string. */
function nameOf(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  url.search = '';
  return url.href;
}

/** The error of a connection pooler that rejects our connection options. Its code, 08P01, is not specific. */
const REJECTS_SETTINGS = /unsupported startup parameter/;
const POOLER_HINT = 'Set DATABASE_PREPARED_STATEMENTS=off because the server is behind a pooler.';

function explain(error: unknown, name: string): unknown {
  if (error instanceof AppError) return error;
  // If a host has several addresses, the error has a code but no message.
  const { message: words, code } = Object(Object(error).cause ?? error);
  const reason = String(words || code);
  const message = `Cannot open the database ${name}: ${reason}.`;
  if (REJECTS_SETTINGS.test(reason)) return new AppError('unavailable', `${message} ${POOLER_HINT}`, { cause: error });
  return isAway(error) ? new DatabaseAwayError(message, error) : new AppError('unavailable', message, { cause: error });
}

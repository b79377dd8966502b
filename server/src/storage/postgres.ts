import type pg from 'pg';
import { AppError } from '../model/errors.ts';
import { type Database, DatabaseAwayError, type Run, type Statement } from './database.ts';
import { compiler, dialect, send, toQuery, toRows } from './postgres/connection.ts';
import { distribute } from './postgres/distribute.ts';
import { isAway, isConnectionLost, translateError } from './postgres/errors.ts';
import { migrate } from './postgres/migrate.ts';
import { Pool, type PoolSettings } from './postgres/pool.ts';
import { readRun } from './postgres/read-run.ts';
import { PostgresScans } from './postgres/scans.ts';
import { Tries } from './postgres/tries.ts';
import { WriteLanes } from './postgres/write-lanes.ts';
import { keptRowMapper } from './statements.ts';

/**
 * Opens a database of a PostgreSQL server (14 or newer), and brings its tables up to date.
 * @throws {AppError} `unavailable` with words for the operator: no server, no such database, tables from a newer version
 */
export async function openPostgres(url: string, settings: PoolSettings): Promise<Database> {
  const name = nameOf(url);
  const pool = new Pool(url, settings);
  try {
    await pool.use((client) => migrate(client, name));
  } catch (error) {
    await pool.close();
    throw explain(error, name);
  }
  const lanes = new WriteLanes(pool);
  const scans = new PostgresScans(pool);
  return {
    name,
    dialect,
    scans,
    execute: (statement, parameters) => execute(pool, statement, parameters),
    executeRun: (statement, parameters, bytesMax) => executeRun(pool, statement, parameters, bytesMax),
    counters: { query: (query) => count(pool, query) },
    write: (job, accountId) => lanes.submit(job, { accountId }),
    writeLong: (job, accountId) => lanes.submit(job, { accountId, isLong: true }),
    distribute: () => pool.use(distributeAlone),
    async close() {
      await lanes.close();
      scans.close();
      await pool.close();
    },
  };
}

type Work<T> = (client: pg.ClientBase) => Promise<T>;

/** Reads with a connection, and again with another if that one was dead. */
async function read<T>(pool: Pool, work: Work<T>): Promise<T> {
  const tries = new Tries();
  for (;;) {
    try {
      return await pool.use(work);
    } catch (error) {
      if (!isConnectionLost(error) || !(await tries.next())) throw translateError(error);
    }
  }
}

async function execute<P, R>(pool: Pool, statement: Statement<P, R>, parameters: P): Promise<R[]> {
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, pool.settings.preparesStatements);
  const ask = (client: pg.ClientBase) => send(client, query);
  const isLimited = pool.beginLimits === '';
  const answer = await read(pool, isLimited ? ask : (client) => readWithin(client, pool, ask));
  return toRows(compiled, answer) as R[];
}

async function executeRun<P, R>(
  pool: Pool,
  statement: Statement<P, R>,
  parameters: P,
  bytesMax: number,
): Promise<Run<R>> {
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, false);
  const run = await read(pool, (client) => readWithin(client, pool, () => readRun(client, query, bytesMax)));
  return { rows: toRows(compiled, run) as R[], isCut: run.isCut };
}

/** Reads in a transaction. */
async function readWithin<T>(client: pg.ClientBase, { beginLimits }: Pool, work: Work<T>): Promise<T> {
  const begun = send(client, { text: `begin read only${beginLimits}` });
  const [, result] = await Promise.all([begun, work(client)]);
  await send(client, { text: 'commit' });
  return result;
}

async function distributeAlone(client: pg.ClientBase): Promise<void> {
  await send(client, { text: 'begin' });
  await distribute(client);
  await send(client, { text: 'commit' });
}

/** Runs what the limiter asks for: a statement of a few, each alone. */
function count(pool: Pool, { text, values }: { text: string; values: unknown[] }): Promise<{ rows: object[] }> {
  return pool.use(async (client) => {
    const { columns, rows } = await send(client, { text, values });
    return { rows: rows.map(keptRowMapper(columns)) as object[] };
  });
}

/** The URL without its password. */
function nameOf(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  url.search = '';
  return url.href;
}

function explain(error: unknown, name: string): unknown {
  if (error instanceof AppError) return error;
  // Of a host with several addresses there is a code and no message.
  const { message: words, code } = Object(Object(error).cause ?? error);
  const reason = String(words || code);
  const message = `Cannot open the database ${name}: ${reason}.`;
  return isAway(error) ? new DatabaseAwayError(message, error) : new AppError('unavailable', message, { cause: error });
}

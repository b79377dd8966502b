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
    execute: (statement, parameters) =>
      read(pool, (client) => execute(client, settings.preparesStatements, statement, parameters)),
    executeRun: (statement, parameters, bytesMax) =>
      read(pool, (client) => executeRun(client, statement, parameters, bytesMax)),
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

/** Reads with a connection, and once more with another if that one was dead. */
async function read<T>(pool: Pool, work: Work<T>): Promise<T> {
  try {
    return await pool.use(work).catch((error: unknown) => {
      if (isConnectionLost(error)) return pool.use(work);
      throw error;
    });
  } catch (error) {
    throw translateError(error);
  }
}

async function execute<P, R>(
  client: pg.ClientBase,
  isNamed: boolean,
  statement: Statement<P, R>,
  parameters: P,
): Promise<R[]> {
  const compiled = compiler.compile(statement);
  return toRows(compiled, await send(client, toQuery(compiled, parameters, isNamed))) as R[];
}

async function executeRun<P, R>(
  client: pg.ClientBase,
  statement: Statement<P, R>,
  parameters: P,
  bytesMax: number,
): Promise<Run<R>> {
  const compiled = compiler.compile(statement);
  const query = toQuery(compiled, parameters, false);
  const [, run] = await Promise.all([send(client, { text: 'begin read only' }), readRun(client, query, bytesMax)]);
  await send(client, { text: 'commit' });
  return { rows: toRows(compiled, run) as R[], isCut: run.isCut };
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
  const { cause } = Object(error);
  const reason = cause instanceof Error ? cause.message : String(Object(error).message);
  const message = `Cannot open the database ${name}: ${reason}.`;
  return isAway(error) ? new DatabaseAwayError(message, error) : new AppError('unavailable', message, { cause: error });
}

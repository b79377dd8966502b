import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase, createPostgresDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { createPostgresServer } from '../../../../testkit/src/postgres.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';
import { settingsOf } from '../../service.ts';
import { FileLog, ServerLog, type StatementLog } from './statement-log.ts';
import type { Wire } from './wire.ts';

/** A database, and a log of its statements. */
export interface Ground {
  engine: string;
  databaseUrl: string;
  settings: Record<string, string>;
  log: StatementLog;
  /** Resolves once the log has all earlier statements. */
  settle(wire: Wire): Promise<void>;
  /** Tables with accounts' data. */
  readTables(): Promise<ReadonlySet<string>>;
}

/** Lets requests name their client address. */
const PROXIES = { TRUSTED_PROXIES: '127.0.0.1' };
/** A session belongs to a person, not to an account. */
const OF_PEOPLE = 'sessions';
/** Longer than any value that matters. */
const LOGGED_LENGTH = 100;

export async function prepareSqlite(trial: Trial): Promise<Ground> {
  const database = await createDatabase(trial.directory, 'sqlite');
  const file = join(trial.directory, 'statements.log');
  const given = { ...PROXIES, DATABASE_URL: database.url, SQL_LOG: file };
  const { NODE_OPTIONS = '', ...settings } = settingsOf(trial, given);
  const preload = `--import=${import.meta.resolve('./sql-log.ts')}`;
  const query = `select distinct tables.name as name from sqlite_master as tables
    join pragma_table_info(tables.name) as columns on columns.name = 'account_id' where tables.type = 'table'`;
  return {
    engine: 'SQLite',
    databaseUrl: database.url,
    settings: { ...settings, NODE_OPTIONS: `${NODE_OPTIONS} ${preload}`.trim() },
    log: new FileLog(file),
    // The log is written at the end of the turn, before another response.
    async settle(wire) {
      for (let count = 0; count < 2; count += 1) await wire.send({ method: 'GET', path: '/readyz', headers: {} });
    },
    // The word index has no such column, but holds accounts' data.
    readTables: async () => (await readTables(database, query)).add('listing_words'),
  };
}

export async function preparePostgres(trial: Trial): Promise<Ground> {
  const log = new ServerLog();
  const flags = [
    'fsync=off',
    'unix_socket_directories=',
    'log_statement=all',
    'log_line_prefix=@@',
    `log_parameter_max_length=${LOGGED_LENGTH}`,
  ];
  const server = await createPostgresServer(flags, (text) => log.add(text));
  trial.after(() => server.stop());
  const database = await createPostgresDatabase(server.url);
  const query = `select table_name as name from information_schema.columns
    where column_name = 'account_id' and table_schema = 'public'`;
  return {
    engine: 'PostgreSQL',
    databaseUrl: database.url,
    // The database counts requests, with a statement of its own.
    settings: settingsOf(trial, { ...PROXIES, DATABASE_URL: database.url, RATE_LIMIT: '100000000/1s' }),
    log,
    async settle() {
      const mark = `select '${randomUUID()}'`;
      // The second statement shows that the first has ended.
      for (const text of [mark, 'select 1']) await database.sql(text);
      await until('the log has what was run', async () => (await log.read()).some(({ sql }) => sql === mark));
    },
    readTables: () => readTables(database, query),
  };
}

async function readTables(database: TestDatabase, query: string): Promise<Set<string>> {
  const rows = await database.sql(query);
  const tables = new Set(rows.map(({ name }) => String(name)));
  assert.ok(tables.delete(OF_PEOPLE) && tables.has('listings'), 'the tables with accounts’ data are not known');
  return tables.add('accounts');
}

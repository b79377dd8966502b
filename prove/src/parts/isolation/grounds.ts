import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase, createPostgresDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';
import { postgresFor, settingsOf } from '../../service.ts';
import { type Run, readLogFile, ServerLog } from './statement-log.ts';
import { INDEX_TABLES } from './statements.ts';
import type { Wire } from './tenant.ts';

/** A database, and a log of the statements that it executes. */
export interface Ground {
  engine: string;
  databaseUrl: string;
  settings: Record<string, string>;
  /** Contains each distinct statement at least once, and each execution with an account id. */
  readLog(): Promise<Run[]>;
  /** Resolves once the log contains all earlier statements. */
  settle(wire: Wire): Promise<void>;
  readTables(): Promise<ReadonlySet<string>>;
}

/** Lets requests set their own client address. */
const PROXIES = { TRUSTED_PROXIES: '127.0.0.1' };
/** A table that has an account column, but belongs to users. */
const OF_PEOPLE = 'sessions';
/** Longer than any account id. */
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
    async readLog() {
      const rows = await database.sql('select number, account_id from account_numbers');
      return readLogFile(file, new Map(rows.map(({ number, account_id: id }) => [Number(number), String(id)])));
    },
    // The service writes the log at the end of an event loop turn, before the next response.
    async settle(wire) {
      for (let count = 0; count < 2; count += 1) await wire.send({ method: 'GET', path: '/readyz', headers: {} });
    },
    // The search index contains accounts' data, but does not have an account column.
    readTables: async () => (await readTables(database, query)).union(INDEX_TABLES),
  };
}

export async function preparePostgres(trial: Trial): Promise<Ground> {
  const log = new ServerLog();
  const logging = ['log_statement=all', 'log_line_prefix=@@', `log_parameter_max_length=${LOGGED_LENGTH}`];
  const flags = ['fsync=off', 'unix_socket_directories=', ...logging];
  const server = await postgresFor(trial, flags, (text) => log.add(text));
  const database = await createPostgresDatabase(server.url);
  const query = `select table_name as name from information_schema.columns
    where column_name = 'account_id' and table_schema = 'public'`;
  return {
    engine: 'PostgreSQL',
    databaseUrl: database.url,
    // Set a rate limit, so that the database counts requests, which is a separate statement.
    settings: settingsOf(trial, { ...PROXIES, DATABASE_URL: database.url, RATE_LIMIT: '100000000/1s' }),
    readLog: async () => log.read(),
    async settle() {
      const mark = `select '${randomUUID()}'`;
      // A statement is in the log once the next statement has started.
      for (const text of [mark, 'select 1']) await database.sql(text);
      await until('the log has all earlier statements', () => log.read().some(({ sql }) => sql === mark));
    },
    readTables: () => readTables(database, query),
  };
}

async function readTables(database: TestDatabase, query: string): Promise<Set<string>> {
  const rows = await database.sql(query);
  const tables = new Set(rows.map(({ name }) => String(name)));
  assert.ok(tables.delete(OF_PEOPLE) && tables.has('listings'), 'the tables with accounts’ data were not found');
  return tables.add('accounts');
}

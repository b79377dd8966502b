import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import { startPostgres } from './postgres.ts';

type Row = Record<string, unknown>;

/** A test's database, with access that bypasses the service. */
export interface TestDatabase {
  url: string;
  /** Runs a statement on a connection of its own. Each `?` in it stands for a value. */
  sql(text: string, ...values: SQLInputValue[]): Promise<Row[]>;
  script(text: string): Promise<void>;
  /** An SQL expression for the account's key in `listing_facets`, with a `?` for the account's id. */
  accountKey: string;
  drop(): Promise<void>;
}

export type Engine = 'sqlite' | 'postgres';

export const ENGINE: Engine = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

/** Skips a test on other engines, for the reason `why`. */
export function only(engine: Engine, why: string): { skip: string | false } {
  return { skip: engine === ENGINE ? false : `only for ${engine}: ${why}` };
}

export async function createDatabase(directory: string, engine = ENGINE): Promise<TestDatabase> {
  return engine === 'sqlite' ? sqliteIn(directory) : createPostgresDatabase();
}

function sqliteIn(directory: string): TestDatabase {
  const path = join(directory, 'listings.db');
  const within = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path, { timeout: 5_000 });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    url: `file:${path}`,
    sql: async (text, ...values) => within((database) => database.prepare(text).all(...values)),
    script: async (text) => within((database) => database.exec(text)),
    accountKey: '(select number from account_numbers where account_id = ?)',
    drop: async () => {},
  };
}

/** Creates a database on the tests' server, or on the given one. */
export async function createPostgresDatabase(given?: string): Promise<TestDatabase> {
  const server = given ?? (await startPostgres());
  const name = `test_${randomBytes(8).toString('hex')}`;
  const { href: url, drop } = await createOn(server, name);
  // A server that a test starts itself is not a cluster.
  const workers = given === undefined ? WORKERS : [];
  const others = await Promise.all(workers.map((worker) => createOn(worker, name)));
  if (workers.length > 0) await gatherCluster(url, others);
  return {
    url,
    sql: (text, ...values) => once(url, numbered(text), values),
    script: async (text) => void (await once(url, text)),
    accountKey: '?',
    async drop() {
      await drop();
      for (const other of others) await other.drop();
    },
  };
}

/** Comma-separated URLs of the workers of the Citus coordinator `TEST_POSTGRES_URL`. */
const WORKERS = (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter(Boolean);

async function createOn(server: string, name: string) {
  await once(server, `create database ${name}`);
  const { href } = Object.assign(new URL(server), { pathname: `/${name}` });
  return { href, drop: () => once(server, `drop database ${name} with (force)`) };
}

/** Joins new databases with the same name into a cluster. */
async function gatherCluster(coordinator: string, others: { href: string }[]): Promise<void> {
  for (const { href } of [{ href: coordinator }, ...others]) await once(href, 'create extension citus');
  const { hostname, port } = new URL(coordinator);
  await once(coordinator, 'select citus_set_coordinator_host($1, $2)', [hostname, port]);
  for (const { href } of others) {
    const worker = new URL(href);
    await once(coordinator, 'select citus_add_node($1, $2)', [worker.hostname, worker.port]);
  }
}

async function once(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client(url);
  // Parse 64-bit integers as numbers, like SQLite's integers. All of them are below 2^53 here.
  client.setTypeParser(pg.types.builtins.INT8, Number);
  await client.connect();
  try {
    const { rows } = await client.query(values.length === 0 ? { text } : { text, values });
    return rows;
  } finally {
    await client.end();
  }
}

function numbered(text: string): string {
  let number = 0;
  return text.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
}

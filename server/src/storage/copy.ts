import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Listing } from '../model/listings.ts';
import { toSearchRow } from '../model/search-terms.ts';
import type { Database, Executor, QueryBuilder, Statement } from './database.ts';
import { setFeedMarks } from './feed-listings.ts';
import { insertListing } from './listings.ts';
import { RUN_BYTES_MAX, type Run } from './runs.ts';
import type { Tables } from './schema.ts';

export type Row = Record<string, string | number | null>;

export interface CopiedTable {
  name: keyof Tables;
  key: readonly [string, ...string[]];
  /** Default: all columns. */
  columns?: readonly string[];
  /** Default: all rows. */
  where?: RawBuilder<unknown>;
}

/**
 * The tables to copy, each after the tables that it references. The data for searches is not copied but
 * recomputed from the listings, since each engine stores it differently. Setup links are valid only for their
 * own database, so they are not copied; neither are the request log and the state of running processes.
 */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'accounts', key: ['id'] },
  { name: 'account_heads', key: ['account_id'] },
  { name: 'api_keys', key: ['hash'] },
  { name: 'users', key: ['id'] },
  { name: 'credentials', key: ['id'] },
  { name: 'two_factors', key: ['id'] },
  { name: 'passkeys', key: ['id'] },
  { name: 'sessions', key: ['id'] },
  { name: 'verifications', key: ['id'] },
  { name: 'memberships', key: ['account_id', 'user_id'] },
  { name: 'invitations', key: ['account_id', 'id'] },
  { name: 'saved_views', key: ['account_id', 'user_id', 'name'] },
  {
    name: 'listings',
    key: ['account_id', 'id'],
    columns: ['account_id', 'id', 'version', 'sequence', 'doc', 'actor', 'changes', 'feed_mark'],
  },
  { name: 'listing_history', key: ['account_id', 'listing_id', 'sequence'] },
  { name: 'events', key: ['account_id', 'sequence'] },
  { name: 'idempotency_keys', key: ['account_id', 'key'] },
  { name: 'key_hours', key: ['account_id', 'hour', 'key_id'] },
  { name: 'webhooks', key: ['account_id', 'id'] },
  { name: 'webhook_deliveries', key: ['account_id', 'webhook_id', 'sequence', 'epoch'] },
  { name: 'audit_log', key: ['account_id', 'id'] },
  { name: 'feeds', key: ['account_id', 'name'] },
  { name: 'feed_runs', key: ['account_id', 'id'] },
  { name: 'feed_errors', key: ['account_id', 'run_id', 'number'] },
];

/** Rows per read and write; fewer if they are large. */
const BATCH_LENGTH = 200;

export interface TableDigest {
  rows: number;
  /** The SHA-256 of the rows in key order, in hex. It is the same on both engines. */
  digest: string;
}

/** Declares a statement that is used once. */
function once<R>(build: (query: QueryBuilder) => RawBuilder<R>): Statement<object, R> {
  return { build: (query) => ({ compile: () => build(query).compile(query) }) };
}

function readAfter(
  database: Database,
  { name, key, columns: copied, where = sql`true` }: CopiedTable,
  after: Row | undefined,
): Promise<Run<Row>> {
  const all = copied === undefined ? sql`*` : sql.join(copied.map((column) => sql.ref(column)));
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const values = after && sql.join(key.map((column) => after[column]));
  const condition = values === undefined ? sql`true` : sql`(${columns}) > (${values})`;
  const select = once<Row>(
    () =>
      sql`select ${all} from ${sql.table(name)} where ${where} and ${condition} order by ${columns} limit ${sql.lit(BATCH_LENGTH)}`,
  );
  return database.executeRun(select, {}, RUN_BYTES_MAX);
}

export async function* readTable(database: Database, table: CopiedTable, after?: Row): AsyncGenerator<Row[]> {
  let last = after;
  for (;;) {
    const { rows, isCut } = await readAfter(database, table, last);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_LENGTH && !isCut) return;
    last = rows.at(-1);
  }
}

/** The key of a table's last row. Since rows are copied in key order, all rows up to this one have been copied. */
async function findLast(database: Database, { name, key }: CopiedTable): Promise<Row | undefined> {
  const descending = sql.join(key.map((column) => sql`${sql.ref(column)} desc`));
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const select = once<Row>(() => sql`select ${columns} from ${sql.table(name)} order by ${descending} limit 1`);
  const [row] = await database.execute(select, {});
  return row;
}

/** Copies the rows after the last one in `to`. Calls `tell` with the number of rows of each batch. */
export async function copyTable(
  from: Database,
  to: Database,
  table: CopiedTable,
  tell: (rows: number) => void,
): Promise<void> {
  const last = await findLast(to, table);
  for await (const rows of readTable(from, table, last)) {
    await to.write((executor) => insertRows(executor, table, rows));
    tell(rows.length);
  }
}

async function insertRows(executor: Executor, { name }: CopiedTable, rows: Row[]): Promise<void> {
  if (name === 'listings') {
    for (const row of rows) await insertCopiedListing(executor, row);
    return;
  }
  const [first = {}] = rows;
  const columns = Object.keys(first);
  const lines = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const insert = once<never>(() => sql`insert into ${sql.table(name)} (${names}) values ${sql.join(lines)}`);
  await executor.execute(insert, {});
}

async function insertCopiedListing(executor: Executor, row: Row): Promise<void> {
  const doc = String(row.doc);
  const listing: Listing = JSON.parse(doc);
  const [actor, changes] = [row.actor, row.changes].map((text) => (text == null ? null : String(text)));
  const version = { id: listing.id, version: Number(row.version), sequence: Number(row.sequence), doc };
  const stored = { ...version, actor: actor ?? null, changes: changes ?? null };
  const accountId = String(row.account_id);
  await insertListing(executor, accountId, stored, toSearchRow(listing));
  if (row.feed_mark != null) await setFeedMarks(executor, accountId, [[listing.id, String(row.feed_mark)]]);
}

export async function digestTable(database: Database, table: CopiedTable): Promise<TableDigest> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of readTable(database, table)) {
    for (const row of rows) {
      const columns = Object.keys(row).sort();
      hash.update(`${JSON.stringify(columns.map((column) => row[column]))}\n`);
    }
    count += rows.length;
  }
  return { rows: count, digest: hash.digest('hex') };
}

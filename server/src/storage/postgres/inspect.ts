import type pg from 'pg';
import { type Inspection, SELECT_CONTENT, type TableSize, toContent } from '../inspection.ts';
import { SCHEMA_VERSION } from '../migrations.ts';
import { send } from './connection.ts';
import { readVersion } from './migrate.ts';

/** On Citus, distributed tables are also listed, because the coordinator has a table of the same name for each. */
const SELECT_TABLES = `
  select relname, reltuples::bigint, pg_total_relation_size(oid) from pg_class
  where relkind = 'r' and pg_table_is_visible(oid) and relnamespace = current_schema()::regnamespace
  order by 3 desc`;

export async function inspect(client: pg.ClientBase, name: string, withTables: boolean): Promise<Inspection> {
  const [server = {}] = await select(
    client,
    'select version() as version, extract(epoch from clock_timestamp()) as now',
  );
  const schemaVersion = await readVersion(client);
  const [content = {}] = schemaVersion === SCHEMA_VERSION ? await select(client, SELECT_CONTENT) : [];
  return {
    name,
    engineVersion: String(server.version),
    schemaVersion,
    serverTimeMs: Number(server.now) * 1_000,
    ...(schemaVersion === SCHEMA_VERSION && { content: toContent(content) }),
    tables: withTables ? await measureTables(client) : [],
  };
}

async function select(client: pg.ClientBase, text: string): Promise<Record<string, unknown>[]> {
  const { columns, rows } = await send(client, { text });
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
}

async function measureTables(client: pg.ClientBase): Promise<TableSize[]> {
  const { rows } = await send(client, { text: SELECT_TABLES });
  return rows.map(([name, count, bytes]) => ({ name: String(name), rows: Number(count), bytes: Number(bytes) }));
}

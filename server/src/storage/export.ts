import { type RawBuilder, sql } from 'kysely';
import { formatTime } from '../lib/times.ts';
import { COPIED_TABLES, type CopiedTable, type Row, readTable } from './copy.ts';
import type { Database } from './database.ts';

/** A row as exported: JSON is parsed, times are in RFC 3339 format, and nulls and `OMITTED` columns are left out. */
export interface ExportedRow {
  table: string;
  data: Record<string, unknown>;
}

/** Columns with secrets, which would let a reader sign in or sign webhooks, and with internal hashes. */
const OMITTED = new Set([
  'hash',
  'mailed_hash',
  'token',
  'password',
  'secret',
  'old_secret',
  'backup_codes',
  'fingerprint',
  'feed_mark',
]);
const JSON_COLUMNS = new Set([
  'listings.doc',
  'listings.actor',
  'listings.changes',
  'listing_history.doc',
  'listing_history.actor',
  'listing_history.changes',
  'events.changed',
  'idempotency_keys.outcome',
  'webhooks.types',
  'feeds.settings',
  'feeds.last_columns',
  'feed_runs.counts',
  'feed_runs.errors',
  'feed_runs.error',
  'feed_errors.error',
  'feed_errors.row_values',
]);
const TIME = /^(?:at|hour)$|_(?:at|until|since)$/;

/** The rows of an account, and its members' rows in `users`. */
export async function* exportAccountRows(database: Database, accountId: string): AsyncGenerator<ExportedRow> {
  const ofAccount = sql`account_id = ${accountId}`;
  const members = sql`id in (select user_id from memberships where ${ofAccount})`;
  const others: Partial<Record<CopiedTable['name'], RawBuilder<unknown>>> = {
    accounts: sql`id = ${accountId}`,
    api_keys: ofAccount,
    users: members,
  };
  for (const table of COPIED_TABLES) {
    const where = table.key.includes('account_id') ? ofAccount : others[table.name];
    if (where !== undefined) yield* exportRows(database, { ...table, where });
  }
}

/** The rows about a person, in all accounts. */
export async function* exportPersonRows(
  database: Database,
  { id, email }: { id: string; email: string },
): AsyncGenerator<ExportedRow> {
  const ofUser = sql`user_id = ${id}`;
  const conditions: [CopiedTable['name'], RawBuilder<unknown>][] = [
    ['users', sql`id = ${id}`],
    ['credentials', ofUser],
    ['two_factors', ofUser],
    ['passkeys', ofUser],
    ['sessions', ofUser],
    ['memberships', ofUser],
    ['saved_views', ofUser],
    ['invitations', sql`(email = ${email} or inviter_id = ${id})`],
    ['audit_log', sql`(actor_id = ${id} or actor_email = ${email} or target_id = ${id})`],
  ];
  const accountIds = new Set<unknown>();
  let userName: unknown;
  for (const [name, where] of conditions) {
    for await (const row of exportRows(database, { ...findTable(name), where })) {
      if (name === 'users') userName = row.data.name;
      if (row.data.accountId !== undefined) accountIds.add(row.data.accountId);
      yield row;
    }
  }
  // Keys contain their creator's name, not the creator's id.
  for (const accountId of userName === undefined ? [] : accountIds) {
    const where = sql`account_id = ${accountId} and created_by = ${userName}`;
    yield* exportRows(database, { ...findTable('api_keys'), where });
  }
  const columns = ['account_id', 'version', 'sequence', 'actor', 'changes'];
  const changes: CopiedTable[] = [
    { name: 'listings', key: ['account_id', 'id'], columns: ['id', ...columns] },
    {
      name: 'listing_history',
      key: ['account_id', 'listing_id', 'sequence'],
      columns: ['listing_id', 'type', 'at', ...columns],
    },
  ];
  for (const table of changes) {
    for await (const row of exportRows(database, table)) if (Object(row.data.actor).id === id) yield row;
  }
}

function findTable(name: CopiedTable['name']): CopiedTable {
  const table = COPIED_TABLES.find((copied) => copied.name === name);
  if (table === undefined) throw new Error(`the table ${name} is not copied`);
  return table;
}

async function* exportRows(database: Database, table: CopiedTable): AsyncGenerator<ExportedRow> {
  for await (const rows of readTable(database, table)) {
    for (const row of rows) yield { table: table.name, data: exportRow(table.name, row) };
  }
}

function exportRow(table: string, row: Row): Record<string, unknown> {
  const shown = Object.entries(row).filter(([column, value]) => value !== null && !OMITTED.has(column));
  return Object.fromEntries(shown.map(([column, value]) => [toMember(column), exportValue(table, column, value)]));
}

function exportValue(table: string, column: string, value: Row[string] | undefined): unknown {
  if (JSON_COLUMNS.has(`${table}.${column}`)) return JSON.parse(String(value));
  return typeof value === 'number' && TIME.test(column) ? formatTime(value) : value;
}

function toMember(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

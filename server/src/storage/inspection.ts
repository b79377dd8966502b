import { timeOfId } from '../lib/ids.ts';

export interface Inspection {
  name: string;
  /** The version of SQLite or of the server. */
  engineVersion: string;
  /** The version of the tables; 0 if there are none. */
  schemaVersion: number;
  /** Undefined unless the tables are up to date. */
  content?: {
    epoch: string;
    /** The newest time in the tables, in UTC milliseconds; 0 if there is none. */
    newestMs: number;
  };
  /** The server's clock, in UTC milliseconds. */
  serverTimeMs?: number;
  tables: TableSize[];
}

export interface TableSize {
  name: string;
  /** On PostgreSQL, an estimate. */
  rows: number;
  /** Including indexes. */
  bytes: number;
}

/** Reads the epoch, and times that change often: those of new accounts, new listings, and uses of keys. */
export const SELECT_CONTENT = `
  select (select epoch from database_info) as epoch, (select max(created_at) from accounts) as created,
    (select max(newest_id) from account_heads) as newest, (select max(last_used_at) from api_keys) as used`;

/** @param row the row that `SELECT_CONTENT` selects */
export function toContent(row: Record<string, unknown>): NonNullable<Inspection['content']> {
  const newest = String(row.newest ?? '');
  const times = [Number(row.created ?? 0), Number(row.used ?? 0), newest === '' ? 0 : timeOfId(newest)];
  return { epoch: String(row.epoch), newestMs: Math.max(...times) };
}

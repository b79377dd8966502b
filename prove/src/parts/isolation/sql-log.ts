// The service on SQLite preloads this module, which records the service's statements and the accounts among
// their values: by their ids, or by their numbers in the tables and in the search index.
import { appendFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';

const { SQL_LOG: file } = process.env;
const ACCOUNT_ID = /^acc_/;
const SEARCH_TABLES = /listing_facets|listing_counts|unindexed_listings/;
const SEARCH_INDEX = 'listing_index';
/** Numbers the distinct statements. A process writes the SQL of each statement to the log only once. */
const known = new Map<string, number>();
const writer = `${process.pid}.${Math.random()}`;
let waiting: string[] = [];

for (const name of ['all', 'get', 'run', 'iterate'] as const) {
  const original = Reflect.get(StatementSync.prototype, name);
  Reflect.set(StatementSync.prototype, name, function (this: StatementSync, ...values: unknown[]) {
    note(this.sourceSQL, values);
    return Reflect.apply(original, this, values);
  });
}

function note(sql: string, values: unknown[]): void {
  const isNew = !known.has(sql);
  const number = known.get(sql) ?? known.size;
  known.set(sql, number);
  const accounts = values.flatMap((value, index) => accountsIn(sql, value).map((account) => [index + 1, account]));
  if (!isNew && accounts.length === 0) return;
  if (waiting.length === 0) setImmediate(write);
  waiting.push(JSON.stringify({ writer, number, ...(isNew && { sql }), accounts }));
}

/** Account ids and possible account numbers. The position in the statement shows what a number means. */
function accountsIn(sql: string, value: unknown): unknown[] {
  if (ACCOUNT_ID.test(String(value))) return [value];
  if (typeof value === 'number' && SEARCH_TABLES.test(sql)) return [value];
  if (typeof value !== 'string' || !sql.includes(SEARCH_INDEX)) return [];
  // A search expression quotes its terms. A value without quotes is a single term.
  const terms = value.includes('"') ? Array.from(value.matchAll(/"([^"]*)"/g), ([, term = '']) => term) : [value];
  // A term begins with its account's number. If it does not, 0 stands for no account.
  return terms.map((term) => Number(/^(\d+)§/.exec(term)?.[1] ?? 0));
}

function write(): void {
  if (file !== undefined) appendFileSync(file, `${waiting.join('\n')}\n`);
  waiting = [];
}

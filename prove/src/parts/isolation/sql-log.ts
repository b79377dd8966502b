// The service on SQLite preloads this module, which records its statements and the account ids among
// their values.
import { appendFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';

const { SQL_LOG: file } = process.env;
const ACCOUNT_ID = /^acc_/;
/** The number of each SQL text. A process writes each text only once. */
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
  const accounts = values.flatMap((value, index) => (ACCOUNT_ID.test(String(value)) ? [[index + 1, value]] : []));
  if (!isNew && accounts.length === 0) return;
  if (waiting.length === 0) setImmediate(write);
  waiting.push(JSON.stringify({ writer, number, ...(isNew && { sql }), accounts }));
}

function write(): void {
  if (file !== undefined) appendFileSync(file, `${waiting.join('\n')}\n`);
  waiting = [];
}

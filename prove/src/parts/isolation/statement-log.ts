import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { EXCEPTIONS, FOR_ALL } from './exceptions.ts';
import { readStatement } from './statements.ts';

export interface Run {
  sql: string;
  /** Parameters that are account ids, numbered from 1. */
  accounts: readonly (readonly [place: number, accountId: string])[];
}

/** Statements so far: each text at least once, and every use with an account id. */
export interface StatementLog {
  read(): Promise<Run[]>;
}

export class FileLog implements StatementLog {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<Run[]> {
    const texts = new Map<string, string>();
    const lines = (await readFile(this.#file, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => {
      const { writer, number, sql, accounts } = JSON.parse(line);
      if (sql !== undefined) texts.set(`${writer} ${number}`, sql);
      return { sql: texts.get(`${writer} ${number}`) ?? '', accounts };
    });
  }
}

/** Parses a server log with `log_statement=all` and `log_line_prefix=@@`. */
export class ServerLog implements StatementLog {
  readonly #runs: Run[] = [];
  readonly #known = new Set<string>();
  #rest = '';
  /** The statement whose values come next. */
  #last = '';

  add(text: string): void {
    const entries = (this.#rest + text).split(/^@@/m);
    this.#rest = `@@${entries.pop() ?? ''}`;
    for (const entry of entries) this.#addEntry(entry);
  }

  async read(): Promise<Run[]> {
    return [...this.#runs];
  }

  #addEntry(entry: string): void {
    const [, sql] = /^LOG: {2}(?:statement|execute [^:]+): (.*)/s.exec(entry) ?? [];
    const [, values] = /^DETAIL: {2}Parameters: (.*)/s.exec(entry) ?? [];
    if (sql !== undefined) {
      this.#last = sql.trim();
      if (!this.#known.has(this.#last)) this.#runs.push({ sql: this.#last, accounts: [] });
      this.#known.add(this.#last);
    }
    const accounts = [...(values ?? '').matchAll(/\$(\d+) = '(acc_\w+)'/g)];
    if (accounts.length === 0) return;
    const given = accounts.map(([, place, accountId]) => [Number(place), String(accountId)] as const);
    this.#runs.push({ sql: this.#last, accounts: given });
  }
}

/** Fewer mean that the log is incomplete. */
const LOGGED_MIN = { statements: 60, ofAccounts: 40, runs: 1_000 };

function assertLogged(what: string, count: number, least: number): void {
  assert.ok(count >= least, `the log has ${count} ${what}: what the service runs is not known`);
}

/** @returns counts, and the reasons for statements without an account */
export function assertHeld(runs: readonly Run[], tables: ReadonlySet<string>) {
  const texts = new Set(runs.map(({ sql }) => sql));
  const excepted = new Set<string>();
  const loose: string[] = [];
  let ofAccounts = 0;
  for (const sql of texts) {
    const reading = readStatement(sql, tables);
    if (reading.tables.length > 0) ofAccounts += 1;
    for (const table of reading.loose) {
      const exception = EXCEPTIONS.find((each) => each.tables.includes(table) && each.statement.test(plain(sql)));
      if (exception === undefined) loose.push(`${table}: ${sql}`);
      else excepted.add(exception.why);
    }
  }
  assert.deepEqual(loose, [], `${loose.length} statements touch an account's table and name no account: ${loose[0]}`);
  assertLogged('texts of statements', texts.size, LOGGED_MIN.statements);
  assertLogged("texts of statements on accounts' tables", ofAccounts, LOGGED_MIN.ofAccounts);
  return { statements: texts.size, ofAccounts, excepted };
}

/** While only these accounts act, no statement concerns another. */
export function assertAbout(
  runs: readonly Run[],
  tables: ReadonlySet<string>,
  accountIds: ReadonlySet<string>,
): number {
  const slots = new Map<string, ReadonlySet<number>>();
  let count = 0;
  for (const { sql, accounts } of runs) {
    const places = slots.get(sql) ?? slotsOf(sql, tables);
    slots.set(sql, places);
    const own = accounts.filter(([place]) => places.has(place));
    count += own.length;
    const foreign = own.filter(([, accountId]) => !accountIds.has(accountId));
    assert.deepEqual(foreign, [], `a statement is about another account than those that work: ${sql}`);
  }
  assertLogged('statements for an account', count, LOGGED_MIN.runs);
  return count;
}

function slotsOf(sql: string, tables: ReadonlySet<string>): ReadonlySet<number> {
  const isForAll = FOR_ALL.some((statement) => statement.test(plain(sql)));
  return new Set(isForAll ? [] : readStatement(sql, tables).slots);
}

function plain(sql: string): string {
  return sql.replaceAll('"', '').replaceAll(/\s+/g, ' ').replaceAll(/\$\d+/g, '?').trim();
}

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { readStatement } from './statements.ts';

/** `statement` matches a statement without its quotes. */
type Exception = readonly [tables: string, statement: RegExp];

/** Statements that may use these tables without naming an account, by the reason. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'a key is found by its hash, and its row names its account': [
    'api_keys account_heads',
    /^select holder\..* from \( select .* where hash = \? *\) as holder$/,
  ],
  'a request is counted by the hash of its key': [
    'api_keys',
    /^insert into rate_limits .* from api_keys where hash = \? /,
  ],
  'an invitation is found by the hash of its token, and its row names its account': [
    'invitations accounts',
    /^select .* where \(hash = \? or mailed_hash = \?\) and expires_at > \?$/,
  ],
  'the accounts of a signed-in user': [
    'memberships accounts',
    /^select accounts\.id .* where user_id = \? order by accounts\.id$/,
  ],
  'whether an administrator exists, or a key has been used': [
    'memberships api_keys',
    /^select 1 as one from (?:memberships where role = \?|api_keys where last_used_at > \?) limit \+?1$/,
  ],
  'users without an account are removed': [
    'memberships',
    /^delete from users where id = \? and not exists \(select user_id from memberships where user_id = users\.id\)$/,
  ],
  'the purge of old events and the setup go through all accounts': [
    'accounts',
    /^select id from accounts where id > \? order by id limit \+?\s?\?$/,
  ],
  'the purge of expired rows goes through all accounts': [
    'invitations idempotency_keys key_hours',
    /^delete from \w+ where (?:expires_at <= \?$|(?:(?:expires_at <=|hour <) \? and )?\(account_id, .* in \(select account_id, .* (?:<=|<) \? limit )/,
  ],
  'the purge of the oldest logged requests goes through all accounts': [
    'request_blocks',
    /^delete from request_blocks where \(account_id, id\) in \(select |^select cast\(sum\(bytes\) as bigint\) as bytes from request_blocks$|^select account_id as accountId from request_blocks where account_id > \? order by account_id limit 1$/,
  ],
  'a migration changes tables for all accounts': [
    'accounts account_heads api_keys events listings listing_facets listing_history',
    /^create table users |alter table (?:account_heads|listings) add column /,
  ],
  'a migration counts the stored errors of all accounts': [
    'feed_runs',
    /^update feed_runs set stored_bytes = stored_bytes \+ octet_length\(errors\) where stored_rows > 0;?$/,
  ],
  'a migration creates the search rows of all accounts': [
    'listings',
    /^select account_id as accountId, id, version, sequence, doc from listings as source where \(account_id, id\) > |^select count\(\*\) as count from listings as source$/,
  ],
  'the dispatcher finds the endpoints with new events in all accounts': [
    'webhooks account_heads',
    /^select (?:webhooks\.)?account_id as accountId, .* from webhooks /,
  ],
  'runs whose process has ended are found in all accounts': [
    'feeds',
    /^select account_id as accountId, name, run_id as runId from feeds where /,
  ],
  'changed listings of all accounts are indexed together on SQLite': [
    'unindexed_listings listing_index listings listing_facets',
    /^select count\(\*\) as count from \(select 1 from unindexed_listings limit \d+\)$|^(?:delete from (?:listing_index|unindexed_listings)|insert into listing_index \(rowid, terms\)\s+select [\s\S]*) where (?:rowid|number) in \(select number from unindexed_listings order by number limit \?\)(?: returning number)?$|^insert into listing_index \(listing_index, rank\) values \('merge', \d+\)$/,
  ],
  'a quick search on SQLite counts down from the highest listing number of all accounts': [
    'listing_facets',
    /^select max\(number\) from listing_facets$/,
  ],
};

/** Statements that are for several accounts at once and contain the accounts' ids. */
const FOR_ALL: readonly RegExp[] = [
  // The service writes key use every five seconds.
  /^update api_keys set last_used_at/,
  /^insert into key_hours /,
  // The service writes the request log every second.
  /^insert into request_blocks /,
  // One statement serves the long polls of all accounts.
  /^select account_id as accountId, sequence from account_heads where account_id in /,
  // The purge goes through all accounts.
  /^select events\.sequence, events\.type, events\.listing_id as listingId, events\.created_at as createdAt, former\./,
];

export interface Run {
  sql: string;
  /** Parameters that are account ids, numbered from 1. */
  accounts: readonly (readonly [place: number, accountId: string])[];
}

/** Parses a file that `sql-log.ts` wrote. `ids` are the account ids by their numbers. */
export async function readLogFile(file: string, ids: ReadonlyMap<number, string>): Promise<Run[]> {
  const texts = new Map<string, string>();
  const toRun = ([place, account]: [number, number | string]) =>
    [place, typeof account === 'string' ? account : (ids.get(account) ?? `no account, but ${account}`)] as const;
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const { writer, number, sql, accounts } = JSON.parse(line);
    if (sql !== undefined) texts.set(`${writer} ${number}`, sql);
    return { sql: texts.get(`${writer} ${number}`) ?? '', accounts: accounts.map(toRun) };
  });
}

/** Parses a server log with `log_statement=all` and `log_line_prefix=@@`. */
export class ServerLog {
  readonly #runs: Run[] = [];
  readonly #known = new Set<string>();
  #rest = '';
  /** The last statement. The next entry in the log contains its values. */
  #last = '';

  add(text: string): void {
    const entries = (this.#rest + text).split(/^@@/m);
    this.#rest = `@@${entries.pop() ?? ''}`;
    for (const entry of entries) this.#addEntry(entry);
  }

  read(): Run[] {
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

/** Below these counts, the log is incomplete. */
const LOGGED_MIN = { statements: 60, ofAccounts: 40, runs: 1_000 };

function assertLogged(what: string, count: number, least: number): void {
  assert.ok(count >= least, `the log has only ${count} ${what}, so it is incomplete`);
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
      const isThis = ([names, statement]: Exception) => names.split(' ').includes(table) && statement.test(plain(sql));
      const [why] = Object.entries(EXCEPTIONS).find(([, exception]) => isThis(exception)) ?? [];
      if (why === undefined) loose.push(`${table}: ${sql}`);
      else excepted.add(why);
    }
  }
  assert.deepEqual(loose, [], `${loose.length} statements use accounts' tables without naming an account: ${loose[0]}`);
  assertLogged('distinct statements', texts.size, LOGGED_MIN.statements);
  assertLogged("distinct statements on accounts' tables", ofAccounts, LOGGED_MIN.ofAccounts);
  return { statements: texts.size, ofAccounts, excepted };
}

/** Asserts that no statement names an account other than these, which are the only ones that are active. */
export function assertAbout(
  runs: readonly Run[],
  tables: ReadonlySet<string>,
  accountIds: ReadonlySet<string>,
): number {
  const slots = new Map<string, ReadonlySet<number>>();
  let count = 0;
  for (const { sql, accounts } of runs) {
    const places = slots.getOrInsertComputed(sql, () => slotsOf(sql, tables));
    const own = accounts.filter(([place]) => places.has(place));
    count += own.length;
    const foreign = own.filter(([, accountId]) => !accountIds.has(accountId));
    assert.deepEqual(foreign, [], `a statement names an account that is not active: ${sql}`);
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAbout, assertHeld, type Run } from '../src/parts/isolation/statement-log.ts';
import { INDEX_TABLES, readStatement } from '../src/parts/isolation/statements.ts';

const TABLES = new Set(['accounts', 'account_numbers', 'listings', 'events', 'facets', ...INDEX_TABLES]);

const HELD: [sql: string, slots: number[]][] = [
  ['select "doc" from "listings" where "id" = ? and "account_id" = ?', [2]],
  ['select * from "listings" as "l" where "l"."account_id" = $1 and ("a" = $2 or "b" = $3)', [1]],
  [
    'select * from events left join listings on listings.account_id = events.account_id where events.account_id = ?',
    [1],
  ],
  [
    'select * from "accounts" inner join "facets" on "facets"."account_id" = "accounts"."id" where "facets"."account_id" = ?',
    [1],
  ],
  ['select * from "facets" where "account_id" in ($1, $2)', [1, 2]],
  ['insert into "listings" ("id", "account_id") values (?, ?) on conflict do update set "id" = ?', [2]],
  [
    'delete from "events" where "account_id" = ? and "sequence" in (select "sequence" from "events" where "account_id" = ?)',
    [1, 2],
  ],
  ['select * from listings as l, events as e where l.account_id = ? and e.account_id = l.account_id', [1]],
  ['delete from events using listings where events.account_id = $1 and listings.account_id = $1', [1, 1]],
  ['select * from listings where not exists (select id from events where account_id = ?) and account_id = ?', [2, 1]],
  ['select id from listings where account_id = $1 union select id from events where account_id = $2', [1, 2]],
  ['declare run cursor for select * from "events" where "account_id" = $1', [1]],
  ['select id from facets indexed by facets_id where account_id = ? and id < ?', [1]],
  [
    'select id from facets where id = ? and account_id = (select number from account_numbers where account_id = ?)',
    [2],
  ],
  ['select rowid from listing_index where listing_index match ? and rowid > ?', [1]],
  ['select distinct doc from listing_index_terms where term >= ? and term < ? limit ?', [1, 2]],
  ['select distinct doc from listing_index_terms where term >= ? and term <= ? limit ?', [1, 2]],
];

const LOOSE: [sql: string, tables: string[]][] = [
  [
    'select id from facets where account_id = (select number from account_numbers where number > ?)',
    ['facets', 'account_numbers'],
  ],
  ['select id from facets where account_id = (select number from numbers where account_id = ?)', ['facets']],
  ['select id from facets where account_id >= ?', ['facets']],
  ['select rowid from listing_index where rowid > ?', ['listing_index']],
  ['select rowid from listing_index where listing_index match ? or rowid > ?', ['listing_index']],
  ['select term from listing_index_terms where term >= ? limit 1', ['listing_index_terms']],
  ['select term from listing_index_terms where term > ? and doc = ? and term < ?', ['listing_index_terms']],
  ['select "doc" from "listings" where "id" = ?', ['listings']],
  ['select "doc" from "listings" where "account_id" = ? or "id" = ?', ['listings']],
  ['select "doc" from "listings" where ("account_id" = ? or "id" = ?)', ['listings']],
  ['select * from events join listings on listings.id = events.listing_id where events.account_id = ?', ['listings']],
  ['select * from "users" where "id" in (select "id" from "events" where "type" = ?)', ['events']],
  ['update "listings" set "account_id" = ? where "id" = ?', ['listings']],
  ['insert into "listings" ("id") values (?)', ['listings']],
  ['delete from "events"', ['events']],
  ['select * from listings, events where listings.account_id = ?', ['events']],
  ['select * from users as u, events e where u.id = e.id', ['events']],
  ['select * from users join listings on true, events where listings.account_id = ?', ['events']],
  ['select * from (users join events on true)', ['events']],
  ['select * from main.events', ['events']],
  ['delete from listings using events where listings.account_id = $1', ['events']],
  ['update listings set doc = $1 from users, events where listings.account_id = $2', ['events']],
  ['with gone as (delete from events where id = $1 returning id) select * from gone', ['events']],
  ['select * from listings where account_id = ? union select * from listings', ['listings']],
  ['select * from listings where not account_id = ?', ['listings']],
  ['select * from listings where not listings.account_id in (?)', ['listings']],
  ['select * from listings where account_id = ? is not true', ['listings']],
  ['select * from listings left join users on listings.account_id = ?', ['listings']],
  [
    'select * from listings left join events on events.account_id = listings.account_id and events.account_id = ?',
    ['listings'],
  ],
];

test('a statement that is bound to an account is recognized, with the parameters for the account', () => {
  for (const [sql, slots] of HELD) {
    const { loose, slots: found } = readStatement(sql, TABLES);
    assert.deepEqual([loose, found], [[], slots], sql);
  }
});

test('a statement that is not bound to an account is recognized', () => {
  for (const [sql, tables] of LOOSE) assert.deepEqual(readStatement(sql, TABLES).loose, tables, sql);
});

test('a statement that uses none of the accounts’ tables is ignored', () => {
  assert.deepEqual(readStatement('select "id" from "users" where "id" = ?', TABLES), {
    tables: [],
    loose: [],
    slots: [],
  });
});

const LISTED: Run = { sql: 'select doc from listings where account_id = ?', accounts: [[1, 'acc_1']] };

/** Returns this many different statements. */
function makeRuns(count: number): Run[] {
  return Array.from({ length: count }, (_, index) => ({ ...LISTED, sql: `${LISTED.sql} and id = ${index}` }));
}

test('a log with too few statements fails', () => {
  const accountIds = new Set(['acc_1']);
  assert.equal(assertHeld(makeRuns(100), TABLES).ofAccounts, 100);
  assert.throws(() => assertHeld([], TABLES), /the log has/);
  assert.throws(() => assertHeld(makeRuns(3), TABLES), /the log has/);
  assert.equal(assertAbout(makeRuns(1_000), TABLES, accountIds), 1_000);
  assert.throws(() => assertAbout([], TABLES, accountIds), /the log has/);
  assert.throws(() => assertAbout(makeRuns(3), TABLES, accountIds), /the log has/);
});

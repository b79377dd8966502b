import assert from 'node:assert/strict';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { defer } from '../../../testkit/src/cleanup.ts';
import { only } from '../../../testkit/src/database.ts';
import { until } from '../../../testkit/src/until.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { toBox } from '../../src/model/geo.ts';
import { type Condition, NEWEST_FIRST, type Order, type Search, SORT_FIELDS } from '../../src/model/search.ts';
import { toSearchRow } from '../../src/model/search-terms.ts';
import { findFeedPage, setFeedMarks } from '../../src/storage/feed-listings.ts';
import { findKeyedListings, findListingByExternalId } from '../../src/storage/listings.ts';
import { updateSearchRows } from '../../src/storage/search-rows.ts';
import type { Position } from '../../src/storage/searches.ts';
import { openReader } from '../../src/storage/sqlite/open-connection.ts';
import { SearchReader } from '../../src/storage/sqlite/search-reader.ts';
import { makeListing, storeMany } from '../support/many-listings.ts';
import { databaseFor } from './support.ts';

const make = (given: Partial<Search>): Search => ({
  conditions: [],
  box: undefined,
  circle: undefined,
  words: [],
  order: NEWEST_FIRST,
  ...given,
});

const CONDITIONS: Condition[] = [
  { field: 'status', operator: 'is', value: 'active' },
  { field: 'status', operator: 'in', value: ['active', 'hold'] },
  { field: 'propertyType', operator: 'is', value: 'land' },
  { field: 'city', operator: 'is', value: 'austin' },
  { field: 'city', operator: 'in', value: ['marfa', 'waco'] },
  { field: 'stateOrProvince', operator: 'is', value: 'tx' },
  { field: 'postalCode', operator: 'is', value: '7849' },
  { field: 'country', operator: 'is', value: 'us' },
  { field: 'externalId', operator: 'is', value: 'MLS-17' },
  { field: 'externalId', operator: 'in', value: ['MLS-17', 'MLS-18'] },
  { field: 'feed', operator: 'is', value: 'mls' },
  { field: 'beds', operator: 'is', value: 3 },
  { field: 'beds', operator: 'in', value: [1, 2] },
  { field: 'beds', operator: 'gte', value: 2 },
  { field: 'baths', operator: 'lt', value: 3 },
  { field: 'listPrice', operator: 'lte', value: 500_000 },
  { field: 'closePrice', operator: 'gt', value: 1_070_000 },
  { field: 'livingArea', operator: 'gte', value: 1_000 },
  { field: 'lotSizeArea', operator: 'lt', value: 0.02 },
  { field: 'yearBuilt', operator: 'is', value: 1950 },
  { field: 'onMarketDate', operator: 'gte', value: '2026-05-01' },
  { field: 'closeDate', operator: 'lt', value: '2026-01-03' },
  { field: 'createdAt', operator: 'gte', value: '2026-01-01T00:01:00.000Z' },
  { field: 'updatedAt', operator: 'lt', value: '2026-01-01T00:01:00.000Z' },
];
const BY_PRICE: Order = { by: 'listPrice', isDescending: false };
const NEAREST: Order = { by: 'distance', isDescending: false };
const CIRCLE = { latitude: 30.5, longitude: -97.5, radiusMetres: 20_000 };
const BOX = toBox(-97.52, 30.48, -97.5, 30.5);
const [ACTIVE, , , AUSTIN] = CONDITIONS as [Condition, Condition, Condition, Condition];
const OLD: Condition = { field: 'createdAt', operator: 'lt', value: '2026-01-01T00:10:00.000Z' };
const UP_TO: Condition = { field: 'listPrice', operator: 'lte', value: 300_000 };

const PAGE = { limit: 21, bytesMax: 1e6 };

const SEARCHES: Search[] = [
  ...CONDITIONS.flatMap((condition) => [
    make({ conditions: [condition] }),
    make({ conditions: [condition], order: BY_PRICE }),
    make({ conditions: [condition], order: { by: 'updatedAt', isDescending: true } }),
  ]),
  ...SORT_FIELDS.flatMap((by) => [true, false].map((isDescending) => make({ order: { by, isDescending } }))),
  ...[NEWEST_FIRST, BY_PRICE].flatMap((order) => [
    make({ words: ['elm'], order }),
    make({ words: ['e'], order }),
    make({ words: ['marfa'], order }),
    make({ words: ['17', 'street'], order }),
    make({ words: ['nothing'], order }),
    make({ box: BOX, order }),
    make({ box: toBox(-99, 29, -96, 32), order }),
    make({ circle: CIRCLE, order }),
    make({ conditions: [ACTIVE, AUSTIN, UP_TO], order }),
    make({ conditions: [ACTIVE, UP_TO], box: BOX, order }),
    make({ conditions: [ACTIVE], words: ['oak'], order }),
    // All matches are among the oldest listings.
    make({ conditions: [ACTIVE, OLD], order }),
    make({ conditions: [ACTIVE, AUSTIN, OLD], words: ['str'], order }),
  ]),
  make({ circle: CIRCLE, order: NEAREST }),
  make({ circle: { ...CIRCLE, radiusMetres: 200 }, order: NEAREST }),
  make({ circle: CIRCLE, conditions: [ACTIVE, UP_TO], words: ['elm'], order: NEAREST }),
];

/** The number of rows that a quick search may read on the main thread in total, even if no listing matches. */
const QUICK_ROWS_MAX = 2_500;

/** A new account of this size, whose listings are all indexed. */
async function accountFor(t: TestContext, count: number, change?: Parameters<typeof storeMany>[3]) {
  const made = await databaseFor(t);
  const { database, sql, accountId } = made;
  await storeMany(database, accountId, count, change);
  await sql('update account_heads set listing_count = ?', count);
  return made;
}

async function untilIndexed(sql: Awaited<ReturnType<typeof databaseFor>>['sql']): Promise<void> {
  const waiting = async () => Number((await sql('select count(*) as count from unindexed_listings'))[0]?.count);
  await until('all listings are indexed', async () => (await waiting()) === 0);
}

/**
 * Runs the searches on an account of this size.
 * @returns the SQL of their statements, and how to explain them
 */
async function searchIn(t: TestContext, count: number) {
  const { sql, path, accountId } = await accountFor(t, count);
  await untilIndexed(sql);
  const reader = openReader(path);
  defer(t, () => reader.close());
  const prepare = reader.prepare.bind(reader);
  const texts = new Set<string>();
  let read = 0;
  reader.prepare = (text) => {
    texts.add(text);
    const statement = prepare(text);
    const all = statement.all.bind(statement);
    statement.all = (...values: unknown[]) => {
      const rows = all(...(values as SQLInputValue[]));
      read += rows.length;
      return rows;
    };
    return statement;
  };
  const searches = new SearchReader(reader);
  for (const search of SEARCHES) {
    for (const isQuick of [true, false]) {
      let after: Position | undefined;
      for (let page = 0; page < 2; page += 1) {
        read = 0;
        const run = searches.find(accountId, search, { after, ...PAGE }, isQuick);
        const [id, value] = run?.rows.at(-1) ?? [];
        if (typeof id === 'string') after = { id, value: value as Position['value'] };
        assert.ok(!isQuick || read < QUICK_ROWS_MAX, `${read} rows are read for ${JSON.stringify(search)}`);
      }
      searches.count(accountId, search, isQuick);
    }
  }
  const explain = (text: string) =>
    prepare(`explain query plan ${text}`)
      .all()
      .map(({ detail }) => String(detail));
  return { texts, explain };
}

const BY_INDEX =
  /^SEARCH facets USING (?:(?:COVERING INDEX listing_facets_\w+|PRIMARY KEY) \(account_id=\?|INTEGER PRIMARY KEY)/;
const WHOLE_ACCOUNT = /\(account_id=\?\)$/;

test(
  'searches of small and large accounts use the same indexes, and quick ones read few listings',
  only('sqlite', 'the other engine plans by the size of a table'),
  async (t) => {
    const [small, large] = [await searchIn(t, 100), await searchIn(t, 20_000)];
    for (const text of small.texts.union(large.texts)) {
      const plan = large.explain(text).map((step) => step.replace('listing_facets USING', 'facets USING'));
      assert.deepEqual(
        small.explain(text).map((step) => step.replace('listing_facets USING', 'facets USING')),
        plan,
        text,
      );
      const steps = plan.filter(
        (step) => / facets| listing_facets/.test(step) && !/^SEARCH listing_facets$/.test(step),
      );
      for (const step of steps) assert.match(step, BY_INDEX, text);
      const isSorted = plan.includes('USE TEMP B-TREE FOR ORDER BY');
      assert.ok(!isSorted || !steps.some((step) => WHOLE_ACCOUNT.test(step)), `sorts the account: ${text}`);
    }
  },
);

test(
  'a search whose matches are all old reads the candidates of a condition, not the whole account',
  only('sqlite', 'it reads the statements of SQLite'),
  async (t) => {
    const [count, oldCount] = [12_000, 5_500];
    const { sql, path, accountId } = await accountFor(t, count, (n) =>
      n < oldCount
        ? { lotSizeArea: 1, yearBuilt: 1900, closeDate: '2020-01-01', beds: 9 }
        : { lotSizeArea: 2, yearBuilt: 2000, closeDate: '2026-01-01', beds: 1 },
    );
    await untilIndexed(sql);
    const old: Condition[] = [
      { field: 'lotSizeArea', operator: 'lt', value: 1.5 },
      { field: 'yearBuilt', operator: 'lte', value: 1950 },
      { field: 'closeDate', operator: 'lt', value: '2025-01-01' },
      { field: 'beds', operator: 'gte', value: 8 },
    ];
    const reader = openReader(path);
    defer(t, () => reader.close());
    const texts: string[] = [];
    const prepare = reader.prepare.bind(reader);
    reader.prepare = (text) => {
      texts.push(text);
      return prepare(text);
    };
    const searches = new SearchReader(reader);
    const newest = await sql(`select id from listing_facets where beds = 9 order by id desc limit ${PAGE.limit}`);
    for (const condition of old) {
      for (const given of [[condition], [condition, { ...ACTIVE, operator: 'in', value: ['active', 'pending'] }]]) {
        const search = make({ conditions: given as Condition[] });
        assert.equal(searches.find(accountId, search, { after: undefined, ...PAGE }, true), undefined);
        const run = searches.find(accountId, search, { after: undefined, ...PAGE }, false);
        assert.deepEqual(
          run?.rows.map(([id]) => id),
          newest.map(({ id }) => id),
        );
        assert.equal(searches.count(accountId, search, false), oldCount);
      }
    }
    assert.ok(texts.some((text) => text.includes('listing_index_terms')));
    for (const text of texts)
      assert.doesNotMatch(text, /from listing_facets indexed by listing_facets_id\s[^;]*limit -1/);
  },
);

/** The number of statements that a quick search may run. */
const QUICK_STATEMENTS_MAX = 200;

test(
  'a quick search runs few statements and compares few words, no matter how many words it has',
  only('sqlite', 'it counts the statements of SQLite'),
  async (t) => {
    const words = Array.from({ length: 100 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    // Each word of the search begins 20 words of the listings.
    const endings = [...'abcdefghijklmnopqrst'];
    const { sql, path, accountId } = await accountFor(t, 600, (n) => ({
      description: words.map((word) => word + endings[n % endings.length]).join(' '),
    }));
    await untilIndexed(sql);
    const reader = openReader(path);
    defer(t, () => reader.close());
    let statements = 0;
    let comparisonsMax = 0;
    const prepare = reader.prepare.bind(reader);
    reader.prepare = (text) => {
      const statement = prepare(text);
      const all = statement.all.bind(statement);
      statement.all = (...values: unknown[]) => {
        statements += 1;
        comparisonsMax = Math.max(comparisonsMax, text.split('instr(').length - 1);
        return all(...(values as SQLInputValue[]));
      };
      return statement;
    };
    for (const order of [NEWEST_FIRST, BY_PRICE]) {
      for (const length of [100, 20, 5, 4, 1]) {
        const search = make({ words: words.slice(0, length), order });
        const searches = new SearchReader(reader);
        [statements, comparisonsMax] = [0, 0];
        const run = searches.find(accountId, search, { after: undefined, ...PAGE }, true);
        searches.count(accountId, search, true);
        assert.ok(statements <= QUICK_STATEMENTS_MAX, `${statements} statements are run for ${length} words`);
        assert.ok(comparisonsMax <= 4, `${comparisonsMax} words are compared with those of each listing`);
        assert.equal(run !== undefined, length <= 4, `a thread is needed only for many words, not for ${length}`);
        assert.equal(searches.find(accountId, search, { after: undefined, ...PAGE }, false)?.rows.length, PAGE.limit);
        assert.equal(searches.count(accountId, search, false), 600);
      }
    }
  },
);

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Plan Rows': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/** The maximum number of listings that the first query reads. */
const READ_MAX = 500;

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const kindOf = (node: Node) => node['Node Type'];

/** Explains each statement that contains the word `about`, on its own connection and with its own values. */
function collectPlans(t: TestContext, about = 'listing_facets'): Promise<Node[]>[] {
  const plans: Promise<Node[]>[] = [];
  const { query } = pg.Client.prototype;
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...given: unknown[]) {
    const [{ text, values }] = given as [{ text: string; values: SQLInputValue[] }];
    // The pattern does not match statements about the table's indexes, which the service can send at any time.
    if (new RegExp(`\\b${about}\\b`).test(text)) {
      const explained = Reflect.apply(query, this, [{ text: `explain (analyze, format json) ${text}`, values }]);
      plans.push(explained.then(({ rows: [row] }: pg.QueryResult) => nodesOf(row['QUERY PLAN'][0].Plan)));
    }
    return Reflect.apply(query, this, given);
  });
  return plans;
}

test(
  'the first query of a list reads listings from an index in the order of the list',
  only('postgres', 'it reads the plans of PostgreSQL'),
  async (t) => {
    const { database, sql, accountId } = await accountFor(t, 20_000);
    const { id: other } = await createAccount(database, 'Other');
    await storeMany(database, other, 5_000);
    // Otherwise, the plans depend on whether the server has analyzed the table in the meantime.
    await sql('analyze listings, listing_facets');
    const plans = collectPlans(t);
    for (const search of SEARCHES.filter(({ order }) => order.by !== 'distance')) {
      let after: Position | undefined;
      for (let page = 0; page < 2; page += 1) {
        plans.length = 0;
        const { rows } = await database.search.findPage(accountId, search, { after, ...PAGE }, {});
        after = rows.at(-1) ?? after;
        const nodes = await plans[0];
        assert.ok(nodes !== undefined);
        const what = JSON.stringify([search, nodes.map(({ Plans, ...node }) => node)]);
        const scans = nodes.filter((node) => node['Relation Name'] === 'listing_facets');
        assert.ok(scans.length > 0, what);
        // Near its end, a list may be read in any order.
        const long = scans.filter((node) => node['Plan Rows'] > READ_MAX);
        for (const scan of long) assert.match(kindOf(scan), /^Index (?:Only )?Scan$/, what);
        // Only the page itself is sorted, or listings with the same value.
        for (const sort of nodes.filter((node) => kindOf(node) === 'Sort')) {
          const sorted = nodesOf(sort);
          const isPage = sorted.some((node) => kindOf(node) === 'Limit');
          assert.ok(isPage || !sorted.some((node) => long.includes(node)), what);
        }
      }
    }
  },
);

for (const { every, isInOrder } of [
  { every: 33, isInOrder: true },
  { every: 200, isInOrder: false },
]) {
  test(
    `if one in ${every} listings matches, a page reads ${isInOrder ? 'listings in order, not all matches' : 'all matches'}`,
    only('postgres', 'it reads the plans of PostgreSQL'),
    async (t) => {
      const { database, sql, accountId } = await accountFor(t, 12_000, (n) => ({
        yearBuilt: n % every === 0 ? 1950 : 2000,
        ...{ status: 'active', beds: 3 },
      }));
      // Otherwise, the plans depend on whether the server has vacuumed the table in the meantime, but not analyzed it.
      await sql('analyze listings, listing_facets');
      const newest = await sql(
        `select id from listing_facets where year_built = 1950 order by id desc limit ${PAGE.limit}`,
      );
      const plans = collectPlans(t);
      const conditions: Condition[] = [
        { field: 'yearBuilt', operator: 'lt', value: 1960 },
        ACTIVE,
        { field: 'beds', operator: 'is', value: 3 },
      ];
      const { rows } = await database.search.findPage(
        accountId,
        make({ conditions }),
        { after: undefined, ...PAGE },
        {},
      );
      assert.deepEqual(
        rows.map(({ id }) => id),
        newest.map(({ id }) => id),
      );
      assert.equal(plans.length, 2);
      const nodes = (await plans[1]) ?? [];
      const scans = nodes.filter((node) => node['Relation Name'] === 'listing_facets');
      const read = scans.reduce((sum, node) => sum + rowsOf(node), 0);
      const most = isInOrder ? 2 * every * PAGE.limit : 12_000 / every;
      assert.ok(read <= most, `${read} listings are read`);
      assert.ok(nodes.every((node) => node['Index Name'] !== 'listing_facets_counts'));
    },
  );
}

/** The rows that a scan reads, matching or not. */
function rowsOf(node: Node): number {
  return node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0);
}

/** The maximum number of parts of the query for a page of a sorted list. Each part reads at most a page. */
const PARTS_MAX = 4;

for (const isAnalyzed of [true, false]) {
  test(
    `each page of a sorted list of equal values reads few listings, ${isAnalyzed ? 'with' : 'without'} statistics`,
    only('postgres', 'it reads the plans of PostgreSQL'),
    async (t) => {
      const { database, sql, accountId } = await accountFor(t, 6_000, () => ({ listPrice: 250_000 }));
      if (isAnalyzed) await sql('analyze listings, listing_facets');
      const newest = await sql('select id from listing_facets order by id desc limit 100');
      const plans = collectPlans(t);
      for (const isDescending of [true, false]) {
        const search = make({ order: { by: 'listPrice', isDescending } });
        let after: Position | undefined;
        for (let page = 0; page < 3; page += 1) {
          plans.length = 0;
          const { rows } = await database.search.findPage(accountId, search, { after, ...PAGE }, {});
          after = rows.at(-1);
          const expected = newest.slice(page * PAGE.limit, (page + 1) * PAGE.limit);
          assert.deepEqual(
            rows.map(({ id }) => id),
            expected.map(({ id }) => id),
          );
          assert.equal(plans.length, 1);
          const scans = (await plans[0])?.filter((node) => node['Relation Name'] === 'listing_facets') ?? [];
          const read = scans.reduce((sum, node) => sum + rowsOf(node), 0);
          assert.ok(read <= PARTS_MAX * PAGE.limit, `${read} listings are read: ${JSON.stringify(scans)}`);
        }
      }
    },
  );
}

test(
  'new listings wait in the pending list only briefly, since each search reads it',
  only('postgres', 'SQLite has no pending list'),
  async (t) => {
    const { database, sql, accountId } = await databaseFor(t);
    await sql('create extension pgstattuple');
    const countPending = async () => {
      const [row] = await sql("select pending_tuples from pgstatginindex('listing_facets_terms')");
      return Number(row?.pending_tuples);
    };
    for (const round of ['first', 'second']) {
      await storeMany(database, accountId, 100, (n) => ({ externalId: `${round}-${n}` }));
      assert.ok((await countPending()) > 0);
      await until('the pending list is empty', async () => (await countPending()) === 0);
    }
  },
);

/** What the server knows about the tables. */
const STATISTICS = ['none', 'current', 'of another account'] as const;

/** A new account with 6,000 listings. */
async function accountWith(t: TestContext, statistics: (typeof STATISTICS)[number]) {
  const made = await databaseFor(t);
  const { database, sql } = made;
  const { id: other } = await createAccount(database, 'Other');
  // Long external ids make their index higher than the others, so PostgreSQL uses it only if the query needs it.
  const withLongKey = (n: number) => ({ externalId: `${'x'.repeat(100)}-${n}`, feed: 'mls' });
  await storeMany(database, other, 6_000, withLongKey);
  if (statistics === 'of another account') await sql('analyze listings, listing_facets');
  await storeMany(database, made.accountId, 6_000, withLongKey);
  if (statistics === 'current') await sql('analyze listings, listing_facets');
  const found = await sql('select id, external_id from listing_facets where account_id = ? limit 50', made.accountId);
  const ids = found.map(({ id }) => String(id));
  return { ...made, ids, externalIds: found.map((row) => String(row.external_id)) };
}

async function scansOf(plan: Promise<Node[]> | undefined): Promise<Node[]> {
  return (await plan)?.filter((node) => node['Relation Name'] !== undefined) ?? [];
}

for (const statistics of STATISTICS) {
  test(`with statistics: ${statistics}`, only('postgres', 'it reads the plans of PostgreSQL'), async (t) => {
    const { database, sql, accountId, ids, externalIds } = await accountWith(t, statistics);

    await t.test('the documents of a list are read by their ids', async (t) => {
      const plans = collectPlans(t);
      for (const search of [make({}), make({ conditions: [{ field: 'status', operator: 'is', value: 'active' }] })]) {
        plans.length = 0;
        const { count } = await database.search.findDocs(accountId, search, ids, { bytesMax: 1e9 });
        assert.equal(count, ids.length);
        const scans = await scansOf(plans[0]);
        for (const scan of scans) assert.ok(rowsOf(scan) <= ids.length, JSON.stringify(scan));
        assert.equal(scans.length, 2);
      }
    });

    await t.test('a batch of listings is read by its keys', async (t) => {
      const plans = collectPlans(t);
      for (const [by, keys] of Object.entries({ id: ids, externalId: externalIds })) {
        for (const some of [keys, keys.map((key) => `${key}-unknown`)]) {
          plans.length = 0;
          await findKeyedListings(database, accountId, by as 'id' | 'externalId', some);
          const scans = await scansOf(plans[0]);
          for (const scan of scans) assert.ok(rowsOf(scan) <= keys.length, JSON.stringify(scan));
          assert.equal(scans.length, 2);
        }
      }
    });

    await t.test('a listing is found by its external id', async (t) => {
      const plans = collectPlans(t);
      for (const [index, externalId] of [...externalIds.slice(0, 3), 'unknown'].entries()) {
        plans.length = 0;
        const found = await findListingByExternalId(database, accountId, externalId);
        assert.equal(found?.id, externalId === 'unknown' ? undefined : ids[index]);
        const scans = await scansOf(plans[0]);
        assert.equal(scans.length, 2);
        for (const scan of scans) assert.ok(rowsOf(scan) <= 1, JSON.stringify(scan));
      }
    });

    await t.test('a page of a feed reads only its listings', async (t) => {
      const plans = collectPlans(t);
      const pages = [
        ['new', 'byExternalId', '', 0],
        ['new', 'withoutExternalId', '', 0],
        ['mls', 'withoutExternalId', '', 0],
        ['mls', 'byExternalId', '', 200],
        ['mls', 'byExternalId', externalIds[25] ?? '', 200],
      ] as const;
      for (const [feed, by, after, length] of pages) {
        plans.length = 0;
        assert.equal((await findFeedPage(database, accountId, feed, by, after, 200)).length, length);
        const scans = await scansOf(plans[0]);
        assert.equal(scans.length, 2);
        for (const scan of scans) assert.equal(rowsOf(scan), length, JSON.stringify(scan));
      }
    });

    await t.test('a batch of search rows is changed by its ids', async (t) => {
      const change = { ...toSearchRow(makeListing(0)), beds: 9 };
      const plans = collectPlans(t);
      for (const parts of [['beds'], ['beds', 'terms']] as const) {
        plans.length = 0;
        const rows = ids.map((id) => ({ ...change, externalId: `new-${id}`, id }));
        await database.write((transaction) => updateSearchRows(transaction, accountId, rows, parts), accountId);
        const scans = await scansOf(plans[0]);
        assert.ok(scans.length > 0);
        for (const scan of scans) assert.ok(rowsOf(scan) <= ids.length, JSON.stringify(scan));
        const stored = await sql(
          'select id, external_id, terms::text from listing_facets where account_id = ? and beds = 9',
          accountId,
        );
        assert.deepEqual(
          new Map(stored.map((row) => [row.id, row.external_id])),
          new Map(rows.map((row) => [row.id, row.externalId])),
        );
        // Without `terms` among the parts, the stored terms are kept.
        const isNew = parts.length === 2;
        for (const { terms } of stored) assert.match(String(terms), isNew ? /elm/ : /elm|oak/);
      }
    });

    await t.test('the marks of a batch of listings are stored by their ids', async (t) => {
      const plans = collectPlans(t, 'feed_mark');
      const marks = ids.map((id): [string, string] => [id, `mark of ${id}`]);
      await database.write((transaction) => setFeedMarks(transaction, accountId, marks), accountId);
      const scans = await scansOf(plans[0]);
      assert.ok(scans.length > 0);
      for (const scan of scans) assert.ok(rowsOf(scan) <= ids.length, JSON.stringify(scan));
      const stored = await sql(
        'select id, feed_mark from listings where account_id = ? and feed_mark > ?',
        accountId,
        '',
      );
      assert.deepEqual(new Map(stored.map((row) => [row.id, row.feed_mark])), new Map(marks));
    });
  });
}

test('a page of a feed reads only its listings', only('sqlite', 'it reads the statements of SQLite'), async (t) => {
  const texts = t.mock.method(DatabaseSync.prototype, 'prepare');
  const { database, path, accountId } = await databaseFor(t);
  for (const by of ['byExternalId', 'withoutExternalId'] as const)
    await findFeedPage(database, accountId, 'mls', by, '', 200);
  const pages = texts.mock.calls.map(({ arguments: [text] }) => text).filter((text) => text.includes('feed_mark'));
  const reader = openReader(path);
  defer(t, () => reader.close());
  const stepsOf = (text: string) => reader.prepare(`explain query plan ${text}`).all();
  const plans = pages.map(
    (text) => stepsOf(text).find(({ detail }) => String(detail).includes('listing_facets'))?.detail,
  );
  assert.deepEqual(plans, [
    'SEARCH listing_facets USING INDEX listing_facets_feed (account_id=? AND feed=? AND external_id>?)',
    'SEARCH listing_facets USING INDEX listing_facets_feed_id (account_id=? AND feed=? AND id>?)',
  ]);
});

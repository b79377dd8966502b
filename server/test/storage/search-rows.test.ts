import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ENGINE } from '../../../testkit/src/database.ts';
import { deleteListing, updateListing } from '../../src/domain/listings/listings.ts';
import type { Listing } from '../../src/model/listings.ts';
import { NEWEST_FIRST, SEARCH_COLUMNS } from '../../src/model/search.ts';
import type { Database } from '../../src/storage/database.ts';
import { create, databaseFor, words } from './support.ts';

const FULL = {
  externalId: 'MLS-1',
  status: 'pending',
  propertyType: 'land',
  city: 'Cañon City',
  stateOrProvince: 'N.-Westf.',
  postalCode: '00701',
  country: 'US',
  listPrice: 999_999_999_999.99,
  closePrice: 1,
  livingArea: 0.01,
  lotSizeArea: 0.0001,
  yearBuilt: 1890,
  onMarketDate: '2026-02-28',
  closeDate: '2026-11-22',
  latitude: -1e-8,
  longitude: -180,
} as const;

type Row = Record<string, unknown>;

async function readAll(database: Database): Promise<{ searchColumns: Row[]; docs: Listing[] }> {
  const searchColumns = await database.execute(words<Row>('select * from listing_facets order by id'), {});
  const docs = await database.execute(words<{ doc: string }>('select doc from listings order by id'), {});
  return { searchColumns, docs: docs.map(({ doc }) => JSON.parse(doc)) };
}

/** Strings of `FULL` as filters compare them. */
const FOLDED = new Map<unknown, string>([
  ['Cañon City', 'canon city'],
  ['N.-Westf.', 'n westf'],
  ['US', 'us'],
  ['Austin', 'austin'],
]);

/** The stored search columns must match the stored documents, one row per listing. */
async function assertAgree(database: Database, count: number): Promise<void> {
  const { searchColumns, docs } = await readAll(database);
  assert.equal(docs.length, count);
  const expected = docs.map((doc) => [
    doc.id,
    ...SEARCH_COLUMNS.map((name) => FOLDED.get(doc[name]) ?? doc[name] ?? null),
  ]);
  const columns = SEARCH_COLUMNS.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  assert.deepEqual(
    searchColumns.map((row) => [row.id, ...columns.map((column) => row[column])]),
    expected,
  );
  if (ENGINE === 'sqlite') await assertCounted(database);
}

const VALUES = "account_id, status, beds, coalesce(property_type, '') as property_type, baths";

/** Checks the numbers of rows with the same values, which triggers maintain. */
async function assertCounted(database: Database): Promise<void> {
  const [counted, expected] = await Promise.all(
    [
      `select ${VALUES}, count from listing_counts order by 1, 2, 3, 4, 5`,
      `select ${VALUES}, count(*) as count from listing_facets group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
    ].map((text) => database.execute(words<Row>(text), {})),
  );
  assert.deepEqual(counted, expected);
}

/** How many of the account's listings have a word that begins with `prefix`. */
function countMatches({ search }: Database, accountId: string, prefix: string): Promise<number> {
  const words = { conditions: [], box: undefined, circle: undefined, words: [prefix], order: NEWEST_FIRST };
  return search.count(accountId, words, {});
}

async function prepare(t: TestContext) {
  const { database, accountId } = await databaseFor(t);
  const { id } = await create(database, accountId, FULL);
  await create(database, accountId);
  await assertAgree(database, 2);
  return { database, accountId, id };
}

test('the search columns follow the document through every change', async (t) => {
  const { database, accountId, id } = await prepare(t);
  const minimal = { address: '1 Oak Street', beds: 0, baths: 999 };
  const inputs = [minimal, { ...minimal, ...FULL }, { ...minimal, city: 'Austin' }, { ...minimal, beds: 3, baths: 2 }];
  for (const input of inputs) {
    await updateListing(database, { accountId }, { id }, () => input);
    await assertAgree(database, 2);
  }
  await deleteListing(database, { accountId }, { id });
  await assertAgree(database, 1);
});

test('a listing is found by the words of its document, and by no others', async (t) => {
  const { database, accountId, id } = await prepare(t);
  assert.equal(await countMatches(database, accountId, 'elm'), 2);
  assert.equal(await countMatches(database, accountId, 'canon'), 1);
  await updateListing(database, { accountId }, { id }, () => ({ address: '1 Oak Street', beds: 1, baths: 1 }));
  assert.equal(await countMatches(database, accountId, 'elm'), 1);
  assert.equal(await countMatches(database, accountId, 'canon'), 0);
  assert.equal(await countMatches(database, accountId, 'oak'), 1);
  await deleteListing(database, { accountId }, { id });
  assert.equal(await countMatches(database, accountId, 'oak'), 0);
  const { id: next } = await create(database, accountId, { address: '2 Fir Street' });
  assert.ok(next > id);
  assert.equal(await countMatches(database, accountId, 'elm'), 1, 'a reused number has only its own words');
});

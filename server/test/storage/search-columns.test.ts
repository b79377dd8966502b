import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ENGINE } from '../../../testkit/src/database.ts';
import { deleteListing, updateListing } from '../../src/domain/listings.ts';
import type { Listing } from '../../src/model/listings.ts';
import { SEARCH_COLUMNS } from '../../src/model/search.ts';
import type { Database } from '../../src/storage/database.ts';
import { create, databaseFor, words } from './support.ts';

const FULL = {
  externalId: 'MLS-1',
  status: 'pending',
  propertyType: 'land',
  city: 'Cañon City',
  postalCode: '00701',
  listPrice: 999_999_999_999.99,
  livingArea: 0.01,
  yearBuilt: 1890,
  latitude: -1e-8,
  longitude: -180,
} as const;

type Row = Record<string, unknown>;

async function readAll(database: Database): Promise<{ searchColumns: Row[]; docs: Listing[] }> {
  const searchColumns = await database.execute(words<Row>('select * from listing_facets order by id'), {});
  const docs = await database.execute(words<{ doc: string }>('select doc from listings order by id'), {});
  return { searchColumns, docs: docs.map(({ doc }) => JSON.parse(doc)) };
}

/** The stored search columns must match the stored documents, one row per listing. */
async function assertAgree(database: Database, count: number): Promise<void> {
  const { searchColumns, docs } = await readAll(database);
  assert.equal(docs.length, count);
  const expected = docs.map((doc) => [doc.id, ...SEARCH_COLUMNS.map((name) => doc[name] ?? null)]);
  const columns = SEARCH_COLUMNS.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  assert.deepEqual(
    searchColumns.map((row) => [row.id, ...columns.map((column) => row[column])]),
    expected,
  );
}

/** The number of the account's listings with a word that starts with `start`. */
async function countMatches(database: Database, accountId: string, start: string): Promise<number | undefined> {
  const word = `${accountId.slice(-8)}${start}`;
  const rows = {
    sqlite: `select rowid from listing_words where listing_words match '"${word}" *'`,
    postgres: `select search_row from listing_words where account_id = '${accountId}' and words @@ '${word}:*'::tsquery`,
  };
  const statement = words<{ count: number }>(
    `select count(*) as count from listing_facets where search_row in (${rows[ENGINE]})`,
  );
  return (await database.execute(statement, {}))[0]?.count;
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
  for (const input of [minimal, { ...minimal, ...FULL }, { ...minimal, city: 'Austin' }]) {
    await updateListing(database, { accountId }, id, () => input);
    await assertAgree(database, 2);
  }
  await deleteListing(database, { accountId }, { id });
  await assertAgree(database, 1);
});

test('a listing’s indexed words match its document, and are removed with it', async (t) => {
  const { database, accountId, id } = await prepare(t);
  assert.equal(await countMatches(database, accountId, 'elm'), 2);
  assert.equal(await countMatches(database, accountId, 'canon'), 1);
  await updateListing(database, { accountId }, id, () => ({ address: '1 Oak Street', beds: 1, baths: 1 }));
  assert.equal(await countMatches(database, accountId, 'elm'), 1);
  assert.equal(await countMatches(database, accountId, 'canon'), 0);
  assert.equal(await countMatches(database, accountId, 'oak'), 1);
  await deleteListing(database, { accountId }, { id });
  assert.equal(await countMatches(database, accountId, 'oak'), 0);
  const { id: next } = await create(database, accountId, { address: '2 Fir Street' });
  assert.ok(next > id);
  assert.equal(await countMatches(database, accountId, 'elm'), 1, 'a reused row has only its own words');
});

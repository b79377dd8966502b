import assert from 'node:assert/strict';
import { test } from 'node:test';
import { only } from '../../../testkit/src/database.ts';
import { deleteListing, updateListing } from '../../src/domain/listings.ts';
import { type Condition, NEWEST_FIRST, type Search } from '../../src/model/search.ts';
import { type Database, RUN_BYTES_MAX, type Scans } from '../../src/storage/database.ts';
import { type Found, findDocs, findFirst } from '../../src/storage/searches.ts';
import { create, databaseFor } from './support.ts';

const EVERYTHING: Search = { conditions: [], box: undefined, circle: undefined, words: [], order: NEWEST_FIRST };
const THREE_BEDS: Condition = { field: 'beds', operator: 'is', value: 3 };
const INPUT = { address: '12 Elm Street', beds: 3, baths: 2 };

const find = ({ scans }: Database, accountId: string, search: Search) =>
  findFirst(scans, accountId, search, { after: undefined, limit: 100 });

/** Reads documents and returns their IDs. */
async function read({ scans }: Database, accountId: string, search: Search, found: Found[]): Promise<string[]> {
  const { docs } = await findDocs(scans, accountId, search, found, {});
  return docs.map((doc) => JSON.parse(doc).id);
}

test('a listing that changes after it was found is omitted unless it still matches', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const actor = { accountId };
  const ids: string[] = [];
  for (let index = 0; index < 6; index += 1) ids.unshift((await create(database, accountId)).id);
  const [untouched, cheaper, smaller, moved, deleted, renamed] = ids.map(String);
  const search = { ...EVERYTHING, conditions: [THREE_BEDS], words: ['elm'] };
  const found = await find(database, accountId, search);
  assert.deepEqual(
    found.map(({ id }) => id),
    ids,
  );
  const change = (id: string | undefined, fields: object) =>
    updateListing(database, actor, String(id), () => ({ ...INPUT, ...fields }));
  await change(cheaper, { listPrice: 1 });
  await change(smaller, { beds: 2 });
  await change(moved, { address: '12 Oak Street' });
  await deleteListing(database, actor, { id: String(deleted) });
  await change(renamed, { address: 'Elmwood' });
  assert.deepEqual(await read(database, accountId, search, found), [untouched, cheaper, renamed]);
});

test('a listing that loses a word is not found by it, even if another listing reuses its index row', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const search = { ...EVERYTHING, words: ['elm'] };
  const { id } = await create(database, accountId);
  const found = await find(database, accountId, search);
  // This listing has the last row of the index: if it released the row, the next would reuse it.
  for (const address of ['1 Oak Street', '2 Oak Street', '3 Oak Street']) {
    await updateListing(database, { accountId }, id, () => ({ ...INPUT, address }));
    await create(database, accountId);
    assert.deepEqual(await read(database, accountId, search, found), []);
  }
});

test('documents are returned in the requested order, up to the one that exceeds a mebibyte', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const ids: string[] = [];
  const photos = Array.from({ length: 100 }, () => ({ url: `https://example.com/${'x'.repeat(1900)}` }));
  for (let index = 0; index < 8; index += 1) ids.push((await create(database, accountId, { photos })).id);
  const all = await find(database, accountId, EVERYTHING);
  const order = [3, 0, 7, 5, 1, 2, 6, 4].map((index) => all[index]).filter((found) => found !== undefined);
  let unread = order;
  const seen: string[] = [];
  while (unread.length > 0) {
    const { docs, count } = await findDocs(database.scans, accountId, EVERYTHING, unread, { bytesMax: RUN_BYTES_MAX });
    seen.push(...docs.map((doc) => JSON.parse(doc).id));
    assert.ok(count === 6 || count === unread.length, `${count} documents at a time`);
    unread = unread.slice(count);
  }
  assert.deepEqual(
    seen,
    order.map(({ id }) => id),
  );
});

test(
  'every search scans the account’s search columns, and reads only the documents it returns',
  only('sqlite', 'the test reads its query plan'),
  async (t) => {
    const { database, accountId } = await databaseFor(t);
    const plans: string[] = [];
    const query: Database['scans']['query'] = (owner, build, options) => {
      return database.scans.query(
        owner,
        (builder, engine) => {
          const compiled = build(builder, engine).compile();
          return { compile: () => ({ ...compiled, sql: `explain query plan ${compiled.sql}` }) };
        },
        options,
      );
    };
    const scans: Scans = { query, queryPacked: database.scans.queryPacked.bind(database.scans) };
    const circle = { latitude: 1, longitude: 2, radiusMetres: 3 };
    for (const search of [
      EVERYTHING,
      {
        ...EVERYTHING,
        conditions: [THREE_BEDS],
        circle,
        words: ['elm'],
        order: { by: 'distance', isDescending: false },
      },
      { ...EVERYTHING, order: { by: 'listPrice', isDescending: true } },
      { ...EVERYTHING, conditions: [{ field: 'externalId', operator: 'is', value: 'MLS-1' }] },
    ] satisfies Search[]) {
      const after = { id: 'lst', value: 3 };
      for (const row of await findFirst(scans, accountId, search, { after, limit: 3 })) plans.push(JSON.stringify(row));
    }
    const steps = plans.filter((plan) => plan.includes(' facets ') || plan.includes('listings'));
    const [external, ...others] = steps.reverse();
    assert.match(
      String(external),
      /SEARCH facets USING INDEX listing_facets_external_id \(account_id=\? AND external_id=\?/,
    );
    assert.equal(others.length, 3);
    for (const step of others) assert.match(step, /SEARCH facets USING PRIMARY KEY \(account_id=\?/);
  },
);

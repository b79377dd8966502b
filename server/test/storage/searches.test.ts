import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteListing, updateListing } from '../../src/domain/listings/listings.ts';
import { type Condition, NEWEST_FIRST, type Search } from '../../src/model/search.ts';
import type { Database } from '../../src/storage/database.ts';
import { RUN_BYTES_MAX } from '../../src/storage/runs.ts';
import { create, databaseFor } from './support.ts';

const EVERYTHING: Search = { conditions: [], box: undefined, circle: undefined, words: [], order: NEWEST_FIRST };
const THREE_BEDS: Condition = { field: 'beds', operator: 'is', value: 3 };
const INPUT = { address: '12 Elm Street', beds: 3, baths: 2 };

/** The ids of all matches, in order. */
async function find({ search }: Database, accountId: string, wanted: Search): Promise<string[]> {
  const { packs } = await search.findPositions(accountId, wanted, { after: undefined, limit: 100 }, {});
  return packs.flatMap((open) => open()).map(({ id }) => id);
}

/** Reads documents and returns their ids. */
async function read({ search }: Database, accountId: string, wanted: Search, ids: string[]): Promise<string[]> {
  const { docs } = await search.findDocs(accountId, wanted, ids, { bytesMax: Number.POSITIVE_INFINITY });
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
  assert.deepEqual(found, ids);
  const change = (id: string | undefined, fields: object) =>
    updateListing(database, actor, { id: String(id) }, () => ({ ...INPUT, ...fields }));
  await change(cheaper, { listPrice: 1 });
  await change(smaller, { beds: 2 });
  await change(moved, { address: '12 Oak Street' });
  await deleteListing(database, actor, { id: String(deleted) });
  await change(renamed, { address: 'Elmwood' });
  assert.deepEqual(await read(database, accountId, search, found), [untouched, cheaper, renamed]);
});

test('a listing that loses a word is not found by it, even before the index is updated', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const search = { ...EVERYTHING, words: ['elm'] };
  const { id } = await create(database, accountId);
  const found = await find(database, accountId, search);
  for (const address of ['1 Oak Street', '2 Oak Street', '3 Oak Street']) {
    await updateListing(database, { accountId }, { id }, () => ({ ...INPUT, address }));
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
  const order = [3, 0, 7, 5, 1, 2, 6, 4].map((index) => String(all[index]));
  let unread = order;
  const seen: string[] = [];
  while (unread.length > 0) {
    const options = { bytesMax: RUN_BYTES_MAX };
    const { docs, count } = await database.search.findDocs(accountId, EVERYTHING, unread, options);
    seen.push(...docs.map((doc) => JSON.parse(doc).id));
    assert.ok(count === 6 || count === unread.length, `${count} documents at a time`);
    unread = unread.slice(count);
  }
  assert.deepEqual(seen, order);
});

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { until } from '../../../../testkit/src/until.ts';
import { createAccount } from '../../../src/domain/accounts/accounts.ts';
import { deleteListing, updateListing } from '../../../src/domain/listings/listings.ts';
import type { ListingInput } from '../../../src/model/listings.ts';
import { NEWEST_FIRST, type Order, type Search } from '../../../src/model/search.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { Indexing } from '../../../src/storage/sqlite/listing-index.ts';
import { create, databaseFor } from '../support.ts';

// A changed listing waits until it is indexed. Before and after that, searches must find it by its new terms.

type Ask = Awaited<ReturnType<typeof databaseFor>>['sql'];

const BY_PRICE: Order = { by: 'listPrice', isDescending: false };
const PLACE = { latitude: 30.2672, longitude: -97.7431 };
const ELM = { address: '12 Elm Street', beds: 3, baths: 2, city: 'Austin', postalCode: '78701', ...PLACE } as const;
const OAK = { address: '7 Oak Street', beds: 4, baths: 1, city: 'Waco', latitude: -33.9, longitude: 18.4 } as const;

const is = (field: 'city' | 'status' | 'beds', value: string | number) => ({ field, operator: 'is' as const, value });

/** Searches that find only `ELM`, or only `OAK`. */
const SEARCHES: Record<'elm' | 'oak', Partial<Search>[]> = {
  elm: [
    { words: ['el'] },
    { words: ['78701', 'elm'], conditions: [is('status', 'active')] },
    { conditions: [is('city', 'austin')] },
    { conditions: [is('city', 'austin'), is('beds', 3)] },
    { circle: { ...PLACE, radiusMetres: 100 } },
  ],
  oak: [{ words: ['oak'] }, { words: ['oa', '7'] }, { conditions: [is('city', 'waco')] }],
};

/** Asserts that every method finds exactly these listings. */
async function assertFound({ search }: Database, accountId: string, name: 'elm' | 'oak', ids: string[]): Promise<void> {
  for (const given of SEARCHES[name]) {
    for (const order of [NEWEST_FIRST, BY_PRICE]) {
      const wanted = { conditions: [], box: undefined, circle: undefined, words: [], order, ...given };
      const part = { after: undefined, limit: 10 };
      const page = await search.findPage(accountId, wanted, { ...part, bytesMax: 1e6 }, {});
      const { packs } = await search.findPositions(accountId, wanted, part, {});
      const found = [page.rows, packs.flatMap((open) => open())].map((rows) => rows.map(({ id }) => id));
      assert.deepEqual(found, [ids, ids], `${name}: ${JSON.stringify(wanted)}`);
      assert.equal(await search.count(accountId, wanted, {}), ids.length, `${name}: ${JSON.stringify(wanted)}`);
      assert.equal((await search.findDocs(accountId, wanted, ids, { bytesMax: 1e6 })).docs.length, ids.length);
    }
  }
}

const countPending = async (sql: Ask) =>
  Number((await sql('select count(*) as count from unindexed_listings'))[0]?.count);

/** Runs `check` while changed listings wait, and again once they are indexed. */
async function beforeAndAfter(sql: Ask, check: () => Promise<void>): Promise<void> {
  assert.ok((await countPending(sql)) > 0, 'changed listings wait');
  await check();
  await until('all listings are indexed', async () => (await countPending(sql)) === 0);
  await check();
}

const change = (database: Database, accountId: string, id: string, input: ListingInput) =>
  updateListing(database, { accountId }, { id }, () => input);

test('a listing is found by its new words and values, and not by its old ones, before and after it is indexed', async (t) => {
  const { database, url, sql, accountId } = await databaseFor(t);
  const other = await openDatabase(url);
  defer(t, () => other.close());
  const { id } = await create(database, accountId, ELM);
  const assertEach = async (elm: string[], oak: string[]) => {
    // The other process has not written, and indexes nothing.
    for (const each of [database, other]) {
      await assertFound(each, accountId, 'elm', elm);
      await assertFound(each, accountId, 'oak', oak);
    }
  };
  await beforeAndAfter(sql, () => assertEach([id], []));
  await change(database, accountId, id, OAK);
  await beforeAndAfter(sql, () => assertEach([], [id]));
  // The listing changes twice while it waits to be indexed.
  await change(database, accountId, id, ELM);
  await change(other, accountId, id, OAK);
  await change(database, accountId, id, ELM);
  await beforeAndAfter(sql, () => assertEach([id], []));
  const { id: next } = await create(other, accountId, ELM);
  await beforeAndAfter(sql, () => assertEach([next, id], []));
  await deleteListing(database, { accountId }, { id: next });
  await beforeAndAfter(sql, () => assertEach([id], []));
  await deleteListing(database, { accountId }, { id });
  await beforeAndAfter(sql, () => assertEach([], []));
});

test('a deleted listing’s number is not used again, since the index may have its terms', async (t) => {
  const { database, sql, accountId: ada } = await databaseFor(t);
  const { id: bob } = await createAccount(database, 'Bob');
  const numberOf = async (id: string) =>
    Number((await sql('select number from listing_facets where id = ?', id))[0]?.number);
  const { id: indexed } = await create(database, ada, ELM);
  await until('it is indexed', async () => (await countPending(sql)) === 0);
  const { id: waiting } = await create(database, ada, ELM);
  const newest = await numberOf(waiting);
  for (const id of [waiting, indexed]) await deleteListing(database, { accountId: ada }, { id });
  const { id: next } = await create(database, bob, OAK);
  assert.ok((await numberOf(next)) > newest);
  await beforeAndAfter(sql, async () => {
    await assertFound(database, ada, 'elm', []);
    await assertFound(database, bob, 'elm', []);
    await assertFound(database, bob, 'oak', [next]);
  });
});

test('many changed listings are all found, and all indexed without further writes', async (t) => {
  const { database, sql, accountId } = await databaseFor(t);
  const created = await Promise.all(Array.from({ length: 1_500 }, () => create(database, accountId, OAK)));
  const ids = created.map(({ id }) => id).reverse();
  const words = { conditions: [], box: undefined, circle: undefined, words: ['oak'], order: NEWEST_FIRST };
  const find = async () => {
    const { packs } = await database.search.findPositions(accountId, words, { after: undefined, limit: 2_000 }, {});
    return packs.flatMap((open) => open()).map(({ id }) => id);
  };
  assert.deepEqual(await find(), ids);
  await until('all listings are indexed', async () => (await countPending(sql)) === 0);
  assert.deepEqual(await find(), ids);
});

test('the segments that transactions add to the index are merged, even without further writes', async (t) => {
  const { database, sql, path, accountId } = await databaseFor(t);
  await Promise.all(Array.from({ length: 300 }, (_, beds) => create(database, accountId, { ...OAK, beds })));
  await until('all listings are indexed', async () => (await countPending(sql)) === 0);
  const changeAll = 'insert or ignore into unindexed_listings select number, account_id from listing_facets';
  const countParts = async () =>
    Number((await sql('select count(distinct segid) as count from listing_index_idx'))[0]?.count);
  const writer = new DatabaseSync(path);
  defer(t, () => writer.close());
  const indexing = new Indexing(writer);
  for (let parts = 0; parts < 50; parts += 1) {
    writer.exec(`begin immediate; ${changeAll}`);
    indexing.indexSome();
    writer.exec('commit');
  }
  assert.ok((await countParts()) < 20, 'most are merged while others are added');
  // FTS5 itself merges none of them.
  for (let parts = 0; parts < 20; parts += 1) {
    writer.exec(`begin immediate; insert into listing_index (rowid, terms) values (${1e6 + parts}, 'elm'); commit`);
  }
  assert.ok((await countParts()) >= 20);
  await create(database, accountId);
  await until('few parts are left', async () => (await countParts()) < 10);
});

test('listings are indexed after an attempt that failed before it began', async (t) => {
  const { database, sql, path, accountId } = await databaseFor(t);
  const other = new DatabaseSync(path);
  defer(t, () => other.close());
  await create(database, accountId, ELM);
  // Hold the lock for longer than a write waits for it, from when the listing is due to be indexed.
  other.exec('begin immediate');
  await assert.rejects(create(database, accountId, ELM), { code: 'unavailable' });
  await until('the attempt has failed', () => database.measure().waitingWrites === 0);
  other.exec('commit');
  await create(database, accountId, OAK);
  await until('all listings are indexed', async () => (await countPending(sql)) === 0);
});

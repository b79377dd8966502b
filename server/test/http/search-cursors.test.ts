import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readList } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { createListing } from '../../src/domain/listings/listings.ts';
import { type Parameters, toQuery } from '../support/search-model.ts';

const service = await startSharedService();
const tenant = await createTenant('ours');
const other = await createTenant('theirs');

/** Creates an account with four listings that contain `word`. */
async function createTenant(word: string): Promise<Tenant> {
  const created = await service.createTenant();
  for (let index = 0; index < 4; index += 1) {
    const externalId = `${word}-${index}`;
    const sold = { city: 'Austin', listPrice: index + 1, onMarketDate: '2026-11-22' };
    const input = { ...MINIMAL, ...sold, address: `${word} Elm`, externalId, latitude: 1, longitude: 1 };
    await createListing(service.database, created, input);
  }
  return created;
}

const ask = (owner: Tenant, parameters: Parameters) => service.fetch(owner, `/v1/listings${toQuery(parameters)}`);

async function cursorOf(owner: Tenant, parameters: Parameters): Promise<string> {
  const { nextCursor } = await readList(await ask(owner, { ...parameters, limit: '2' }));
  assert.ok(nextCursor !== null);
  return nextCursor;
}

async function assertRejected(owner: Tenant, parameters: Parameters): Promise<void> {
  const error = await readError(await ask(owner, parameters), 400, 'invalid_cursor');
  assert.deepEqual(faultsOf(error), ['query.cursor: invalid_format'], toQuery(parameters));
}

const LISTS: Parameters[] = [
  {},
  { sort: 'listPrice' },
  { sort: '-listPrice' },
  { sort: '-livingArea' },
  { status: 'active' },
  { status: 'active,pending' },
  { 'beds[gte]': '3' },
  { 'beds[gt]': '2' },
  { beds: '3' },
  { beds: '3,4' },
  { city: 'Austin' },
  { 'city[]': ['Austin', 'Waco'] },
  { 'onMarketDate[gt]': '2026-11-01' },
  { q: 'elm' },
  { q: 'el' },
  { bbox: '0,0,2,2' },
  { bbox: '0,0,2,3' },
  { near: '1,1', radius: '5km' },
  { near: '1,1', radius: '6km' },
  { near: '1,1.001', radius: '5km' },
  { near: '1,1', radius: '5km', sort: '-listPrice' },
  { 'createdAt[gte]': '2020-01-01' },
];

test('a cursor is valid only for the same filters, words, area, and sort order', async () => {
  for (const one of LISTS) {
    const cursor = await cursorOf(tenant, one);
    for (const another of LISTS) {
      if (another !== one) await assertRejected(tenant, { ...another, cursor });
      else assert.equal((await readList(await ask(tenant, { ...another, cursor }))).data.length, 2);
    }
  }
});

describe('an equivalent query accepts the same cursor', () => {
  const pairs: [Parameters, Parameters][] = [
    [{ status: 'active,pending' }, { status: 'pending,active' }],
    [{ q: 'Elm OURS' }, { q: 'ours, elm! elm' }],
    [{ beds: '3,4' }, { beds: '4,03' }],
    [{ 'city[]': ['Austin', 'Waco'] }, { 'city[]': ['waco', 'AUSTIN', 'Austin'] }],
    [{ city: 'Austin' }, { 'city[]': ['austin'] }],
    [
      { near: '1,1', radius: '5km' },
      { near: '1,1', radius: '5km', sort: 'distance' },
    ],
    [
      { listPrice: '1', 'beds[gte]': '0' },
      { 'beds[gte]': '0', listPrice: '1.00' },
    ],
    [
      { near: '1,1', radius: '5km' },
      { near: ' 1.0, 1e0', radius: '5000m' },
    ],
    [{ bbox: '-0,0,2,2' }, { bbox: '0.0,0,2,2.00' }],
    [{ 'createdAt[gte]': '2020-01-01' }, { 'createdAt[gte]': '2020-01-01T02:00:00+02:00' }],
    [{}, {}],
  ];
  for (const [one, same] of pairs) {
    test(toQuery(one), async () => {
      const { data, nextCursor } = await readList(await ask(tenant, { ...one, limit: '1' }));
      const cursor = nextCursor ?? '';
      if (cursor === '') return assert.equal(data.length, 1);
      assert.ok((await readList(await ask(tenant, { ...same, cursor }))).data.length > 0);
    });
  }
});

test('a cursor of a sorted list with one changed character is rejected', async () => {
  const parameters = { sort: '-listPrice' };
  const cursor = await cursorOf(tenant, parameters);
  for (let index = 0; index < cursor.length; index += 1) {
    const changed = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
    await assertRejected(tenant, { ...parameters, cursor: changed });
  }
});

describe('searches do not reach other accounts', () => {
  test('their cursors are rejected', async () => {
    for (const parameters of LISTS) {
      await assertRejected(tenant, { ...parameters, cursor: await cursorOf(other, parameters) });
    }
  });

  test("their external ids, words, and places find only the account's own listings", async () => {
    const all = await readList(await ask(other, {}));
    const own = new Set((await readList(await ask(tenant, {}))).data.map(({ id }) => id));
    const [first] = all.data;
    assert.ok(first);
    for (const parameters of [
      { externalId: 'theirs-1' },
      { q: 'theirs' },
      { q: 'theirs', sort: '-listPrice' },
      { q: 'elm', 'createdAt[gte]': first.createdAt, externalId: 'theirs-0' },
    ] satisfies Parameters[]) {
      const { data, total } = await readList(await ask(tenant, { ...parameters, count: 'true' }));
      assert.deepEqual([data, total], [[], 0], toQuery(parameters));
    }
    for (const parameters of LISTS) {
      const { data, total } = await readList(await ask(tenant, { ...parameters, count: 'true' }));
      assert.ok(data.length > 0 && data.every(({ id }) => own.has(id)), toQuery(parameters));
      assert.equal(total, data.length);
    }
  });

  test('an account without listings finds nothing', async () => {
    const empty = await service.createTenant();
    for (const parameters of LISTS) {
      const { data, nextCursor, total } = await readList(await ask(empty, { ...parameters, count: 'true' }));
      assert.deepEqual([data, nextCursor, total], [[], null, 0]);
    }
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Browser, createPerson, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { createListing } from '../../src/domain/listings/listings.ts';
import type { ListingInput } from '../../src/model/listings.ts';

const service = await startSharedService();

interface Cluster {
  count: number;
  latitude: number;
  longitude: number;
  id: string | null;
}

/** An administrator whose account has these listings. */
async function accountWith(listings: Partial<ListingInput>[]) {
  const person = await createPerson(service);
  const ids: string[] = [];
  for (const fields of listings) {
    const { outcome } = await createListing(service.database, person, { ...MINIMAL, ...fields });
    ids.push(outcome.id);
  }
  return { ids, browser: await signIn(service, person) };
}

async function show(browser: Browser, query = ''): Promise<Cluster[]> {
  const { data } = await browser.ask('GET', `/admin/map?${query}`);
  return data.sort((one: Cluster, other: Cluster) => one.longitude - other.longitude);
}

const at = (latitude: number, longitude: number, fields: Partial<ListingInput> = {}) => ({
  latitude,
  longitude,
  ...fields,
});

test('listings are counted per square and shown at their mean place, and higher zoom levels have smaller squares', async () => {
  const { browser, ids } = await accountWith([at(10, 10), at(20, 30), at(10.001, 10.003), at(-10, -10), {}]);
  assert.deepEqual(await show(browser), [
    { count: 1, latitude: -10, longitude: -10, id: ids[3] },
    { count: 3, latitude: (10 + 20 + 10.001) / 3, longitude: (10 + 30 + 10.003) / 3, id: null },
  ]);
  const near = await show(browser, 'zoom=9&bbox=5,5,35,25');
  assert.deepEqual(
    near.map(({ count, id }) => [count, id]),
    [
      [2, null],
      [1, ids[1]],
    ],
  );
  assert.equal((await show(browser, 'zoom=16&bbox=9.99,9.99,10.01,10.01')).length, 2);
});

test('the map has the listings of the box that match the filters', async () => {
  const { browser, ids } = await accountWith([
    at(30, -97, { status: 'active', address: '1 Elm Street' }),
    at(30, -97, { status: 'closed', address: '2 Elm Street' }),
    at(50, 10, { status: 'active', address: '3 Oak Street' }),
  ]);
  const idsOf = async (query: string) => (await show(browser, query)).map(({ id }) => id);
  assert.deepEqual(await idsOf('status=active'), [ids[0], ids[2]]);
  assert.deepEqual(await idsOf('status=active&bbox=-98,29,-96,31'), [ids[0]]);
  assert.deepEqual(await idsOf('q=oak'), [ids[2]]);
  assert.deepEqual(await idsOf('q=elm&listPrice[gte]=5'), []);
  assert.deepEqual(await idsOf('q=2+elm&zoom=20&bbox=-97.0001,29.9999,-96.9999,30.0001'), [ids[1]]);
});

test('a box can cross the antimeridian, and the whole map includes the poles', async () => {
  const { browser, ids } = await accountWith([at(0, 180), at(0, -180), at(90, 0), at(-90, 0)]);
  assert.deepEqual(
    (await show(browser, 'bbox=170,-10,-170,10&zoom=5')).map(({ id }) => id),
    [ids[1], ids[0]],
  );
  assert.equal(
    (await show(browser)).reduce((sum, { count }) => sum + count, 0),
    4,
  );
});

test('a large box has the squares of a lower zoom level, so that a response stays small', async () => {
  const { browser } = await accountWith([at(10, 10), at(10.01, 10.01)]);
  assert.deepEqual(
    (await show(browser, 'zoom=20')).map(({ count }) => count),
    [2],
  );
  for (const bbox of [
    '-180,-90,180,90',
    '-180,0,180,0',
    '0,-90,0,90',
    '-180,90,180,90',
    '180,-90,180,90',
    '170,-1,-170,1',
  ]) {
    const { side } = await browser.ask('GET', `/admin/map?zoom=20&bbox=${bbox}`);
    const [west = 0, south = 0, east = 0, north = 0] = bbox.split(',').map(Number);
    const [width, height] = [(east - west + 360) % 360 || Math.abs(east - west), north - south];
    assert.ok(
      Math.max(1, Math.ceil(width / side)) * Math.max(1, Math.ceil(height / side)) <= 4_000,
      `${bbox}: ${side}`,
    );
  }
});

test('a square is counted as a whole, however little of it is in the box', async () => {
  const { browser } = await accountWith([at(10, 10), at(80, 80), at(-10, 10)]);
  const { data, side } = await browser.ask('GET', '/admin/map?bbox=9,9,11,11');
  assert.deepEqual([data.map(({ count }: Cluster) => count), side], [[2], 90]);
});

test('parameters of other lists and invalid boxes are rejected', async () => {
  const { browser } = await accountWith([]);
  for (const query of ['near=1,2&radius=1km', 'sort=beds', 'limit=1', 'zoom=21', 'zoom=1.5', 'bbox=1,2,3']) {
    const { error } = await browser.ask('GET', `/admin/map?${query}`, undefined, 400);
    assert.match(error.code, /^(invalid_query|unknown_parameter)$/, query);
  }
});

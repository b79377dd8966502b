import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { readList } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { createListing } from '../../src/domain/listings/listings.ts';

const service = await startSharedService();

type Places = Record<string, [latitude: number, longitude: number] | undefined>;

/** An account with a listing at each place, in this order. */
async function createPlaces(places: Places): Promise<Tenant> {
  const tenant = await service.createTenant();
  for (const [address, place] of Object.entries(places)) {
    const at = place === undefined ? {} : { latitude: place[0], longitude: place[1] };
    await createListing(service.database, tenant, { ...MINIMAL, address, ...at });
  }
  return tenant;
}

/** The addresses of the found listings, in order. */
async function find(tenant: Tenant, query: string): Promise<string[]> {
  const { data } = await readList(await service.fetch(tenant, `/v1/listings?${query}`));
  return data.map(({ address }) => address);
}

describe('bbox', () => {
  const places: Places = {
    nowhere: undefined,
    southwest: [-10, 20],
    southeast: [-10, 30],
    northwest: [5.5, 20],
    northeast: [5.5, 30],
    middle: [0, 25],
    'too far west': [0, 19.99999999],
    'too far east': [0, 30.00000001],
    'too far south': [-10.00000001, 25],
    'too far north': [5.50000001, 25],
  };
  const inside = ['middle', 'northeast', 'northwest', 'southeast', 'southwest'];

  test('includes its edges and corners, but no listings outside or without coordinates', async () => {
    const tenant = await createPlaces(places);
    assert.deepEqual(await find(tenant, 'bbox=20,-10,30,5.5'), inside);
    assert.deepEqual(await find(tenant, 'bbox=2e1,-1.0e1,%2030%20,5.50'), inside);
  });

  test('may be a line or a point', async () => {
    const tenant = await createPlaces(places);
    assert.deepEqual(await find(tenant, 'bbox=20,-10,20,5.5'), ['northwest', 'southwest']);
    assert.deepEqual(await find(tenant, 'bbox=25,0,25,0'), ['middle']);
  });

  test('with west > east crosses the antimeridian', async () => {
    const tenant = await createPlaces({
      west: [0, 170],
      'far west': [0, 169.9],
      'at 180': [0, 180],
      'at -180': [0, -180],
      east: [0, -169.5],
      'far east': [0, -169.4],
      greenwich: [0, 0],
    });
    assert.deepEqual(await find(tenant, 'bbox=170,-1,-169.5,1'), ['east', 'at -180', 'at 180', 'west']);
    assert.deepEqual(await find(tenant, 'bbox=180,-1,-180,1'), ['at -180', 'at 180']);
    const allButWest = ['greenwich', 'far east', 'east', 'at -180', 'at 180'];
    assert.deepEqual(await find(tenant, 'bbox=171,-1,169,1'), allButWest);
  });

  test('treats an edge at 180 like one at -180', async () => {
    const tenant = await createPlaces({ a: [0, 180], b: [0, -180], c: [0, -179], d: [0, 179] });
    assert.deepEqual(await find(tenant, 'bbox=-180,-1,-179,1'), ['c', 'b', 'a']);
    assert.deepEqual(await find(tenant, 'bbox=179,-1,180,1'), ['d', 'b', 'a']);
    assert.deepEqual(await find(tenant, 'bbox=-180,-1,180,1'), ['d', 'c', 'b', 'a']);
  });

  test('of the whole world finds every listing with coordinates', async () => {
    const tenant = await createPlaces({ nowhere: undefined, pole: [90, 12], other: [-90, -180] });
    assert.deepEqual(await find(tenant, 'bbox=-180,-90,180,90'), ['other', 'pole']);
  });
});

describe('near', () => {
  test('measures along a great circle, in m, km, and mi', async () => {
    // 0.01° of the equator is 1111.95 m.
    const tenant = await createPlaces({ there: [0, 0.01], here: [0, 0], nowhere: undefined });
    for (const [inside, outside] of [
      ['1112m', '1111.9m'],
      ['1.112km', '1.1119km'],
      ['0.691mi', '0.6909mi'],
    ]) {
      assert.deepEqual(await find(tenant, `near=0,0&radius=${inside}`), ['here', 'there']);
      assert.deepEqual(await find(tenant, `near=0,0&radius=${outside}`), ['here']);
    }
  });

  test('crosses the antimeridian', async () => {
    const tenant = await createPlaces({ west: [10, 179.9], east: [10, -179.9], 'at 180': [10, 180], far: [10, -179] });
    for (const [at, expected] of [
      ['10,179.8', ['west', 'at 180', 'east']],
      ['10,-179.8', ['east', 'at 180', 'west']],
      ['10,-180', ['at 180', 'east', 'west']],
    ] as const) {
      assert.deepEqual(await find(tenant, `near=${at}&radius=50km`), expected);
    }
  });

  test('covers the poles, at any longitude', async () => {
    const tenant = await createPlaces({
      pole: [90, 77],
      a: [89.9, 0],
      b: [89.8, 180],
      c: [89.7, -90],
      d: [89, 45],
      south: [-90, 0],
      'near south': [-89.9, 100],
    });
    assert.deepEqual(await find(tenant, 'near=90,-120&radius=50km'), ['pole', 'a', 'b', 'c']);
    assert.deepEqual(await find(tenant, 'near=89.93,180&radius=30km'), ['pole', 'b', 'a']);
    assert.deepEqual(await find(tenant, 'near=-90,0&radius=50km'), ['south', 'near south']);
    assert.deepEqual(await find(tenant, 'near=-89.95,-80&radius=20km'), ['south', 'near south']);
  });

  test('sorts nearest first, and newest first at the same place', async () => {
    const tenant = await createPlaces({
      'one km': [0, 0.009],
      first: [51.5, -0.1],
      centre: [0, 0],
      second: [51.5, -0.1],
      'on the other side': [0, -179.9],
      third: [51.5, -0.1],
    });
    assert.deepEqual(await find(tenant, 'near=0,0&radius=20015km'), [
      ...['centre', 'one km', 'third', 'second', 'first', 'on the other side'],
    ]);
  });

  test('keeps its results under another sort order', async () => {
    const tenant = await createPlaces({ b: [0, 0.001], c: [0, 0], far: [1, 0], a: [0, 0.002] });
    assert.deepEqual(await find(tenant, 'near=0,0&radius=5km'), ['c', 'b', 'a']);
    assert.deepEqual(await find(tenant, 'near=0,0&radius=5km&sort=-createdAt'), ['a', 'c', 'b']);
    assert.deepEqual(await find(tenant, 'near=0,0&radius=5km&sort=listPrice'), ['a', 'c', 'b']);
  });

  test('combines with bbox', async () => {
    const tenant = await createPlaces({ both: [0, 0.01], circle: [0, -0.01], box: [0, 1] });
    assert.deepEqual(await find(tenant, 'near=0,0&radius=5km&bbox=0,-1,2,1'), ['both']);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill, MINIMAL, post } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import type { Listing } from '../../src/model/listings.ts';
import { CSV, FORMATS, GEOJSON, JSON_TYPE, NDJSON, parseList, readText } from '../support/formats.ts';
import { distanceTo } from '../support/search-model.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
const full = {
  ...MINIMAL,
  city: 'Austin',
  listPrice: 450000.5,
  latitude: 30.2672,
  longitude: -97.7431,
  photos: [{ url: 'https://a.example/1.jpg' }],
  metadata: { id: 'mine', address: 1 },
};
const bare = await readListing(await post(service, tenant, MINIMAL), 201);
const rich = await readListing(await post(service, tenant, full), 201);

describe('fields=… limits the members and keeps their order', () => {
  const cases: [fields: string, members: string[]][] = [
    ['id', ['id']],
    ['id,address', ['id', 'address']],
    ['address,id', ['id', 'address']],
    ['metadata,photos,version', ['photos', 'metadata', 'version']],
    ['updatedAt,listPrice,beds', ['beds', 'listPrice', 'updatedAt']],
    ['latitude', ['latitude']],
  ];
  for (const [fields, members] of cases) {
    test(fields, async () => {
      const expected = [rich, bare].map((listing) => {
        const picked = members.filter((member) => member in listing).map((member) => [member, listing[member]]);
        return JSON.stringify(Object.fromEntries(picked));
      });
      for (const format of FORMATS) {
        const found = parseList(format, await readText(service, tenant, format, `?fields=${fields}`));
        const texts = found.map((listing) => JSON.stringify(listing));
        assert.deepEqual(texts, expected, format);
      }
    });
  }

  test('a CSV has only these columns, and no empty lines', async () => {
    assert.equal(await readText(service, tenant, CSV, '?fields=city'), 'city\r\nAustin\r\n""\r\n');
    const prices = await readText(service, tenant, CSV, '?fields=listPrice,beds');
    assert.equal(prices, 'beds,listPrice\r\n3,450000.5\r\n3,\r\n');
  });

  test('a Feature keeps its id and geometry', async () => {
    const { features } = JSON.parse(await readText(service, tenant, GEOJSON, '?fields=city'));
    const geometry = { type: 'Point', coordinates: [-97.7431, 30.2672] };
    assert.deepEqual(features, [
      { type: 'Feature', id: rich.id, geometry, properties: { city: 'Austin' } },
      { type: 'Feature', id: bare.id, geometry: null, properties: {} },
    ]);
  });

  test('even in a list that is read in several runs', async () => {
    const owner = await service.createTenant();
    const ids = await fill(service, owner, 600);
    for (const format of FORMATS) {
      const found = parseList(format, await readText(service, owner, format, '?fields=id'));
      const expected = ids.toReversed().map((id) => ({ id }));
      assert.deepEqual(found, expected, format);
    }
  });

  test('commas may be percent-encoded', async () => {
    const text = await readText(service, tenant, JSON_TYPE, '?fields=id%2Cbeds');
    assert.deepEqual(parseList(JSON_TYPE, text)[0], { id: rich.id, beds: 3 });
  });
});

describe('fields=distance has the distance from near in meters with one decimal', () => {
  const near = 'near=30.27,-97.74&radius=2000mi';

  test('in JSON and NDJSON, as the last member', async () => {
    for (const format of [JSON_TYPE, NDJSON]) {
      const found = parseList(format, await readText(service, tenant, format, `?${near}&fields=distance,id`));
      assert.deepEqual(found.map(Object.entries), [
        [
          ['id', rich.id],
          ['distance', 430.8],
        ],
      ]);
    }
  });

  test('at every distance, nearest and farthest first', async () => {
    const owner = await service.createTenant();
    const places = [
      [0, 0],
      [0, 0.000001],
      [0, 0.01],
      [0, 180],
      [0, -179.9],
      [90, 0],
      [-45.5, 120],
    ] as const;
    for (const [latitude, longitude] of places) {
      await readListing(await post(service, owner, { ...MINIMAL, latitude, longitude }), 201);
    }
    const read = async (sort: string): Promise<Listing[]> =>
      JSON.parse(
        await readText(
          service,
          owner,
          JSON_TYPE,
          `?near=0,0&radius=20015114m${sort}&fields=latitude,longitude,distance`,
        ),
      ).data;
    const found = await read('');
    assert.equal(found.length, places.length);
    for (const { distance, ...listing } of found.map((each) => ({ distance: Number.NaN, ...each }))) {
      assert.ok(Math.abs(distance - distanceTo(listing, '0,0')) <= 0.051, `${distance} of ${JSON.stringify(listing)}`);
    }
    assert.deepEqual(await read('&sort=distance'), found);
    assert.deepEqual(await read('&sort=-distance'), found.toReversed());
  });

  test('but not without near, and not in CSV or GeoJSON', async () => {
    const needed = await readError(
      await service.fetch(tenant, '/v1/listings?fields=id,distance'),
      400,
      'invalid_query',
    );
    assert.equal(needed.message, 'query.near: Is required for distance in fields.');
    for (const format of [CSV, GEOJSON]) {
      const response = await service.fetch(tenant, `/v1/listings?${near}&fields=distance`, {
        headers: { Accept: format },
      });
      const error = await readError(response, 400, 'invalid_query');
      assert.deepEqual(faultsOf(error), ['query.fields: invalid_choice']);
      assert.match(error.message, /distance for .*; request application\/json or application\/x-ndjson\.$/);
    }
  });
});

describe('invalid fields are rejected', () => {
  const cases: [query: string, ...faults: string[]][] = [
    ['fields=', 'query.fields: blank'],
    ['fields=adress', 'query.fields: invalid_choice'],
    ['fields=id,', 'query.fields: invalid_choice'],
    ['fields=id,%20address', 'query.fields: invalid_choice'],
    ['fields=ID', 'query.fields: invalid_choice'],
    ['fields=*', 'query.fields: invalid_choice'],
    ['fields=__proto__', 'query.fields: invalid_choice'],
    ['fields=metadata.a', 'query.fields: invalid_choice'],
    ['fields=id,id', 'query.fields: duplicate'],
    ['fields=id&fields=address', 'query.fields: duplicate'],
    ['fields=id,adress,id,cty', 'query.fields: duplicate', ...Array(2).fill('query.fields: invalid_choice')],
  ];
  for (const [query, ...faults] of cases) {
    test(query, async () => {
      const error = await readError(await service.fetch(tenant, `/v1/listings?${query}`), 400, 'invalid_query');
      assert.deepEqual(faultsOf(error), faults);
    });
  }

  test('the error for an unknown field suggests the nearest name or lists all names', async () => {
    for (const [given, said] of [
      ['adress', '"address"'],
      ['ID', '"id"'],
      ['xyzzy', 'id, externalId, feed, address,'],
    ]) {
      const response = await service.fetch(tenant, `/v1/listings?fields=${given}`);
      const { message } = await readError(response, 400, 'invalid_query');
      assert.ok(message.includes(said ?? ''), message);
    }
  });

  test('many invalid fields get a short response', async () => {
    const response = await service.fetch(tenant, `/v1/listings?fields=${'x,'.repeat(7_000)}`);
    const error = await readError(response, 400, 'invalid_query');
    assert.ok((error.details?.length ?? 0) <= 40);
  });
});

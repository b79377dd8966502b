import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';

const service = await startSharedService();
const tenant = await service.createTenant();

const create = async (fields: object = {}) => readListing(await post(service, tenant, { ...MINIMAL, ...fields }), 201);
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  send(service, tenant, 'PATCH', `/listings/${id}`, body, headers);
const sequence = async () => (await readList(await service.fetch(tenant, '/v1/listings?limit=1'))).sequence;

const SOLD = { listPrice: 5, closePrice: 4, currency: 'EUR' };
const USD = { listPrice: undefined, closePrice: 4, currency: 'USD' };
const DATED = { onMarketDate: '2026-02-28', closeDate: '2026-11-22' };
const REDATED = { onMarketDate: '2026-03-01', closeDate: undefined };
const PRICED = { listPrice: 5, currency: 'EUR', livingArea: 7, livingAreaUnits: 'sqm' };
const PLACED = { latitude: 30, longitude: -97 };

const AB = { metadata: { a: 1, b: 2 } };
const ÉB = { metadata: { é: 1, b: 2 } };
const gone = (...names: string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
const fifty = (prefix: string, value: unknown) =>
  Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${prefix}${index}`, value]));

/** Fields before, the patch, and expected fields after; undefined for a removed one. */
const PATCHES: [name: string, before: object, body: object, after: Record<string, unknown>][] = [
  ['a field is replaced', { city: 'Austin' }, { city: 'Dallas' }, { city: 'Dallas' }],
  ['a required field is replaced', {}, { beds: 0, address: ' 1 Oak ' }, { beds: 0, address: '1 Oak' }],
  ['null removes a field', { city: 'Austin' }, { city: null }, { city: undefined }],
  ['null for a missing field changes nothing else', {}, { city: null, beds: 4 }, { city: undefined, beds: 4 }],
  ['null restores the default status', { status: 'hold' }, { status: null }, { status: 'active' }],
  ['null restores the default currency', PRICED, { currency: null }, { listPrice: 5, currency: 'USD' }],
  ['null restores the default units', PRICED, { livingAreaUnits: null }, { livingAreaUnits: 'sqft' }],
  ['a price keeps its currency', PRICED, { listPrice: 6 }, { listPrice: 6, currency: 'EUR' }],
  ['a first price gets the default currency', {}, { listPrice: 6 }, { listPrice: 6, currency: 'USD' }],
  ['removing a price removes its currency', PRICED, { listPrice: null }, gone('listPrice', 'currency')],
  ['a close price keeps the currency', PRICED, { closePrice: 6 }, { listPrice: 5, closePrice: 6, currency: 'EUR' }],
  ['a close price alone keeps the currency', SOLD, { listPrice: null }, { listPrice: undefined, currency: 'EUR' }],
  ['a list price alone keeps the currency', SOLD, { closePrice: null }, { closePrice: undefined, currency: 'EUR' }],
  ['one price for another', PRICED, { listPrice: null, closePrice: 4 }, { listPrice: undefined, currency: 'EUR' }],
  [
    'removing both prices removes the currency',
    SOLD,
    { listPrice: null, closePrice: null },
    gone('listPrice', 'closePrice', 'currency'),
  ],
  ['null restores the default currency of a close price', { ...SOLD }, { listPrice: null, currency: null }, USD],
  ['a date is changed and removed', DATED, { onMarketDate: '2026-03-01', closeDate: null }, REDATED],
  ['removing an area removes its units', PRICED, { livingArea: null }, gone('livingArea', 'livingAreaUnits')],
  ['coordinates are removed together', PLACED, { latitude: null, longitude: null }, gone('latitude', 'longitude')],
  ['metadata is merged', { metadata: { a: 1, b: 2 } }, { metadata: { b: null, c: 3 } }, { metadata: { a: 1, c: 3 } }],
  ['a padded name means the same member', AB, { metadata: { ' a ': null, 'b ': 3 } }, { metadata: { b: 3 } }],
  ['a decomposed name means the same member', ÉB, { metadata: { 'e\u0301': null } }, { metadata: { b: 2 } }],
  [
    'fifty members of metadata are replaced by fifty others',
    { metadata: fifty('a', 1) },
    { metadata: { ...fifty('a', null), ...fifty('b', 2) } },
    { metadata: fifty('b', 2) },
  ],
  ['metadata is removed as a whole', { metadata: { a: 1 } }, { metadata: null }, { metadata: undefined }],
  ['metadata may become empty', { metadata: { a: 1 } }, { metadata: { a: null } }, { metadata: {} }],
  ['photos are replaced as a whole', { photos: [{ url: 'https://a.example/1' }] }, { photos: [] }, { photos: [] }],
  ['an external id can be given', {}, { externalId: 'patched' }, { externalId: 'patched' }],
];

describe('PATCH is a merge patch (RFC 7396)', () => {
  for (const [name, before, body, expected] of PATCHES) {
    test(name, async () => {
      const listing = await create(before);
      const response = await patch(listing.id, body, { 'Content-Type': 'application/merge-patch+json' });
      const changed: Record<string, unknown> = await readListing(response);
      assert.equal(response.headers.get('etag'), '"2"');
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(changed[field], value, field);
      const { updatedAt: _updatedAt, version: _version, ...rest } = { ...listing, ...expected };
      for (const [field, value] of Object.entries(rest)) assert.deepEqual(changed[field], value, field);
      assert.equal(changed.version, 2);
      assert.ok(String(changed.updatedAt) >= listing.updatedAt);
      assert.deepEqual(await readListing(await service.fetch(tenant, `/v1/listings/${listing.id}`)), changed);
    });
  }

  test('the members keep their order', async () => {
    const { id } = await create();
    const patched = await patch(id, { metadata: { a: 1 }, city: 'Austin', externalId: 'ordered' });
    const order = ['id', 'externalId', 'address', 'city', 'beds', 'baths', 'status', 'metadata', 'version'];
    assert.deepEqual(Object.keys(JSON.parse(await patched.text())), [...order, 'createdAt', 'updatedAt']);
  });
});

describe('a patch that changes nothing keeps version, time, and sequence', () => {
  const full = { city: 'Café', ...PRICED, metadata: { a: 1, b: 'x' }, ...PLACED, longitude: 0 };
  for (const [name, body] of [
    ['an empty patch', {}],
    ['the same values', full],
    ['the same string in another form', { city: ' Cafe\u0301 ' }],
    ['the same number in another form', '{"livingArea":7.00,"longitude":-0,"beds":3.0}'],
    ['members of metadata in another order', { metadata: { b: 'x', a: 1 } }],
    ['null for a missing field', { description: null, metadata: { c: null } }],
    ['null for the default', { status: null }],
  ] as const) {
    test(name, async () => {
      const listing = await create(full);
      const before = await sequence();
      assert.deepEqual(await readListing(await patch(listing.id, body)), listing);
      assert.equal(await sequence(), before);
    });
  }
});

describe('a patch that would make a listing invalid is rejected and changes nothing', () => {
  const rows: [name: string, before: object, body: unknown, faults: string[]][] = [
    ['an array', {}, [], ['body: invalid_type']],
    ['null', {}, 'null', ['body: invalid_type']],
    ['null for a required field', {}, { beds: null, address: null }, ['address: invalid_type', 'beds: invalid_type']],
    ['an unknown field', {}, { price: 1 }, ['price: unknown_field']],
    ['null for an unknown field', {}, { price: null }, ['price: unknown_field']],
    ['__proto__', {}, '{"__proto__":{"beds":1}}', ['__proto__: unknown_field']],
    ['read-only fields', {}, { version: 7, id: null }, ['id: read_only', 'version: read_only']],
    ['a currency without a price', {}, { currency: 'EUR' }, ['listPrice: inconsistent']],
    [
      'a currency for two removed prices',
      SOLD,
      { listPrice: null, closePrice: null, currency: 'EUR' },
      ['listPrice: inconsistent'],
    ],
    ['a currency for a removed price', PRICED, { listPrice: null, currency: 'EUR' }, ['listPrice: inconsistent']],
    ['one coordinate', PLACED, { latitude: null }, ['latitude: inconsistent']],
    ['several issues', {}, { beds: 2.5, latitude: 1 }, ['beds: not_an_integer', 'longitude: inconsistent']],
    ['an object in metadata', {}, { metadata: { a: { b: null } } }, ['metadata.a: invalid_type']],
    ['two spellings of one member', {}, { metadata: { a: 1, ' a': 2 } }, ['metadata. a: duplicate']],
    ['two removals of one member', AB, { metadata: { ' a': null, 'a ': null } }, ['metadata.a : duplicate']],
    [
      'a removal and a value of one member',
      ÉB,
      { metadata: { é: null, 'e\u0301': 5 } },
      ['metadata.e\u0301: duplicate'],
    ],
    [
      'two spellings of a member, and other issues',
      AB,
      { beds: 'x', metadata: { ' a': null, c: {}, ' c': 1 } },
      ['beds: invalid_type', 'metadata. c: duplicate', 'metadata.c: invalid_type'],
    ],
    [
      'null for invalid metadata names',
      { metadata: { a: 1 } },
      { metadata: { '': null, ['n'.repeat(41)]: null } },
      ['metadata.: blank', `metadata.${'n'.repeat(41)}: too_long`],
    ],
    ['a 51st member of metadata', { metadata: fifty('a', 1) }, { metadata: { another: 1 } }, ['metadata: too_long']],
    ['a number that a double cannot hold', {}, '{"listPrice":9007199254740993}', ['listPrice: out_of_range']],
    [
      'such numbers where numbers are not allowed',
      {},
      '{"externalId":9007199254740993,"mlsNumber":1e400,"version":1e-400,"beds":1e400}',
      ['beds: out_of_range', 'externalId: invalid_type', 'mlsNumber: unknown_field', 'version: read_only'],
    ],
    ['such a number as the body', {}, '9007199254740993', ['body: invalid_type']],
  ];
  for (const [name, before, body, faults] of rows) {
    test(name, async () => {
      const listing = await create(before);
      const sequenceBefore = await sequence();
      const error = await readError(await patch(listing.id, body), 422, 'validation_failed');
      assert.deepEqual(faultsOf(error), faults);
      assert.deepEqual(await readListing(await service.fetch(tenant, `/v1/listings/${listing.id}`)), listing);
      assert.equal(await sequence(), sequenceBefore);
    });
  }
});

test('another media type gets 415 with the accepted types in Accept-Patch', async () => {
  const { id } = await create();
  const response = await patch(id, {}, { 'Content-Type': 'application/json-patch+json' });
  assert.equal(response.headers.get('accept-patch'), 'application/merge-patch+json, application/json');
  await readError(response, 415, 'unsupported_media_type');
});

test("another listing's external id gets 409, and the error names that listing", async () => {
  const taken = await create({ externalId: 'taken' });
  const { id } = await create();
  const error = await readError(await patch(id, { externalId: 'taken' }), 409, 'external_id_taken');
  assert.equal(error.listingId, taken.id);
  assert.equal(
    (await readListing(await patch(taken.id, { externalId: 'taken', beds: 9 }))).beds,
    9,
    'its own is allowed',
  );
});

test('an external id that was removed can be used again', async () => {
  const first = await create({ externalId: 'freed' });
  await readListing(await patch(first.id, { externalId: null }));
  assert.equal((await create({ externalId: 'freed' })).externalId, 'freed');
});

test('a deleted listing gets 404, is not in the list, and its external id can be used again', async () => {
  const { id } = await create({ externalId: 'deleted' });
  const before = await sequence();
  const response = await send(service, tenant, 'DELETE', `/listings/${id}`);
  assert.equal(response.status, 204);
  assert.equal(await response.text(), '');
  assert.equal(await sequence(), before + 1);
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? {} : undefined;
    await readError(await send(service, tenant, method, `/listings/${id}`, body), 404, 'not_found');
  }
  const { data } = await readList(await service.fetch(tenant, '/v1/listings'));
  assert.ok(!data.some((listing) => listing.id === id));
  assert.equal((await create({ externalId: 'deleted' })).version, 1);
  assert.equal(await sequence(), before + 2, 'rejected requests change nothing');
});

describe("a request for another account's listing gets 404 and changes nothing", async () => {
  const other = await service.createTenant();
  const theirs = await readListing(await post(service, other, { ...MINIMAL, externalId: 'theirs' }), 201);
  const rows: [method: string, path: string, body?: unknown][] = [
    ['GET', `/listings/${theirs.id}`],
    ['PATCH', `/listings/${theirs.id}`, { beds: 9 }],
    ['PATCH', `/listings/${theirs.id}`, { beds: 'x' }],
    ['DELETE', `/listings/${theirs.id}`],
    ['GET', '/listings/external/theirs'],
    ['DELETE', '/listings/external/theirs'],
  ];
  for (const [method, path, body] of rows) {
    test(`${method} ${path.replace(theirs.id, '{id}')} ${JSON.stringify(body) ?? ''}`, async () => {
      const unknown = path.replace(theirs.id, 'lst_00000000000000000000000000').replace('theirs', 'nobody');
      const headers = { 'X-Request-Id': 'same' };
      const replies = await Promise.all(
        [path, unknown].map(async (target) => (await send(service, tenant, method, target, body, headers)).text()),
      );
      assert.equal(replies[0], replies[1]);
      assert.match(replies[0] ?? '', /"not_found"/);
      const { data } = await readList(await service.fetch(other, '/v1/listings'));
      assert.deepEqual(data, [theirs]);
    });
  }

  test("PUT with that listing's external id creates a listing in the caller's own account", async () => {
    const own = await readListing(await send(service, tenant, 'PUT', '/listings/external/theirs', MINIMAL), 201);
    assert.notEqual(own.id, theirs.id);
    assert.deepEqual((await readList(await service.fetch(other, '/v1/listings'))).data, [theirs]);
  });
});

describe('a read-only key gets 403 for every change, and nothing changes', async () => {
  const { accountId } = tenant;
  const reader = await service.createTenant('Readers', 'read');
  for (const [method, path, body] of [
    ['POST', '/listings', MINIMAL],
    ['PATCH', '/listings/lst_0', {}],
    ['DELETE', '/listings/lst_0'],
    ['PUT', '/listings/external/a', MINIMAL],
    ['DELETE', '/listings/external/a'],
  ] as const) {
    test(`${method} ${path}`, async () => {
      assert.notEqual(reader.accountId, accountId);
      await readError(await send(service, reader, method, path, body), 403, 'insufficient_scope');
      assert.equal((await readList(await service.fetch(reader, '/v1/listings'))).sequence, 0);
    });
  }
});

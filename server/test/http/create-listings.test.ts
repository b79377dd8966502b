import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { FULL_LISTING } from '../support/full-listing.ts';

const service = await startSharedService();
const tenant = await service.createTenant();

test("three fields are enough, and the response adds only the server's fields", async () => {
  const before = Date.now();
  const response = await post(service, tenant, MINIMAL);
  const listing = await readListing(response, 201);
  assert.deepEqual(Object.keys(listing).sort(), [
    ...['address', 'baths', 'beds', 'createdAt', 'id', 'status', 'updatedAt', 'version'],
  ]);
  assert.deepEqual(listing, { ...listing, ...MINIMAL, status: 'active', version: 1, updatedAt: listing.createdAt });
  assert.ok(Date.parse(listing.createdAt) >= before && Date.parse(listing.createdAt) <= Date.now());
  assert.equal(response.headers.get('location'), `/v1/listings/${listing.id}`);
  assert.equal(response.headers.get('etag'), '"1"');
});

test('a listing with every field is returned as sent', async () => {
  const created = await post(service, tenant, FULL_LISTING);
  const { id, version, createdAt, updatedAt, ...kept } = await readListing(created, 201);
  assert.deepEqual(kept, FULL_LISTING);
  assert.deepEqual([version, updatedAt], [1, createdAt]);
});

test('the listing has the same bytes in the response, at its Location, and in the list', async () => {
  const owner = await service.createTenant();
  const created = await post(service, owner, FULL_LISTING);
  const bytes = await created.text();
  const retrieved = await service.fetch(owner, created.headers.get('location') ?? '');
  assert.equal(await retrieved.text(), bytes);
  assert.equal(retrieved.headers.get('etag'), created.headers.get('etag'));
  const list = await (await service.fetch(owner, '/v1/listings')).text();
  assert.ok(list.startsWith(`{"data":[${bytes}],`), list);
});

test('ids increase, even for listings created concurrently', async () => {
  const owner = await service.createTenant();
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1)
    ids.push((await readListing(await post(service, owner, MINIMAL), 201)).id);
  assert.deepEqual(ids, ids.toSorted());
  const replies = await Promise.all(Array.from({ length: 50 }, () => post(service, owner, MINIMAL)));
  const others = await Promise.all(replies.map(async (reply) => (await readListing(reply, 201)).id));
  assert.equal(new Set([...ids, ...others]).size, 70);
  const { data, sequence } = await readList(await service.fetch(owner, '/v1/listings'));
  assert.deepEqual([data.length, sequence], [70, 70]);
});

const SQFT = 'sqft';
const DIGITS_17 = 0.30000000000000004;
const OF_OBJECTS = { constructor: 1, toString: 'x' };
const IN_FIVE_YEARS = new Date().getUTCFullYear() + 5;
const PHOTO = { url: 'https://a.example/1' };
const LONG_URL = `https://a.example/${'x'.repeat(1982)}`;

/** Extra JSON members → the stored fields; undefined for a field that must be absent. */
const accepted: [name: string, members: string, expected: Record<string, unknown>][] = [
  ['3.0 is 3', '"beds":3.0', { beds: 3 }],
  ['30e-1 is 3', '"baths":30e-1', { baths: 3 }],
  ['a studio has 0 beds', '"beds":0', { beds: 0 }],
  ['-0 is 0', '"beds":-0', { beds: 0 }],
  ['999 is the most', '"beds":999,"baths":999', { beds: 999, baths: 999 }],
  ['one character', '"address":"x"', { address: 'x' }],
  ['255 emoji', `"address":"${'😀'.repeat(255)}"`, { address: '😀'.repeat(255) }],
  ['escaped emoji', '"address":"\\ud83d\\ude00"', { address: '😀' }],
  ['255 characters once trimmed', `"address":" ${'x'.repeat(255)}\\n"`, { address: 'x'.repeat(255) }],
  ['255 characters once composed', `"address":"${'e\u0301'.repeat(255)}"`, { address: '\u00e9'.repeat(255) }],
  ['surrounding white space is removed', '"address":"\\u00a0 \\t12  Elm\\r\\n"', { address: '12  Elm' }],
  ['a string becomes NFC', '"city":"Zu\\u0308rich"', { city: 'Z\u00fcrich' }],
  ['quotes, slashes and markup are unchanged', '"city":"\\"\\\\/<b>\\u2028\'"', { city: '"\\/<b>\u2028\'' }],
  ['line feeds and tabs in a description', '"description":" a\\n\\tb "', { description: 'a\n\tb' }],
  ['4,000 characters of description', `"description":"${'é'.repeat(4000)}"`, { description: 'é'.repeat(4000) }],
  ['a price of 0.1', '"listPrice":0.1', { listPrice: 0.1, currency: 'USD' }],
  ['the highest price', '"listPrice":999999999999.99', { listPrice: 999999999999.99, currency: 'USD' }],
  ['the highest price with a trailing zero', '"listPrice":999999999999.990', { listPrice: 999999999999.99 }],
  ['a price with an exponent', '"listPrice":4.5E+5', { listPrice: 450000 }],
  ['a price in its currency', '"listPrice":1,"currency":"JPY"', { currency: 'JPY' }],
  ['a close price has the default currency', '"closePrice":0.01', { closePrice: 0.01, currency: 'USD' }],
  ['a close price in its currency', '"closePrice":1,"currency":"JPY"', { listPrice: undefined, currency: 'JPY' }],
  ['two prices in one currency', '"closePrice":1,"listPrice":2,"currency":"JPY"', { closePrice: 1, listPrice: 2 }],
  ['a leap day', '"onMarketDate":"2024-02-29"', { onMarketDate: '2024-02-29' }],
  ['a close date in the future', '"closeDate":"2999-12-31"', { closeDate: '2999-12-31' }],
  ['default area units', '"livingArea":1,"lotSizeArea":2', { livingAreaUnits: SQFT, lotSizeUnits: SQFT }],
  ['four decimals of a lot', '"lotSizeArea":0.0001', { lotSizeArea: 0.0001 }],
  ['the year 1000', '"yearBuilt":1000', { yearBuilt: 1000 }],
  ['a year five years from now', `"yearBuilt":${IN_FIVE_YEARS}`, { yearBuilt: IN_FIVE_YEARS }],
  ['the poles', '"latitude":-90,"longitude":180.0', { latitude: -90, longitude: 180 }],
  ['eight decimals', '"latitude":1e-8,"longitude":0', { latitude: 1e-8, longitude: 0 }],
  ['three dots are an external id', '"externalId":"..."', { externalId: '...' }],
  ['a slash in an external id', '"externalId":"a/b?c#d%2f"', { externalId: 'a/b?c#d%2f' }],
  ['no photos', '"photos":[]', { photos: [] }],
  ['100 photos', `"photos":[${Array(100).fill(JSON.stringify(PHOTO))}]`, { photos: Array(100).fill(PHOTO) }],
  ['a URL of 2,000 characters', `"photos":[{"url":"${LONG_URL}"}]`, { photos: [{ url: LONG_URL }] }],
  ['a URL is stored as written', '"photos":[{"url":" HTTPS://A.test/ü "}]', { photos: [{ url: 'HTTPS://A.test/ü' }] }],
  ['empty metadata', '"metadata":{}', { metadata: {} }],
  ['members of Object.prototype in metadata', `"metadata":${JSON.stringify(OF_OBJECTS)}`, { metadata: OF_OBJECTS }],
  ['metadata values may be blank or padded', '"metadata":{" a ":" x ","b":""}', { metadata: { a: ' x ', b: '' } }],
  ['500 emoji of metadata', `"metadata":{"a":"${'😀'.repeat(500)}"}`, { metadata: { a: '😀'.repeat(500) } }],
  ['a number of 17 digits that a double holds', `"metadata":{"a":${DIGITS_17}}`, { metadata: { a: DIGITS_17 } }],
  [
    'null for an optional field',
    '"city":null,"status":null,"listPrice":null,"currency":null,"latitude":null,"photos":null,"metadata":null',
    { city: undefined, status: 'active', listPrice: undefined, currency: undefined, photos: undefined },
  ],
  [
    'null for a caption',
    '"photos":[{"caption":null,"url":"https://a.example/1"},{"url":"https://a.example/2","caption":"Back"}]',
    { photos: [{ url: 'https://a.example/1' }, { url: 'https://a.example/2', caption: 'Back' }] },
  ],
];

describe('accepted values are returned with the same meaning', () => {
  for (const [name, members, expected] of accepted) {
    test(name, async () => {
      const missing = Object.entries(MINIMAL).filter(([field]) => !members.includes(`"${field}":`));
      const others = missing.map(([field, value]) => `"${field}":${JSON.stringify(value)},`).join('');
      const created = await readListing(await post(service, tenant, `{${others}${members}}`), 201);
      const listing = await readListing(await service.fetch(tenant, `/v1/listings/${created.id}`));
      assert.deepEqual(listing, created);
      for (const [field, value] of Object.entries(expected)) {
        assert.deepEqual([listing[field], field in listing], [value, value !== undefined], field);
      }
    });
  }
});

const types = [
  ...['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'],
  ' application/json ; profile=x',
];

describe('every way to declare JSON in UTF-8 is accepted', () => {
  for (const type of types) {
    test(`Content-Type: ${type}`, async () => {
      await readListing(await post(service, tenant, MINIMAL, { 'Content-Type': type }), 201);
    });
  }
  test('Content-Encoding: identity', async () => {
    await readListing(await post(service, tenant, MINIMAL, { 'Content-Encoding': 'identity' }), 201);
  });
  test('with a byte order mark', async () => {
    await readListing(await post(service, tenant, `\uFEFF${JSON.stringify(MINIMAL)}`), 201);
  });
  test('with white space around it and between its tokens', async () => {
    await readListing(await post(service, tenant, `\r\n\t ${JSON.stringify(MINIMAL, null, '\t')}\n\n`), 201);
  });
});

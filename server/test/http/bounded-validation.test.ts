import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sendFile } from '../../../testkit/src/imports.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { findDuplicates } from '../../src/http/contract/schemas/metadata.ts';
import { CSV_COLUMNS_MAX } from '../../src/http/imports/csv-header.ts';
import { VALUES_MAX } from '../../src/lib/json.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
const stored = await readListing(await post(service, tenant, { ...MINIMAL, metadata: { kept: 1 } }), 201);

const MEBIBYTE = 1024 * 1024;
const REPLY_LENGTH_MAX = 20_000;

const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join();
const names = (count: number) => many(count, (index) => `"u${index}":0`);

function send(method: string, path: string, body: string) {
  return service.fetch(tenant, path, { method, headers: { 'Content-Type': 'application/json' }, body });
}

const CHANGES: [method: string, path: string][] = [
  ['POST', '/v1/listings'],
  ['PATCH', `/v1/listings/${stored.id}`],
  ['PUT', '/v1/listings/external/NEW'],
];

/** Counts compared names: only a name that is compared with the known names is lowercased. */
function countLowered(t: TestContext, pattern: RegExp): () => number {
  const lowered = new Set<string>();
  const { toLowerCase } = String.prototype;
  t.mock.method(String.prototype, 'toLowerCase', function (this: string) {
    if (pattern.test(this)) lowered.add(String(this));
    return toLowerCase.call(this);
  });
  return () => lowered.size;
}

test('of many names that mean one member, at most 100 are reported, and one more is described', async () => {
  const body = `{"metadata":{${many(1_000, (index) => `"u${' '.repeat(index)}":null`)}}}`;
  const error = await readError(await send('PATCH', `/v1/listings/${stored.id}`, body), 422, 'validation_failed');
  assert.equal(error.details?.length, 100);
  assert.match(error.message, /^More than 100/);
  assert.equal(findDuplicates(JSON.parse(body).metadata).size, 101);
});

describe('a body with too many values is rejected for that alone', () => {
  const count = VALUES_MAX;
  const bodies: [name: string, body: string][] = [
    ['unknown members', `{${names(90_000)}}`],
    ['members that are null', `{${many(75_000, (index) => `"u${index}":null`)}}`],
    ['photos that are numbers', `{"photos":[${many(500_000, () => '0')}]}`],
    ['photos that are empty objects', `{"photos":[${many(300_000, () => '{}')}]}`],
    ['numbers that do not fit', `[${many(170_000, () => '1e400')}]`],
    ['nested metadata', `{"metadata":{"a":[${many(10_000, () => `${'['.repeat(28)}${']'.repeat(28)}`)}]}}`],
    ['metadata to be removed', `{"metadata":{${many(75_000, (index) => `"u${index}":null`)}}}`],
    ['one value too many', `{"metadata":{${many(count - 1, (index) => `"u${index}":null`)}}}`],
  ];
  for (const [name, body] of bodies) {
    for (const [method, path] of CHANGES) {
      test(`${method} of ${name}`, async () => {
        assert.ok(body.length <= MEBIBYTE);
        const error = await readError(await send(method, path, body), 422, 'validation_failed');
        assert.deepEqual(faultsOf(error), ['body: too_long']);
        assert.match(error.details?.[0]?.message ?? '', /at most 5000 members and elements/);
      });
    }
  }

  test('a body with too many values still gets syntax errors', async () => {
    const open = `[${'0,'.repeat(count + 10)}`;
    for (const [rest, offset] of [
      ['01]', 1],
      ['"\\x"]', 1],
      ['{"a":1,}]', 7],
      [`${'['.repeat(40)}`, 31],
      ['1', 1],
    ] as const) {
      const error = await readError(await send('POST', '/v1/listings', open + rest), 400, 'invalid_json');
      assert.equal(error.offset, open.length + offset);
    }
  });

  test('the limit covers dashboard bodies, import rows, and CSV cells', async () => {
    const signIn = await service.fetch(tenant, '/admin/auth/sign-in/email', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: service.url },
      body: `{${names(VALUES_MAX)}}`,
    });
    assert.ok(signIn.status >= 400 && signIn.status < 500, String(signIn.status));
    const row = `{"address":"a","beds":1,"baths":1,"photos":[${'0,'.repeat(count)}0]}\n`;
    const rows = await sendFile(service, tenant, { type: 'application/x-ndjson', body: row });
    assert.match(await rows.text(), /"failed":1,.*"field":"body","code":"too_long"/);
    const cell = `address,beds,baths,photos\na,1,1,"[${'0,'.repeat(count)}0]"\n`;
    const cells = await sendFile(service, tenant, { type: 'text/csv', body: cell });
    assert.match(await cells.text(), /"failed":1,.*"field":"photos","code":"too_long"/);
  });
});

test('valid bodies fit: the largest listing, and a patch that removes 4,000 members', async () => {
  const largest = {
    ...MINIMAL,
    description: 'd'.repeat(4000),
    photos: Array.from({ length: 100 }, (_, i) => ({ url: `https://a.test/${i}/${'é'.repeat(1970)}`, caption: 'c' })),
    metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`m${i}`, 'e\u0301'.repeat(500)])),
  };
  const { id, photos, metadata } = await readListing(await post(service, tenant, largest), 201);
  assert.deepEqual(photos, largest.photos);
  assert.deepEqual(Object.values(metadata ?? {}), Array(50).fill('é'.repeat(500)));
  const removal = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`m${i}`, null]));
  const body = JSON.stringify({ metadata: { ...removal, left: 1 } });
  const patched = await readListing(await send('PATCH', `/v1/listings/${id}`, body));
  assert.deepEqual(patched.metadata, { left: 1 });
});

describe('at most 100 issues are computed and named', () => {
  for (const [method, path] of CHANGES) {
    test(`for members of a ${method}`, async (t) => {
      const lowered = countLowered(t, /^u\d+$/);
      const response = await send(method, path, `{${names(4_000)}}`);
      const copy = response.clone();
      const { message, details = [] } = await readError(response, 422, 'validation_failed');
      assert.equal(message, 'More than 100 fields are not valid; see details for the first 100.');
      const unknown = details.filter(({ code }) => code === 'unknown_field');
      assert.deepEqual([details.length, unknown[0]?.field, unknown.length > 90], [100, 'u0', true]);
      assert.ok((await copy.text()).length < REPLY_LENGTH_MAX);
      assert.ok(lowered() <= 101, `${lowered()} names were compared`);
    });
  }

  test('for columns of a CSV header', async (t) => {
    const lowered = countLowered(t, /^u\d+$/);
    const body = `${many(CSV_COLUMNS_MAX, (index) => `u${index}`)}\n`;
    const response = await sendFile(service, tenant, { type: 'text/csv', body });
    const error = await readError(response, 422, 'validation_failed');
    assert.match(error.message, /^More than 100 columns cannot be imported/);
    assert.deepEqual([error.details?.length, error.line], [100, 1]);
    assert.ok(lowered() <= 101, `${lowered()} names were compared`);
  });

  test('for query parameters, with the known names listed once', async (t) => {
    const lowered = countLowered(t, /^u\d+$/);
    const query = Array.from({ length: 2_500 }, (_, index) => `u${index}`).join('&');
    const response = await service.fetch(tenant, `/v1/listings?${query}`);
    const copy = response.clone();
    const { details = [] } = await readError(response, 400, 'unknown_parameter');
    assert.equal(details.length, 100);
    assert.equal(details.filter(({ message }) => message.includes('listPrice[gte]')).length, 1);
    assert.ok((await copy.text()).length < REPLY_LENGTH_MAX);
    assert.ok(lowered() <= 10, `${lowered()} names were compared`);
  });

  test('a query with more than 500 parameters is rejected', async () => {
    const send = (count: number) => service.fetch(tenant, `/v1/listings?${Array(count).fill('limit=1').join('&')}`);
    const { details: tooMany = [] } = await readError(await send(501), 400, 'invalid_query');
    assert.ok(
      tooMany.some(({ field, message }) => field === 'query' && message === 'Must have at most 500 parameters.'),
    );
    const { details = [] } = await readError(await send(500), 400, 'invalid_query');
    assert.deepEqual(
      details.map(({ field }) => field),
      ['query.limit'],
    );
  });
});

describe('a CSV header has at most 500 columns', () => {
  for (const [name, cells] of [
    ['one column too many', [...Array(CSV_COLUMNS_MAX - 2).fill(''), 'address', 'beds', 'baths']],
    ['160,000 commas and 40,000 ids', [...Array(160_000).fill(''), ...Array(40_000).fill('id')]],
    ['121,000 unknown columns', Array.from({ length: 121_000 }, (_, index) => index.toString(36))],
  ] as const) {
    for (const query of ['', '?ignoreUnknown=true']) {
      test(`${name}: rejected unread${query && ', even with ignoreUnknown'}`, async () => {
        const body = gzipSync(`${cells.join()}\n`);
        const headers = { 'Content-Encoding': 'gzip' };
        const response = await sendFile(service, tenant, { type: 'text/csv', body, query, headers });
        const { message, details, line } = await readError(response, 422, 'validation_failed');
        assert.match(message, new RegExp(`has more than ${CSV_COLUMNS_MAX} columns;`));
        assert.deepEqual([details, line], [undefined, 1]);
      });
    }
  }

  test('500 columns are accepted', async () => {
    const header = ['address', 'beds', 'baths', ...Array.from({ length: CSV_COLUMNS_MAX - 3 }, (_, i) => `u${i}`)];
    const body = `${header.join()}\na,1,1${','.repeat(CSV_COLUMNS_MAX - 3)}\n`;
    const response = await sendFile(service, tenant, { type: 'text/csv', body, query: '?ignoreUnknown=true' });
    assert.match(await response.text(), /"created":1,/);
  });

  test('duplicate column names are reported without their padding', async () => {
    const padded = `id${' '.repeat(1_000)}`;
    const body = `${Array(CSV_COLUMNS_MAX).fill(padded).join()}\n`;
    const response = await sendFile(service, tenant, { type: 'text/csv', body });
    const copy = response.clone();
    assert.equal((await readError(response, 422, 'validation_failed')).details?.length, 100);
    assert.ok((await copy.text()).length < REPLY_LENGTH_MAX);
  });
});

test('only the start of an overlong string is normalized', async (t) => {
  const { normalize } = String.prototype;
  let units = 0;
  t.mock.method(String.prototype, 'normalize', function (this: string, form?: string) {
    units += this.length;
    return normalize.call(this, form);
  });
  const long = 'e\u0301'.repeat(300_000);
  for (const [field, value] of Object.entries({
    description: long,
    address: long,
    metadata: { a: long, [long.slice(0, 1_000)]: 1 },
    photos: [{ url: `https://a/${long}`, caption: 'a' }],
  })) {
    const body = JSON.stringify({ ...MINIMAL, [field]: value });
    const error = await readError(await send('POST', '/v1/listings', body), 422, 'validation_failed');
    assert.ok(faultsOf(error).every((fault) => fault.endsWith(': too_long')));
  }
  assert.ok(units < 100_000, `${units} units were normalized`);
});

test('an overlong Accept header gets 406 without being parsed', async () => {
  const response = await service.fetch(tenant, '/v1/listings', { headers: { Accept: 'a/b,'.repeat(1_000) } });
  assert.match((await readError(response, 406, 'not_acceptable')).message, /longer than 1000 characters/);
});

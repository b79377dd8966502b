import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { counts, importFile, JSON_ARRAY, listAll, NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { linesOf, readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';

const service = await startSharedService();

const row = (members: object) => ({ ...MINIMAL, ...members });
const ndjson = (...rows: unknown[]) => rows.map((one) => `${JSON.stringify(one)}\n`).join('');

/** The same rows in each format; the first row is always line 1. */
const KINDS: [type: string, file: (...rows: unknown[]) => string][] = [
  [NDJSON, ndjson],
  [JSON_ARRAY, (...rows) => JSON.stringify(rows)],
];

for (const [type, file] of KINDS) {
  const run = (tenant: Tenant, ...rows: unknown[]) => importFile(service, tenant, { type, body: file(...rows) });

  describe(`rows of ${type}`, () => {
    test('become listings in order, with consecutive events', async () => {
      const tenant = await service.createTenant();
      const addresses = Array.from({ length: 500 }, (_, index) => `${index} Elm`);
      const rows = addresses.map((address) => row({ externalId: address, address }));
      assert.deepEqual(await run(tenant, ...rows), counts(500));
      const { data, sequence } = await listAll(service, tenant);
      assert.deepEqual(linesOf(data, 'address').reverse(), addresses);
      assert.equal(sequence, 500);
      assert.ok(data.every(({ version, createdAt, updatedAt }) => version === 1 && createdAt === updatedAt));
    });

    test('change nothing when they are imported again', async () => {
      const tenant = await service.createTenant();
      const rows = [row({ externalId: 'A-1', listPrice: 1 }), row({ externalId: 'A-2', metadata: { a: 1, b: 2 } })];
      assert.deepEqual(await run(tenant, ...rows), counts(2));
      const before = await listAll(service, tenant);
      assert.deepEqual(await run(tenant, ...rows), counts(0, 0, 2));
      assert.deepEqual(await listAll(service, tenant), before);
    });

    test('without an id or externalId create new listings each time', async () => {
      const tenant = await service.createTenant();
      assert.deepEqual(await run(tenant, MINIMAL, MINIMAL), counts(2));
      assert.deepEqual(await run(tenant, MINIMAL), counts(1));
      assert.equal((await listAll(service, tenant)).data.length, 3);
    });

    test('keep absent fields of a listing, and remove those that are null', async () => {
      const tenant = await service.createTenant();
      const input = row({
        externalId: 'A-1',
        city: 'Austin',
        status: 'closed',
        listPrice: 2,
        metadata: { a: 1, b: 2 },
      });
      const first = await readListing(await post(service, tenant, input), 201);
      const change = { externalId: 'A-1', beds: 4, listPrice: null, metadata: { b: null, c: 3 } };
      assert.deepEqual(await run(tenant, change), counts(0, 1));
      const { data, sequence } = await listAll(service, tenant);
      const { updatedAt: _u, ...kept } = data[0] ?? {};
      const { listPrice: _listPrice, currency: _currency, updatedAt: _updatedAt, ...rest } = first;
      assert.deepEqual([kept, sequence], [{ ...rest, beds: 4, metadata: { a: 1, c: 3 }, version: 2 }, 2]);
      assert.deepEqual(await run(tenant, change), counts(0, 0, 1));
    });

    test('replace all fields of a listing with mode=replace', async () => {
      const tenant = await service.createTenant();
      const input = row({ externalId: 'A-1', city: 'Austin', listPrice: 2 });
      const first = await readListing(await post(service, tenant, input), 201);
      const body = file(row({ externalId: 'A-1', beds: 4 }));
      assert.deepEqual(await importFile(service, tenant, { type, body, query: '?mode=replace' }), counts(0, 1));
      const { data, sequence } = await listAll(service, tenant);
      const { updatedAt, ...kept } = data[0] ?? {};
      const { city: _city, listPrice: _listPrice, currency: _currency, updatedAt: _updatedAt, ...rest } = first;
      assert.deepEqual([kept, sequence], [{ ...rest, beds: 4, version: 2 }, 2]);
    });

    test('with an id change its listing, even the externalId', async () => {
      const tenant = await service.createTenant();
      const { id } = await readListing(await post(service, tenant, row({ externalId: 'A-1' })), 201);
      const rows = [row({ id, externalId: 'A-2' }), row({ externalId: 'A-1', beds: 9 })];
      assert.deepEqual(await run(tenant, ...rows), counts(1, 1));
      const { data } = await listAll(service, tenant);
      assert.deepEqual([linesOf(data, 'externalId', 'beds'), data[1]?.id], [['A-1 9', 'A-2 3'], id]);
    });

    test('with the same externalId change one listing in order', async () => {
      const tenant = await service.createTenant();
      const rows = [1, 2, 2, 3].map((beds) => row({ externalId: 'A-1', beds }));
      assert.deepEqual(await run(tenant, ...rows), { ...counts(1, 2, 1), repeated: 3 });
      const { data, sequence } = await listAll(service, tenant);
      assert.deepEqual([data.length, data[0]?.beds, data[0]?.version, sequence], [1, 3, 3, 3]);
    });

    test("may have the server's fields, which are ignored", async () => {
      const tenant = await service.createTenant();
      const listing = await readListing(await post(service, tenant, MINIMAL), 201);
      const times = { feed: 'mls', version: -1, createdAt: null, updatedAt: 'yesterday' };
      assert.deepEqual(await run(tenant, listing, { ...listing, ...times }, row(times)), counts(1, 0, 2));
      const { data } = await listAll(service, tenant);
      assert.deepEqual(data[1], listing);
      assert.deepEqual([data[0]?.version, data[0]?.feed], [1, undefined]);
    });

    test('may have null for optional fields, even for the id', async () => {
      const tenant = await service.createTenant();
      assert.deepEqual(await run(tenant, row({ id: null, externalId: null, city: null, status: null })), counts(1));
      const { data } = await listAll(service, tenant);
      assert.deepEqual([data[0]?.status, 'city' in (data[0] ?? {})], ['active', false]);
    });

    test('fail alone if they are invalid, each with all its issues', async () => {
      const tenant = await service.createTenant();
      const taken = await readListing(await post(service, tenant, row({ externalId: 'TAKEN' })), 201);
      const other = await readListing(await post(service, tenant, row({ externalId: 'OTHER' })), 201);
      const rows = [
        row({ externalId: 'A-1' }),
        { beds: '3', baths: 2.5, price: 1 },
        5,
        [row({})],
        null,
        row({ id: 5 }),
        row({ id: 5, beds: -1, latitude: 1 }),
        row({ id: 'lst_0' }),
        row({ id: other.id, externalId: 'TAKEN' }),
        row({ externalId: ' ' }),
        row({ address: null }),
        row({ externalId: 'A-2' }),
      ];
      assert.deepEqual(await run(tenant, ...rows), {
        ...counts(2),
        failed: 10,
        errors: [
          '2: validation_failed (address: required, beds: invalid_type, baths: not_an_integer, price: unknown_field)',
          '3: validation_failed (body: invalid_type)',
          '4: validation_failed (body: invalid_type)',
          '5: validation_failed (body: invalid_type)',
          '6: validation_failed (id: invalid_type)',
          '7: validation_failed (id: invalid_type, beds: out_of_range, longitude: inconsistent)',
          '8: not_found',
          '9: external_id_taken',
          '10: validation_failed (externalId: blank)',
          '11: validation_failed (address: invalid_type)',
        ],
      });
      const { data, sequence } = await listAll(service, tenant);
      assert.deepEqual(linesOf(data, 'externalId'), ['A-2', 'A-1', 'OTHER', 'TAKEN']);
      assert.deepEqual([data[2], data[3], sequence], [other, taken, 4]);
    });

    test('have the issues of any other number for a number that a double cannot hold', async () => {
      const tenant = await service.createTenant();
      const rows = [
        row({ externalId: 1.5 }),
        row({ mlsNumber: 1.5, baths: 1.5 }),
        row({ id: 1.5 }),
        row({ LotSizeAcres: 1.5, LotSizeSquareFeet: 2 }),
        row({ metadata: { a: [1.5], b: 1.5 } }),
      ];
      for (const number of ['12345678901234567890', '1e400', '1e-400']) {
        for (const query of ['', '?clean=true']) {
          const body = file(...rows).replaceAll('1.5', number);
          const { errors } = await importFile(service, tenant, { type, body, query });
          assert.deepEqual(errors, [
            '1: validation_failed (externalId: invalid_type)',
            '2: validation_failed (baths: out_of_range, mlsNumber: unknown_field)',
            '3: validation_failed (id: invalid_type)',
            '4: validation_failed (lotSizeArea: out_of_range)',
            '5: validation_failed (metadata.a: invalid_type, metadata.b: out_of_range)',
          ]);
        }
      }
    });

    test('have the issues that only their listing shows', async () => {
      const tenant = await service.createTenant();
      const placed = row({ externalId: 'A-1', latitude: 30, longitude: -97, listPrice: 2 });
      const first = await readListing(await post(service, tenant, placed), 201);
      const second = await readListing(await post(service, tenant, row({ externalId: 'A-2' })), 201);
      const rows = [
        { externalId: 'A-1', beds: 'x', latitude: 1, currency: 'EUR' },
        { externalId: 'A-1', beds: 'x', latitude: null, listPrice: null },
        { id: first.id, beds: 'x', listPrice: null, currency: 'EUR' },
        { externalId: 'A-2', beds: 'x', latitude: 'y', currency: 'EUR' },
      ];
      const { errors } = await run(tenant, ...rows);
      assert.deepEqual(errors, [
        '1: validation_failed (beds: invalid_type)',
        '2: validation_failed (beds: invalid_type, latitude: inconsistent)',
        '3: validation_failed (beds: invalid_type, listPrice: inconsistent)',
        '4: validation_failed (beds: invalid_type, latitude: invalid_type, listPrice: inconsistent, longitude: inconsistent)',
      ]);
      assert.deepEqual((await listAll(service, tenant)).data, [second, first]);
    });

    test('fail if two names mean one member of metadata, even if it is removed', async () => {
      const tenant = await service.createTenant();
      const stored = row({ externalId: 'A-1', metadata: { a: 1 } });
      const listing = await readListing(await post(service, tenant, stored), 201);
      const rows = ['A-1', 'A-2'].flatMap((externalId) => [
        row({ externalId, metadata: { ' a': null, 'a ': null } }),
        row({ externalId, metadata: { a: null, ' a': 5 } }),
        row({ externalId, metadata: { b: null, a: 1, ' a': 5 } }),
      ]);
      const { errors } = await run(tenant, ...rows);
      const faults = ['metadata.a ', 'metadata. a', 'metadata. a'].map((field) => `${field}: duplicate`);
      assert.deepEqual(
        errors,
        [...faults, ...faults].map((fault, index) => `${index + 1}: validation_failed (${fault})`),
      );
      assert.deepEqual((await listAll(service, tenant)).data, [listing]);
    });

    test('a row with a taken externalId gets an error that names its listing', async () => {
      const tenant = await service.createTenant();
      const taken = await readListing(await post(service, tenant, row({ externalId: 'A-1' })), 201);
      const { id } = await readListing(await post(service, tenant, MINIMAL), 201);
      const body = file(row({ id, externalId: 'A-1' }));
      const { errors } = await readReport(await sendFile(service, tenant, { type, body }));
      assert.equal(errors[0]?.listingId, taken.id);
    });

    test('of a thousand invalid rows the first hundred are reported', async () => {
      const tenant = await service.createTenant();
      const { errors, ...others } = await run(tenant, ...Array(1000).fill({}));
      assert.deepEqual(others, { created: 0, updated: 0, unchanged: 0, failed: 1000, repeated: 0, cleaned: 0 });
      assert.equal(errors.length, 100);
      for (const [index, error] of errors.entries()) assert.equal(Number.parseInt(error, 10), index + 1);
    });

    test('a report refers only to details that it contains', async () => {
      const tenant = await service.createTenant();
      const rows = Array.from({ length: 50 }, () => ({ address: 1, beds: 'x', baths: 'x' }));
      for (const accept of [JSON_ARRAY, NDJSON]) {
        const headers = { Accept: accept };
        const text = await (await sendFile(service, tenant, { type, body: file(...rows), headers })).text();
        const lines = text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        const { errors } = lines.at(-1);
        assert.deepEqual([lines.length, errors.length], [accept === NDJSON ? 51 : 1, 50]);
        for (const { message, details = [] } of errors) {
          if (details.length > 0)
            assert.deepEqual([message, details.length], ['3 fields are not valid; see details.', 3]);
          else assert.match(message, /^(?:3 fields|Fields of the row) are not valid\.$/);
        }
      }
    });

    test('a row that is not JSON fails alone, with its offset', async () => {
      const tenant = await service.createTenant();
      const good = file(row({ externalId: 'A-1' }), row({ externalId: 'A-2' }), row({ externalId: 'A-3' }));
      const body = good.replace('"A-2"', '"A-2",,');
      const { errors, ...others } = await readReport(await sendFile(service, tenant, { type, body }));
      assert.deepEqual(others, { created: 2, updated: 0, unchanged: 0, failed: 1, repeated: 0, cleaned: 0 });
      const [error] = errors;
      assert.deepEqual([error?.line, error?.code], [2, 'invalid_json']);
      assert.equal(error?.offset, JSON.stringify(row({ externalId: 'A-2' })).length);
    });

    test('a row that is not UTF-8 fails alone', async () => {
      const tenant = await service.createTenant();
      const body = Buffer.from(file(row({ address: 'a' }), row({ address: 'bXb' }), row({ address: 'c' })));
      body[body.indexOf('X')] = 0xff;
      const report = { ...counts(2), failed: 1, errors: ['2: invalid_json'] };
      assert.deepEqual(await importFile(service, tenant, { type, body }), report);
    });

    test('a row of 1 MiB is accepted; a longer one fails alone', async () => {
      const tenant = await service.createTenant();
      const long = JSON.stringify(row({ externalId: 'A-1' }));
      const body = file(row({}), 'HERE', row({}));
      const padded = (length: number) => body.replace('"HERE"', `${long.slice(0, -1).padEnd(length - 1)}}`);
      assert.deepEqual(await importFile(service, tenant, { type, body: padded(1024 * 1024) }), counts(3));
      const report = { ...counts(2), failed: 1, errors: ['2: payload_too_large'] };
      assert.deepEqual(await importFile(service, tenant, { type, body: padded(1024 * 1024 + 1) }), report);
    });

    test("another account's listings are neither found, changed, nor shown", async () => {
      const [mine, theirs] = [await service.createTenant(), await service.createTenant()];
      const listing = await readListing(await post(service, theirs, row({ externalId: 'A-1' })), 201);
      const body = file(listing, row({ externalId: 'A-1' }), row({ id: listing.id, externalId: 'A-1' }));
      const text = await (await sendFile(service, mine, { type, body })).text();
      assert.deepEqual(linesOf(JSON.parse(text).errors, 'code'), ['not_found', 'not_found']);
      assert.ok(!text.includes(theirs.accountId) && !text.includes(listing.id));
      const { data, sequence } = await listAll(service, theirs);
      assert.deepEqual([data, sequence], [[listing], 1]);
    });
  });
}

describe('an NDJSON export can be imported unchanged', () => {
  test('its last line is not a row', async () => {
    const tenant = await service.createTenant();
    const listing = await readListing(await post(service, tenant, MINIMAL), 201);
    const body = ndjson(listing, { end: true, count: 1, sequence: 1, epoch: '01234567' });
    assert.deepEqual(await importFile(service, tenant, { type: NDJSON, body: body + body }), counts(0, 0, 2));
  });

  test('a listing with a member named end is rejected', async () => {
    const tenant = await service.createTenant();
    const body = ndjson(row({ end: true }), { end: false });
    const { errors } = await importFile(service, tenant, { type: NDJSON, body });
    assert.match(
      errors.join(),
      /^1: validation_failed \(.*end: unknown_field\),2: validation_failed \(.*end: unknown_field\)$/,
    );
  });
});

describe('lines are counted as in an editor', () => {
  test('including blank lines and CRLF', async () => {
    const tenant = await service.createTenant();
    const body = `\uFEFF\r\n${JSON.stringify(MINIMAL)}\r\n\r\n{}\r\n \t\n[`;
    const { errors, ...others } = await importFile(service, tenant, { type: NDJSON, body });
    assert.deepEqual(others, { created: 1, updated: 0, unchanged: 0, failed: 3, repeated: 0, cleaned: 0 });
    assert.match(errors.join(), /^1: in.*,4: va.*,6: in/);
  });

  test('an empty file has no rows', async () => {
    const tenant = await service.createTenant();
    assert.deepEqual(await importFile(service, tenant, { type: NDJSON, body: '' }), counts(0));
    assert.deepEqual(await importFile(service, tenant, { type: JSON_ARRAY, body: '[ ]' }), counts(0));
  });
});

describe('an invalid array gets an error with its line and offset, and earlier rows stay', () => {
  const good = JSON.stringify([row({ externalId: 'A-1' }), {}, row({ externalId: 'A-2' })]);
  const cases: [name: string, body: string, line: number, offset: number][] = [
    ['truncated after an element', good.slice(0, -1), 3, good.length - 1],
    ['truncated within an element', `${good.slice(0, -1)},{"address":"`, 4, good.length + 12],
    ['a trailing comma', `${good.slice(0, -1)},]`, 4, good.length],
    ['text after the array', `${good}{}`, 4, good.length],
  ];
  for (const [name, body, line, offset] of cases) {
    test(name, async () => {
      const tenant = await service.createTenant();
      const error = await readError(await sendFile(service, tenant, { type: JSON_ARRAY, body }), 400, 'invalid_json');
      const expected = line === 3 ? ['A-1'] : ['A-2', 'A-1'];
      const { created, updated, unchanged, failed } = error;
      assert.deepEqual(
        [error.line, error.offset, created, updated, unchanged, failed],
        [line, offset, expected.length, 0, 0, 1],
      );
      assert.match(JSON.stringify(error.errors), /^\[\{"line":2,"code":"validation_failed"/);
      const { data } = await listAll(service, tenant);
      assert.deepEqual(linesOf(data, 'externalId'), expected);
    });
  }

  for (const body of ['', '{"data":[]}', JSON.stringify(MINIMAL), 'address,beds,baths\n']) {
    test(`not an array: ${body}`, async () => {
      const tenant = await service.createTenant();
      const error = await readError(await sendFile(service, tenant, { type: JSON_ARRAY, body }), 400, 'invalid_json');
      assert.deepEqual([error.offset, error.created], [0, 0]);
    });
  }
});

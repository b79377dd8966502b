import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { counts, importFile, listAll, NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { faultsOf, linesOf, readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { VALUES_MAX } from '../../src/lib/json.ts';
import { FULL_LISTING } from '../support/full-listing.ts';

const service = await startSharedService();

const csv = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join('');
const send = (tenant: Tenant, body: string | Buffer, query = '') =>
  sendFile(service, tenant, { type: 'text/csv', body, query });
const run = (tenant: Tenant, body: string | Buffer, query = '') =>
  importFile(service, tenant, { type: 'text/csv', body, query });

/** The account's only listing. */
async function onlyListing(tenant: Tenant) {
  const { data } = await listAll(service, tenant);
  const [listing] = data;
  assert.ok(listing !== undefined && data.length === 1);
  return listing;
}

describe('rows of CSV become listings', () => {
  test('with every field', async () => {
    const tenant = await service.createTenant();
    const cells = Object.values(FULL_LISTING).map((value) => {
      const text = typeof value === 'string' ? value.replace(/^[=-]/, "'$&") : JSON.stringify(value);
      return `"${text.replaceAll('"', '""')}"`;
    });
    assert.deepEqual(await run(tenant, csv(Object.keys(FULL_LISTING).join(), cells.join())), counts(1));
    const { id: _id, version, createdAt: _c, updatedAt: _u, ...kept } = await onlyListing(tenant);
    assert.deepEqual([kept, version], [FULL_LISTING, 1]);
  });

  test('with RESO names and values', async () => {
    const tenant = await service.createTenant();
    const body = csv(
      'ListingKey,UnparsedAddress,BedroomsTotal,BathroomsTotalInteger,StandardStatus,PropertyType,ListPrice,ClosePrice,OnMarketDate,CloseDate,LivingArea,LivingAreaUnits,LotSizeArea,LotSizeUnits,YearBuilt,City,StateOrProvince,PostalCode,Country,UnitNumber,Latitude,Longitude,PublicRemarks',
      'K-1,12 Elm Street,3,2,Active Under Contract,Residential Lease,1,0.5,2026-02-28,2026-11-22,2,Square Feet,3,Acres,1987,Austin,TX,78701,US,4,1,2,Two floors',
      'K-2,14 Elm Street,3,2,ComingSoon,ManufacturedInPark,1,,,,2,SquareMeters,3,Square Meters,,,,,,,,,',
      'K-3,16 Elm Street,3,2,active,business_opportunity,,,,,,,,,,,,,,,,,',
    );
    assert.deepEqual(await run(tenant, body), counts(3));
    const { data } = await listAll(service, tenant);
    const words = data.map(({ externalId, status, propertyType, livingAreaUnits, lotSizeUnits }) =>
      [externalId, status, propertyType, livingAreaUnits, lotSizeUnits].join(' '),
    );
    assert.deepEqual(words, [
      'K-3 active business_opportunity  ',
      'K-2 coming_soon manufactured_in_park sqm sqm',
      'K-1 active_under_contract residential_lease sqft acres',
    ]);
    const { id: _id, createdAt: _c, updatedAt: _u, ...first } = data[2] ?? {};
    assert.deepEqual(first, {
      ...{ externalId: 'K-1', address: '12 Elm Street', unitNumber: '4', city: 'Austin', stateOrProvince: 'TX' },
      ...{ postalCode: '78701', country: 'US', beds: 3, baths: 2, status: 'active_under_contract', yearBuilt: 1987 },
      ...{
        propertyType: 'residential_lease',
        listPrice: 1,
        currency: 'USD',
        closePrice: 0.5,
        livingArea: 2,
        livingAreaUnits: 'sqft',
      },
      ...{ onMarketDate: '2026-02-28', closeDate: '2026-11-22' },
      ...{ lotSizeArea: 3, lotSizeUnits: 'acres', latitude: 1, longitude: 2, description: 'Two floors', version: 1 },
    });
  });

  test('RESO values in columns with our names are rejected, and so are RESO values without an equivalent', async () => {
    const tenant = await service.createTenant();
    const ours = csv('address,beds,baths,status,propertyType', 'a,1,1,Active Under Contract,Land');
    const reso = csv('UnparsedAddress,BedroomsTotal,BathroomsTotalInteger,StandardStatus', 'a,1,1,Incomplete');
    assert.deepEqual(await run(tenant, ours), {
      ...{ ...counts(0), failed: 1 },
      errors: ['2: validation_failed (status: invalid_choice, propertyType: invalid_choice)'],
    });
    assert.deepEqual((await run(tenant, reso)).errors, ['2: validation_failed (status: invalid_choice)']);
  });

  for (const [name, body] of [
    ['line feeds', 'address,beds,baths\na,1,2\nb,3,4\n'],
    ['CRLF', 'address,beds,baths\r\na,1,2\r\nb,3,4\r\n'],
    ['CR', 'address,beds,baths\ra,1,2\rb,3,4\r'],
    ['mixed line ends', 'address,beds,baths\r\n\na,1,2\r\rb,3,4'],
    ['a byte order mark', '\uFEFFaddress,beds,baths\na,1,2\nb,3,4'],
    ['a byte order mark and quotes', '\uFEFF"address","beds","baths"\n"a","1","2"\n"b","3","4"'],
    ['padded names and numbers', ' address , beds ,baths\na, 1 , 2\n b ,3 ,4'],
    ['columns in another order', 'baths,address,beds\n2,a,1\n4,b,3'],
  ] as const) {
    test(`from a file with ${name}`, async () => {
      const tenant = await service.createTenant();
      assert.deepEqual(await run(tenant, body), counts(2));
      const { data } = await listAll(service, tenant);
      assert.deepEqual(linesOf(data, 'address', 'beds', 'baths'), ['b 3 4', 'a 1 2']);
    });
  }

  test('a header without rows is an empty file', async () => {
    const tenant = await service.createTenant();
    for (const body of ['address,beds,baths', 'address,beds,baths\r\n\r\n\n']) {
      assert.deepEqual(await run(tenant, body), counts(0));
    }
  });
});

test('a cell with too many values fails its row, even if columns are missing', async () => {
  const tenant = await service.createTenant();
  await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'A-1' }), 201);
  for (const field of ['photos', 'metadata', 'beds', 'listPrice']) {
    const file = csv(`externalId,address,${field}`, `A-1,b,"[${'1,'.repeat(VALUES_MAX)}1]"`);
    for (const query of ['', '?clean=true']) {
      const { updated, failed, errors } = await run(tenant, file, query);
      assert.deepEqual([updated, failed], [0, 1]);
      assert.deepEqual(errors, [`2: validation_failed (${field}: too_long)`]);
    }
  }
});

describe('a missing column keeps the field, an empty cell removes it', () => {
  const full = {
    ...{ ...MINIMAL, externalId: 'A-1', city: 'Austin', status: 'pending', listPrice: 5, currency: 'EUR' },
    ...{ latitude: 1, longitude: 2, metadata: { a: 1, b: 2 }, photos: [{ url: 'https://a.example/1' }] },
  };

  const cases: [name: string, header: string, cells: string, change: Record<string, unknown>][] = [
    ['a field is changed', 'beds', '4', { beds: 4 }],
    ['a string is removed', 'city', '', { city: undefined }],
    ['a status becomes the default', 'status', '', { status: 'active' }],
    ['a price is removed with its currency', 'listPrice', '', { listPrice: undefined, currency: undefined }],
    ['one price replaces another', 'listPrice,closePrice', ',6', { listPrice: undefined, closePrice: 6 }],
    [
      'a price and a date are added',
      'closePrice,closeDate',
      '6,2026-11-22',
      { closePrice: 6, closeDate: '2026-11-22' },
    ],
    ['a price is changed and keeps its currency', 'listPrice', '6', { listPrice: 6 }],
    ['a currency becomes the account’s', 'currency', '', { currency: 'USD' }],
    ['metadata is merged', 'metadata', '"{""a"":2,""b"":null,""c"":3}"', { metadata: { a: 2, c: 3 } }],
    ['metadata and photos are removed', 'metadata,photos', ',', { metadata: undefined, photos: undefined }],
    ['both coordinates are removed', 'latitude,longitude', ',', { latitude: undefined, longitude: undefined }],
    ['one coordinate is changed', 'latitude', '-1.5', { latitude: -1.5 }],
  ];
  for (const [name, header, cells, change] of cases) {
    test(name, async () => {
      const tenant = await service.createTenant();
      const before = await readListing(await post(service, tenant, full), 201);
      const file = csv(`externalId,${header}`, `A-1,${cells}`);
      assert.deepEqual(await run(tenant, file), counts(0, 1));
      const { updatedAt: _updatedAt, ...listing } = await onlyListing(tenant);
      const { updatedAt: _before, ...expected } = { ...before, ...change, version: 2 };
      assert.deepEqual(listing, JSON.parse(JSON.stringify(expected)));
      assert.deepEqual(await run(tenant, file), counts(0, 0, 1));
      assert.equal((await listAll(service, tenant)).sequence, 2);
    });
  }

  const rejected: [name: string, header: string, cells: string, fault: string][] = [
    ['a required field is emptied', 'address', '', 'address: required'],
    ['one coordinate is removed', 'latitude', '', 'latitude: inconsistent'],
    ['a price is removed and its currency is not', 'listPrice,currency', ',EUR', 'listPrice: inconsistent'],
  ];
  for (const [name, header, cells, fault] of rejected) {
    test(`a row fails if ${name}`, async () => {
      const tenant = await service.createTenant();
      const before = await readListing(await post(service, tenant, full), 201);
      const report = await run(tenant, csv(`externalId,${header}`, `A-1,${cells}`));
      assert.deepEqual(report, { ...counts(0), failed: 1, errors: [`2: validation_failed (${fault})`] });
      assert.deepEqual(await onlyListing(tenant), before);
    });
  }

  test('a new row needs the required fields', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, full), 201);
    const { errors } = await run(tenant, csv('externalId,beds,latitude', 'A-1,4,1', 'A-2,4,1', 'A-3,,'));
    assert.deepEqual(errors, [
      '3: validation_failed (address: required, baths: required, longitude: inconsistent)',
      '4: validation_failed (address: required, beds: required, baths: required)',
    ]);
  });

  test('a row with an id changes its listing, even the externalId', async () => {
    const tenant = await service.createTenant();
    const { id } = await readListing(await post(service, tenant, full), 201);
    assert.deepEqual(await run(tenant, csv('id,beds', `${id},9`)), counts(0, 1));
    assert.deepEqual(await run(tenant, csv('id,externalId', `${id},A-2`)), counts(0, 1));
    const { externalId, beds, version } = await onlyListing(tenant);
    assert.deepEqual([externalId, beds, version], ['A-2', 9, 3]);
    assert.deepEqual(await run(tenant, csv('id,externalId', `${id},`)), counts(0, 1));
    assert.equal('externalId' in (await onlyListing(tenant)), false);
  });

  test('external ids are normalized before they are matched', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, { ...MINIMAL, externalId: '-Zu\u0308rich' }), 201);
    assert.deepEqual(await run(tenant, csv('externalId,beds', "' -Zürich ,3".replace("' ", "'"))), counts(0, 0, 1));
    assert.deepEqual(await run(tenant, csv('externalId,beds', ' -Zu\u0308rich ,4')), counts(0, 1));
  });
});

describe('an invalid row fails alone, reported by its first line', () => {
  test('among valid rows with multiline cells', async () => {
    const tenant = await service.createTenant();
    const file = csv(
      'externalId,address,beds,baths,description',
      'A-1,12 Elm Street,3,2,"one\r\ntwo\r\nthree"',
      'A-2,12 Elm Street,x,2,',
      '',
      'A-3,12 Elm Street,3,2,"one\ntwo",more',
      'A-4,12 Elm Street,3',
      'A-5,"12 Elm Street',
      'rear",3,2.5,"',
      '"',
      'A-6,"12 Elm Street, ""rear""",3,2,',
    );
    assert.deepEqual(await run(tenant, file), {
      ...{ ...counts(2), failed: 4 },
      errors: [
        '5: validation_failed (beds: invalid_type)',
        '7: validation_failed (body: invalid_format)',
        '9: validation_failed (body: invalid_format)',
        '10: validation_failed (address: invalid_format, baths: not_an_integer, description: blank)',
      ],
    });
    const { data } = await listAll(service, tenant);
    assert.deepEqual(linesOf(data, 'externalId', 'description'), ['A-6 undefined', 'A-1 one\ntwo\nthree']);
  });

  test('a cell that is not UTF-8 is named', async () => {
    const tenant = await service.createTenant();
    const file = Buffer.from(csv('address,beds,baths,city', 'a,1,1,Zürich', 'b,1,1,Zxrich', 'c,1,1,Zürich'));
    file[file.indexOf('x')] = 0xfc;
    assert.deepEqual(await run(tenant, file), {
      ...{ ...counts(2), failed: 1 },
      errors: ['3: validation_failed (city: invalid_format)'],
    });
  });

  test('numbers are never rounded, and text is not a number', async () => {
    const tenant = await service.createTenant();
    const cells = ['1e400', '450000.555', '"450,000"', '$5', '007', "'5", 'null', '""""', '0'];
    const { errors } = await run(tenant, csv('address,beds,baths,listPrice', ...cells.map((cell) => `a,1,1,${cell}`)));
    const codes = errors.map((error) => /\((.*)\)/.exec(error)?.[1]);
    assert.deepEqual(codes, [
      'listPrice: out_of_range',
      'listPrice: invalid_format',
      ...Array(6).fill('listPrice: invalid_type'),
      'listPrice: out_of_range',
    ]);
  });

  test("another account's listings are neither found nor changed", async () => {
    const [mine, theirs] = [await service.createTenant(), await service.createTenant()];
    const listing = await readListing(await post(service, theirs, { ...MINIMAL, externalId: 'A-1' }), 201);
    const { errors } = await run(mine, csv('id,externalId,beds', `${listing.id},,5`, ',A-1,5'));
    assert.deepEqual(errors, ['2: not_found', '3: validation_failed (address: required, baths: required)']);
    assert.deepEqual(await onlyListing(theirs), listing);
  });
});

describe('an invalid header rejects the whole file', () => {
  const NOT_UTF_8 = Buffer.from([0x61, 0xff, 0x2c, 0x62]);
  const rejected: [name: string, body: string | Buffer, faults: string[], message: RegExp][] = [
    ['an unknown column', 'adress,beds,baths', ['adress: unknown_field'], /did you mean address\?/],
    ['a mistyped RESO name', 'address,baths,Listprize', ['Listprize: unknown_field'], /did you mean listPrice\?/],
    ['several unknown columns, all named', 'x1,beds,y2', ['x1: unknown_field', 'y2: unknown_field'], /^2 columns/],
    ['a duplicate column', 'address,beds,baths,beds', ['beds: duplicate'], /remove one of them/],
    ['two names for one field', 'address,beds,baths,BedroomsTotal', ['BedroomsTotal: duplicate'], /the column beds/],
    ['a column without a name', 'address,beds,baths,', ['column 4: unknown_field'], /column 4/],
    ['a member of Object.prototype', 'address,beds,baths,constructor', ['constructor: unknown_field'], /constructor/],
    ['a header that is not UTF-8', NOT_UTF_8, ['column 1: invalid_format'], /Windows-1252/],
    ['an empty file', '', [], /is empty/],
    ['only blank lines', '\r\n\n', [], /is empty/],
  ];
  for (const [name, header, faults, message] of rejected) {
    test(name, async () => {
      const tenant = await service.createTenant();
      const body = header.length > 4 ? Buffer.concat([Buffer.from(header), Buffer.from('\r\na,1,1,1\r\n')]) : header;
      const error = await readError(await send(tenant, body), 422, 'validation_failed');
      assert.deepEqual(faultsOf(error), faults);
      assert.match(error.message + JSON.stringify(error.details), message);
      const { data, sequence } = await listAll(service, tenant);
      assert.deepEqual([data, sequence], [[], 0]);
    });
  }

  test('ignoreUnknown=true skips unknown columns, but not duplicate ones', async () => {
    const tenant = await service.createTenant();
    const file = csv('x,address,beds,,baths,y', '1,a,2,3,4,"5,6"');
    assert.deepEqual(await run(tenant, file, '?ignoreUnknown=true'), counts(1));
    const { address, beds, baths } = await onlyListing(tenant);
    assert.deepEqual([address, beds, baths], ['a', 2, 4]);
    const double = await send(tenant, csv('x,x,address,address,beds,baths', '1,2,a,a,1,1'), '?ignoreUnknown=true');
    assert.deepEqual(faultsOf(await readError(double, 422, 'validation_failed')), ['address: duplicate']);
    const refusing = await send(tenant, file, '?ignoreUnknown=false');
    assert.deepEqual(faultsOf(await readError(refusing, 422, 'validation_failed')).length, 3);
  });

  test('ignoreUnknown is a boolean', async () => {
    const tenant = await service.createTenant();
    for (const [type, value, code] of [
      ['text/csv', 'yes', 'invalid_choice'],
      ['text/csv', '', 'blank'],
      [NDJSON, '1', 'invalid_choice'],
    ] as const) {
      const response = await sendFile(service, tenant, { type, body: '', query: `?ignoreUnknown=${value}` });
      assert.deepEqual(faultsOf(await readError(response, 400, 'invalid_query')), [`query.ignoreUnknown: ${code}`]);
    }
  });
});

test('an import removes one apostrophe that protects spreadsheets from every kind of cell', async () => {
  const tenant = await service.createTenant();
  const header = "externalId,address,beds,baths,latitude,longitude,'-N,M,metadata";
  const cells = `'=A,''=1,3,2,1,'-97.74,'=x,"a;'-b","{""n"":""a;'-b""}"`;
  assert.deepEqual(await run(tenant, csv(header, cells), '?map[-N]=metadata.x&map[M]=metadata.y'), counts(1));
  const { externalId, address, longitude, metadata } = await onlyListing(tenant);
  assert.deepEqual({ externalId, address, longitude }, { externalId: '=A', address: "'=1", longitude: -97.74 });
  assert.deepEqual(metadata, { n: 'a;-b', x: '=x', y: 'a;-b' });
});

test('an unclosed quote ends the import at its row; earlier rows stay', async () => {
  const tenant = await service.createTenant();
  const file = csv('address,beds,baths', 'a,1,1', 'b,x,1', 'c,"1,1', 'd,1,1');
  const error = await readError(await send(tenant, file), 422, 'import_failed');
  assert.deepEqual([error.line, error.created, error.failed], [4, 1, 1]);
  assert.equal((await onlyListing(tenant)).address, 'a');
});

test('an overlong multiline row ends the import', async () => {
  const tenant = await service.createTenant();
  const file = `${csv('address,beds,baths', 'a,1,1')}"${csv('b,1,1').repeat(200_000)}`;
  const error = await readError(await send(tenant, file), 422, 'import_failed');
  assert.deepEqual([error.line, error.created, error.failed], [3, 1, 0]);
});

test('a later row with the same externalId changes the listing of the earlier one', async () => {
  const tenant = await service.createTenant();
  const file = csv('externalId,address,beds,baths,city', 'A,a,1,1,x', 'A,b,1,1,', 'A,b,1,1,', 'B,b,1,1,');
  assert.deepEqual(await run(tenant, file), { ...counts(2, 1, 1), repeated: 2 });
  const { data, sequence } = await listAll(service, tenant);
  assert.deepEqual([linesOf(data, 'address', 'city'), sequence], [['b undefined', 'b undefined'], 3]);
});

test('the report of a long file has the first 100 invalid rows with their lines', async () => {
  const tenant = await service.createTenant();
  const file = csv('address,beds,baths', ...Array(500).fill(['a,x,"1"', 'a,1,1']).flat());
  const { created, failed, errors } = await readReport(await send(tenant, file));
  assert.deepEqual([created, failed, errors.length], [500, 500, 100]);
  for (const [index, { line }] of errors.entries()) assert.equal(line, 2 + 2 * index);
});

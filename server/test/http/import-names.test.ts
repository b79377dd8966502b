import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { counts, importFile, JSON_ARRAY, listAll, NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';

const service = await startSharedService();

/** The same rows in each format. */
const FORMATS: [name: string, type: string, write: (rows: Record<string, unknown>[]) => string][] = [
  ['CSV', 'text/csv', toCsv],
  ['NDJSON', NDJSON, (rows) => rows.map((row) => JSON.stringify(row)).join('\n')],
  ['JSON', JSON_ARRAY, (rows) => JSON.stringify(rows)],
  [
    'RESO Common Format',
    JSON_ARRAY,
    (rows) => JSON.stringify({ '@reso.context': 'urn:reso:metadata:2.0', value: rows }),
  ],
];

function toCsv(rows: Record<string, unknown>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const quote = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => cells.map(quote).join())
    .join('\n');
}

async function onlyListing(tenant: Tenant) {
  const { data } = await listAll(service, tenant);
  const [listing] = data;
  assert.ok(listing !== undefined && data.length === 1);
  return listing;
}

const HOME = { UnparsedAddress: '12 Elm Street', BedroomsTotal: 3, BathroomsTotalInteger: 2 };
const { BathroomsTotalInteger: _baths, ...WITHOUT_BATHS } = HOME;

describe('RESO names and values are read in every format', () => {
  const cases: [name: string, row: Record<string, unknown>, expected: Record<string, unknown>][] = [
    [
      'a key and an id',
      { ...HOME, ListingKey: 'K-1', ListingId: 'L-1' },
      { externalId: 'K-1', metadata: { ListingId: 'L-1' } },
    ],
    ['only a key', { ...HOME, ListingKey: 'K-1' }, { externalId: 'K-1' }],
    ['only an id', { ...HOME, ListingId: 'L-1' }, { externalId: 'L-1' }],
    [
      'choices',
      { ...HOME, StandardStatus: 'Active Under Contract', PropertyType: 'Residential Lease' },
      { status: 'active_under_contract', propertyType: 'residential_lease' },
    ],
    ['acres', { ...HOME, LotSizeAcres: 0.5 }, { lotSizeArea: 0.5, lotSizeUnits: 'acres' }],
    ['square feet', { ...HOME, LotSizeSquareFeet: 7405 }, { lotSizeArea: 7405, lotSizeUnits: 'sqft' }],
    ['square meters', { ...HOME, LotSizeSquareMeters: 700 }, { lotSizeArea: 700, lotSizeUnits: 'sqm' }],
    [
      'several lot sizes',
      { ...HOME, LotSizeSquareFeet: 21780, LotSizeAcres: 0.5 },
      { lotSizeArea: 0.5, lotSizeUnits: 'acres' },
    ],
    [
      'a lot size with its unit',
      { ...HOME, LotSizeAcres: 0.5, LotSizeArea: 21780, LotSizeUnits: 'Square Feet' },
      { lotSizeArea: 21780, lotSizeUnits: 'sqft' },
    ],
    [
      'a lot size without a unit',
      { ...HOME, LotSizeAcres: 0.5, LotSizeArea: 0.5 },
      { lotSizeArea: 0.5, lotSizeUnits: 'acres' },
    ],
    ['full and half baths', { ...WITHOUT_BATHS, BathroomsFull: 2, BathroomsHalf: 1 }, { baths: 3 }],
    [
      'all kinds of baths',
      { ...WITHOUT_BATHS, BathroomsFull: 1, BathroomsThreeQuarter: 1, BathroomsHalf: 1, BathroomsOneQuarter: 0 },
      { baths: 3 },
    ],
    ['a total and its parts', { ...HOME, BathroomsFull: 5, BathroomsHalf: 1 }, { baths: 2 }],
    [
      'units of the living area',
      { ...HOME, LivingArea: 120, LivingAreaUnits: 'Square Meters' },
      { livingArea: 120, livingAreaUnits: 'sqm' },
    ],
  ];
  for (const [format, type, write] of FORMATS) {
    for (const [name, row, expected] of cases) {
      test(`${name} in ${format}`, async () => {
        const tenant = await service.createTenant();
        const body = write([row]);
        assert.deepEqual(await importFile(service, tenant, { type, body }), counts(1));
        const listing: Record<string, unknown> = await onlyListing(tenant);
        const kept = Object.fromEntries(Object.keys(expected).map((field) => [field, listing[field]]));
        assert.deepEqual(kept, expected);
      });
    }
  }

  const LOTS: [sizes: Record<string, unknown>, isSame: boolean][] = [
    [{ LotSizeAcres: 0.5, LotSizeSquareFeet: 30_000 }, false],
    [{ LotSizeSquareFeet: 10_890, LotSizeSquareMeters: 10_890 }, false],
    [{ LotSizeArea: 2, LotSizeUnits: 'Acres', LotSizeSquareFeet: 2 }, false],
    // Sizes that agree once they are rounded.
    [{ LotSizeAcres: 0.2, LotSizeSquareFeet: 10_000 }, true],
    [{ LotSizeAcres: 1.0321, LotSizeSquareFeet: 45_000, LotSizeSquareMeters: 4_180 }, true],
    [{ LotSizeAcres: 0.5, LotSizeSquareFeet: null }, true],
  ];
  for (const [format, type, write] of FORMATS) {
    test(`lot sizes that differ are an error that names both in ${format}`, async () => {
      const tenant = await service.createTenant();
      for (const [sizes, isSame] of LOTS) {
        const report = await readReport(
          await sendFile(service, tenant, { type, body: write([{ ...HOME, ...sizes }]) }),
        );
        assert.equal(report.failed, isSame ? 0 : 1, JSON.stringify(sizes));
        if (isSame) continue;
        const [detail] = report.errors[0]?.details ?? [];
        assert.deepEqual([detail?.field, detail?.code], ['lotSizeArea', 'inconsistent']);
        const names = Object.keys(sizes).filter((name) => name !== 'LotSizeUnits');
        for (const name of names) assert.match(String(detail?.message), new RegExp(name, 'i'));
      }
    });
  }

  test('half baths alone are an error', async () => {
    const tenant = await service.createTenant();
    const body = JSON.stringify([{ ...WITHOUT_BATHS, BathroomsHalf: 1 }]);
    const { errors } = await importFile(service, tenant, { type: JSON_ARRAY, body });
    assert.deepEqual(errors, ['1: validation_failed (baths: inconsistent)']);
  });

  test('annotations of OData are skipped, and other members are errors unless ignoreUnknown', async () => {
    const tenant = await service.createTenant();
    const body = JSON.stringify({
      value: [
        { ...HOME, '@odata.id': 'x' },
        { ...HOME, AssociationFee: 5 },
      ],
    });
    const { errors, created } = await importFile(service, tenant, { type: JSON_ARRAY, body });
    assert.deepEqual([created, errors], [1, ['2: validation_failed (AssociationFee: unknown_field)']]);
    const query = '?ignoreUnknown=true&dryRun=true';
    assert.deepEqual(await importFile(service, tenant, { type: JSON_ARRAY, body, query }), counts(2));
  });

  test('two members of one field are an error of the row', async () => {
    const tenant = await service.createTenant();
    const body = JSON.stringify({ ...HOME, address: '12 Elm Street' });
    const { errors } = await importFile(service, tenant, { type: NDJSON, body });
    assert.deepEqual(errors, ['1: validation_failed (address: duplicate)']);
  });
});

describe('map names the fields of columns and members', () => {
  const row = { Street: '12 Elm Street', beds: 3, baths: 2, Price: 450000, Agent: 'Grace', Notes: 'quiet', Acres: 0.5 };
  const query =
    '?map[Street]=address&map%5BPrice%5D=ListPrice&map[Agent]=&map[Notes]=metadata.notes&map[Acres]=LotSizeAcres';
  for (const [format, type, write] of FORMATS) {
    test(`in ${format}`, async () => {
      const tenant = await service.createTenant();
      assert.deepEqual(await importFile(service, tenant, { type, body: write([row]), query }), counts(1));
      const { address, listPrice, metadata, lotSizeUnits } = await onlyListing(tenant);
      assert.deepEqual(
        [address, listPrice, metadata, lotSizeUnits],
        ['12 Elm Street', 450000, { notes: 'quiet' }, 'acres'],
      );
    });
  }

  test('a mapping takes precedence over the column’s name, and adds to metadata', async () => {
    const tenant = await service.createTenant();
    const body = toCsv([{ externalId: 'A', address: 'a', beds: 1, baths: 1, city: 'x', metadata: '{"m":1}' }]);
    const report = await importFile(service, tenant, { type: 'text/csv', body, query: '?map[city]=metadata.town' });
    assert.deepEqual(report, counts(1));
    const { city, metadata } = await onlyListing(tenant);
    assert.deepEqual([city, metadata], [undefined, { m: 1, town: 'x' }]);
    const emptied = toCsv([{ externalId: 'A', city: '' }]);
    await importFile(service, tenant, { type: 'text/csv', body: emptied, query: '?map[city]=metadata.town' });
    assert.deepEqual((await onlyListing(tenant)).metadata, { m: 1 });
  });

  const many = Array.from({ length: 101 }, (_, index) => `map[c${index}]=metadata.m${index}`).join('&');
  const rejected: [query: string, fault: string, message: RegExp][] = [
    ['map[Price]=listprice', 'query.map[Price]: invalid_choice', /did you mean listPrice/],
    ['map[Price]=x', 'query.map[Price]: invalid_choice', /metadata\.NAME/],
    ['map[Price]=version', 'query.map[Price]: read_only', /set by the server/],
    ['map[A]=listPrice&map[B]=ListPrice', 'query.map[B]: duplicate', /Another column/],
    ['map[A]=metadata.a&map[B]=metadata.a', 'query.map[B]: duplicate', /Another column/],
    ['map[A]=listPrice&map[A]=closePrice', 'query.map[A]: duplicate', /only once/],
    ['map[]=listPrice', 'query.map[]: blank', /name of a column/],
    ['map[A]=metadata.', 'query.map[A]: blank', /name/],
    ['map=listPrice', 'query.map: unknown_field', /map\[COLUMN\]/],
    ['map[COLUMN', 'query.map[COLUMN: unknown_field', /no such parameter/],
    [`map[${'x'.repeat(201)}]=listPrice`, `query.map[${'x'.repeat(90)}`, /200/],
    [many, 'query.map[COLUMN]: too_long', /100/],
  ];
  for (const [given, fault, message] of rejected) {
    test(`${given.slice(0, 40)} is rejected`, async () => {
      const tenant = await service.createTenant();
      const response = await sendFile(service, tenant, { type: NDJSON, body: '', query: `?${given}` });
      const code = given.startsWith('map=') || given.endsWith('[COLUMN') ? 'unknown_parameter' : 'invalid_query';
      const error = await readError(response, 400, code);
      assert.ok(faultsOf(error).join().startsWith(fault), faultsOf(error).join());
      assert.match(JSON.stringify(error), message);
    });
  }

  test('a column that the file does not have, or whose field another column has, rejects a CSV file', async () => {
    const tenant = await service.createTenant();
    const body = 'address,beds,baths,Prize,ListPrice\na,1,1,1,1\n';
    const run = async (query: string) =>
      readError(await sendFile(service, tenant, { type: 'text/csv', body, query }), 422, 'validation_failed');
    const missing = await run('?map[Price]=listPrice&ignoreUnknown=true');
    assert.deepEqual(faultsOf(missing), ['query.map[Price]: unknown_field']);
    assert.match(missing.message, /^The file does not have a column Price; did you mean "Prize"\?/);
    const long = { type: 'text/csv', body: `Price${'x'.repeat(10_000)}\n`, query: '?map[Price]=listPrice' };
    assert.ok((await (await sendFile(service, tenant, long)).text()).length < 2_000);
    assert.deepEqual(faultsOf(await run('?map[Prize]=listPrice')), ['ListPrice: duplicate']);
    assert.equal((await listAll(service, tenant)).data.length, 0);
  });
});

describe('the error for an unknown column says what it probably means', () => {
  for (const [column, meant] of [
    ['Price', 'listPrice'],
    ['Bedrooms', 'beds'],
    ['Zip', 'postalCode'],
    ['ZIP Code', 'postalCode'],
    ['Sq Ft', 'livingArea'],
    ['sq. ft.', 'livingArea'],
    ['Acres', 'LotSizeAcres'],
    ['Half Baths', 'BathroomsHalf'],
    ['list_price', 'listPrice'],
    ['adress', 'address'],
  ]) {
    test(`${column}: ${meant}`, async () => {
      const tenant = await service.createTenant();
      const body = `externalId,${column}\nA,1\n`;
      const error = await readError(
        await sendFile(service, tenant, { type: 'text/csv', body }),
        422,
        'validation_failed',
      );
      assert.match(error.message, new RegExp(`did you mean ${meant}\\?`));
    });
  }
});

describe('the separator is that of the header', () => {
  const files: [name: string, body: string, query?: string][] = [
    ['commas', 'address,beds,baths,city\n"12 Elm Street; rear",3,2,Austin\n'],
    ['semicolons', 'UnparsedAddress;BedroomsTotal;BathroomsTotalInteger;City\n12 Elm Street, rear;3;2;Austin\n'],
    [
      'tabs',
      'Street\tBeds\tBa\tTown\n12 Elm Street, rear\t3\t2\tAustin\n',
      '?map[Street]=address&map[Beds]=beds&map[Ba]=baths&map[Town]=city',
    ],
    [
      'semicolons and a comma in a name',
      '"address";beds;baths;city;"Price, USD"\n12 Elm Street;3;2;Austin;5\n',
      '?map[Price, USD]=listPrice',
    ],
    [
      'semicolons and more commas',
      'address;beds;baths;city;a,b,c,d,e,f\n12 Elm Street;3;2;Austin;5\n',
      '?ignoreUnknown=true',
    ],
    [
      'commas and more semicolons',
      'address,beds,baths,city,a;b;c;d;e;f\n12 Elm Street,3,2,Austin,5\n',
      '?ignoreUnknown=true',
    ],
  ];
  for (const [name, body, query = ''] of files) {
    test(name, async () => {
      const tenant = await service.createTenant();
      assert.deepEqual(await importFile(service, tenant, { type: 'text/csv', body, query }), counts(1));
      const { beds, baths, city } = await onlyListing(tenant);
      assert.deepEqual([beds, baths, city], [3, 2, 'Austin']);
    });
  }

  test('a comma is a decimal comma in a file with semicolons, or ambiguous', async () => {
    const tenant = await service.createTenant();
    const body = 'address;beds;baths;listPrice\na;1;1;1250,50\nb;1;1;1,250\n';
    const { created, cleaned, errors } = await importFile(service, tenant, {
      type: 'text/csv',
      body,
      query: '?clean=true',
    });
    assert.deepEqual([created, cleaned, errors], [1, 1, ['3: validation_failed (listPrice: invalid_format)']]);
  });
});

describe('an encoding other than UTF-8 is named', () => {
  test('Windows-1252, for each cell', async () => {
    const tenant = await service.createTenant();
    const body = Buffer.from('address,beds,baths\nZ\u00fcrich,1,1\nBern,1,1\n', 'latin1');
    const { created, errors } = await readReport(await sendFile(service, tenant, { type: 'text/csv', body }));
    assert.deepEqual([created, errors.length], [1, 1]);
    assert.match(JSON.stringify(errors[0]?.details), /Windows-1252.*Save the file as UTF-8/);
  });

  for (const type of ['text/csv', NDJSON, JSON_ARRAY]) {
    test(`UTF-16 in ${type}`, async () => {
      const tenant = await service.createTenant();
      for (const start of ['\ufeff', '']) {
        const body = Buffer.from(`${start}[address,beds,baths]`, 'utf16le');
        const error = await readError(await sendFile(service, tenant, { type, body }), 422, 'import_failed');
        assert.match(error.message, /UTF-16.*UTF-8/);
      }
    });
  }
});

describe('the words of an error', () => {
  test('a cell is quoted, unless it can hold metadata', async () => {
    const tenant = await service.createTenant();
    const body = 'address,beds,baths,listPrice,status,metadata\na,1,1,"$450,000",Sold,x\n';
    const { errors } = await readReport(await sendFile(service, tenant, { type: 'text/csv', body }));
    const messages = errors[0]?.details?.map(({ message }) => message) ?? [];
    assert.match(messages[0] ?? '', /"Sold", did you mean closed\?/);
    assert.match(messages[1] ?? '', /^"\$450,000" is not a number .* set clean=true/);
    assert.match(messages[2] ?? '', /^The cell is not JSON/);
  });

  test('a row with an unknown externalId and too few fields says that there is no such listing', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'A-1' }), 201);
    const body = toCsv([
      { externalId: 'A-1', listPrice: 5 },
      { externalId: 'A-2', listPrice: 5 },
    ]);
    const { updated, errors } = await readReport(await sendFile(service, tenant, { type: 'text/csv', body }));
    assert.equal(updated, 1);
    const { externalId, message } = errors[0] ?? {};
    assert.equal(externalId, 'A-2');
    assert.equal(message, 'No listing has this externalId; a new listing requires address, beds, and baths.');
  });
});

describe('with Accept: application/x-ndjson each failed row is a line', () => {
  const send = (tenant: Tenant, body: string, query = '', type = NDJSON) =>
    sendFile(service, tenant, { type, body, query, headers: { Accept: NDJSON } });
  const linesOf = async (response: Response) => {
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, NDJSON]);
    return (await response.text()).split('\n').map((line) => (line === '' ? line : JSON.parse(line)));
  };
  const bad = Array.from({ length: 1130 }, (_, index) => JSON.stringify({ externalId: `B-${index}`, beds: 'x' }));
  const good = JSON.stringify({ ...MINIMAL, externalId: 'A' });

  for (const query of ['', '?dryRun=true']) {
    test(`and the report is the last one ${query}`, async () => {
      const tenant = await service.createTenant();
      const lines = await linesOf(await send(tenant, [good, ...bad, good].join('\n'), query));
      const failures = lines.slice(0, -2);
      const { errors, ...report } = lines.at(-2);
      assert.equal(lines.at(-1), '');
      assert.equal(failures.length, 1130);
      assert.deepEqual(report, { created: 1, updated: 0, unchanged: 1, failed: 1130, repeated: 1, cleaned: 0 });
      assert.equal(errors.length, 100);
      for (const [index, { line, externalId, code, details }] of failures.entries()) {
        assert.deepEqual([line, externalId, code], [index + 2, `B-${index}`, 'validation_failed']);
        assert.equal(details.length, 3);
      }
    });
  }

  test('an atomic import has only the report, and an invalid one is an error', async () => {
    const tenant = await service.createTenant();
    const { errors, ...report } = (await linesOf(await send(tenant, good, '?atomic=true')))[0];
    assert.deepEqual([report.created, errors], [1, []]);
    await readError(await send(tenant, bad.join('\n'), '?atomic=true'), 422, 'import_failed');
  });

  test('an error before the first failed row is an error response', async () => {
    const tenant = await service.createTenant();
    await readError(await send(tenant, 'adress\n1', '', 'text/csv'), 422, 'validation_failed');
    await readError(
      await sendFile(service, tenant, { type: NDJSON, body: good, headers: { Accept: 'text/csv' } }),
      406,
      'not_acceptable',
    );
  });

  interface LastLine {
    failed: number;
    errors: unknown[];
    error?: { code: string };
  }

  for (const [name, end, check] of [
    ['the report', '{}', ({ failed, errors }: LastLine) => assert.ok(failed > 100 && errors.length === failed)],
    ['the error', '', ({ error }: LastLine) => assert.equal(error?.code, 'invalid_json')],
  ] as const) {
    test(`with progress=true, lines say how many rows are done, and the last one is ${name}`, async () => {
      const tenant = await service.createTenant();
      let isBegun = false;
      async function* rows() {
        const some = Array.from({ length: 20 }, () => '{},').join('');
        yield `[${good},`;
        while (!isBegun) {
          yield some;
          await sleep(5);
        }
        yield `${end}]`;
      }
      const response = await service.fetch(tenant, '/v1/imports?dryRun=true&progress=true', {
        method: 'POST',
        headers: { 'Content-Type': JSON_ARRAY, Accept: NDJSON },
        body: ReadableStream.from(rows()).pipeThrough(new TextEncoderStream()),
        duplex: 'half',
      });
      isBegun = true;
      const [first, ...rest] = (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(Object.keys(first), ['rows']);
      assert.ok(first.rows > 0);
      check(rest.at(-1));
    });
  }

  test('progress=true requires a response in lines and an import that is not atomic', async () => {
    const tenant = await service.createTenant();
    await readError(await send(tenant, good, '?atomic=true&progress=true'), 400, 'invalid_query');
    const json = { type: NDJSON, body: good, query: '?progress=true' };
    await readError(await sendFile(service, tenant, json), 400, 'invalid_query');
    await readError(await send(tenant, 'adress\n1', '?progress=true', 'text/csv'), 422, 'validation_failed');
  });

  test('an error after the first failed row cuts off the connection', async () => {
    const tenant = await service.createTenant();
    const response = await send(tenant, `[{},${'{},'.repeat(50_000)}`, '', JSON_ARRAY);
    assert.equal(response.status, 200);
    await assert.rejects(response.text());
  });
});

test('the dashboard learns which fields columns have or probably mean', async () => {
  const browser = await signIn(service, await createPerson(service));
  const names = ['ListPrice', 'listPrice', 'Zip', 'Sq Ft', 'Adress', 'LotSizeAcres', 'metadata.notes', 'Agent', ''];
  const { columns } = await browser.ask('POST', '/admin/imports/columns', { names });
  assert.deepEqual(
    columns.map(({ name, field, isKnown }: Record<string, unknown>) => [name, field, isKnown]),
    [
      ['ListPrice', 'listPrice', true],
      ['listPrice', 'listPrice', true],
      ['Zip', 'postalCode', false],
      ['Sq Ft', 'livingArea', false],
      ['Adress', 'address', false],
      ['LotSizeAcres', 'LotSizeAcres', true],
      ['metadata.notes', 'metadata.notes', true],
      ['Agent', null, false],
      ['', null, false],
    ],
  );
  const many = Array.from({ length: 101 }, () => 'Price');
  await readError(await browser.send('POST', '/admin/imports/columns', { names: many }), 422, 'validation_failed');
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importFile, listAll, NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { type Expected, FEED_VALUES } from '../support/feed-values.ts';
import { sendFeed } from '../support/feeds.ts';

const service = await startSharedService();

/** For each kind of value in a feed, the column that has it, and how to read the result from the listing. */
const SHAPES: Record<
  keyof typeof FEED_VALUES,
  { column: string; read: (listing: Record<string, unknown>) => unknown }
> = {
  listPrice: { column: 'listPrice', read: ({ listPrice }) => listPrice },
  currency: { column: 'listPrice', read: ({ currency }) => currency },
  livingArea: { column: 'livingArea', read: ({ livingArea, livingAreaUnits }) => join(livingArea, livingAreaUnits) },
  lotSizeArea: { column: 'lotSizeArea', read: ({ lotSizeArea, lotSizeUnits }) => join(lotSizeArea, lotSizeUnits) },
  beds: { column: 'beds', read: ({ beds }) => beds },
  baths: { column: 'baths', read: ({ baths }) => baths },
  yearBuilt: { column: 'yearBuilt', read: ({ yearBuilt }) => yearBuilt },
  closeDate: { column: 'closeDate', read: ({ closeDate }) => closeDate },
  status: { column: 'status', read: ({ status }) => status },
  propertyType: { column: 'propertyType', read: ({ propertyType }) => propertyType },
  country: { column: 'country', read: ({ country }) => country },
  latitude: { column: 'latitude', read: ({ latitude }) => latitude },
  metadata: { column: 'Custom', read: ({ metadata }) => Object(metadata).custom },
  city: { column: 'city', read: ({ city }) => city },
};

function join(area: unknown, unit: unknown) {
  return area === undefined ? undefined : `${area} ${unit}`;
}

const quote = (cell: unknown) => `"${String(cell).replaceAll('"', '""')}"`;

describe('each value of real feeds is read correctly or is an error', () => {
  for (const [kind, values] of Object.entries(FEED_VALUES) as [keyof typeof FEED_VALUES, [string, Expected][]][]) {
    const { column, read } = SHAPES[kind];
    const rowOf = (given: string, index: number) => ({
      ...{ externalId: `${index}`, address: '12 Elm Street', beds: 3, baths: 2 },
      ...(kind === 'latitude' && { longitude: -97.7431 }),
      [column]: given,
    });
    const rows = values.map(([given], index) => rowOf(given, index));
    const query = '?clean=true&map[Custom]=metadata.custom'.slice(
      0,
      kind === 'metadata' ? undefined : '?clean=true'.length,
    );
    const names = Object.keys(rows[0] ?? {});
    const csv = [names.join(), ...rows.map((row) => Object.values(row).map(quote).join())].join('\n');
    const ndjson = rows.map((row) => JSON.stringify(row)).join('\n');
    for (const [type, body] of [
      ['text/csv', csv],
      [NDJSON, ndjson],
    ] as const) {
      test(`${kind} in ${type}`, async () => {
        const tenant = await service.createTenant();
        const headers = { Accept: NDJSON };
        const text = await (await sendFile(service, tenant, { type, body, query, headers })).text();
        const failures = text
          .trim()
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line));
        const messages = new Map(
          failures.map(({ externalId, message, details }) => [externalId, JSON.stringify([message, details])]),
        );
        const { data } = await listAll(service, tenant);
        const listings = new Map(data.map((listing) => [listing.externalId, listing]));
        for (const [index, [given, expected]] of values.entries()) {
          const listing = listings.get(`${index}`);
          const message = messages.get(`${index}`)?.replaceAll('\\"', '"');
          if (expected instanceof RegExp) {
            assert.equal(listing && read(listing), undefined, `${given} must be an error`);
            assert.match(message ?? '', expected, given);
          } else {
            assert.ok(listing !== undefined, `${given}: ${message}`);
            assert.equal(read(listing) ?? null, expected, given);
          }
        }
      });
    }
  }
});

test('with semicolons, a comma before three digits is unambiguous only in an amount of dollars', async () => {
  const tenant = await service.createTenant();
  const cells = ['$450,000', 'USD 450,000', '450,000', '€450,000'];
  const rows = cells.map((cell, index) => `${index};12 Elm Street;3;2;${cell}`);
  const body = ['externalId;address;beds;baths;listPrice', ...rows].join('\n');
  const { errors } = await readReport(
    await sendFile(service, tenant, { type: 'text/csv', body, query: '?clean=true' }),
  );
  assert.deepEqual(
    errors.map(({ externalId }) => externalId),
    ['2', '3'],
  );
  const { data } = await listAll(service, tenant);
  assert.deepEqual(new Set(data.map(({ listPrice }) => listPrice)), new Set([450_000]));
});

const HOME = { externalId: 'A', address: '12 Elm Street', beds: 3, baths: 2 };

type Row = Record<string, unknown>;

const WRITERS: [format: string, write: (row: Row) => { type: string; body: string }][] = [
  ['CSV', (row) => ({ type: 'text/csv', body: `${Object.keys(row)}\n${Object.values(row).map(quote)}\n` })],
  ['NDJSON', (row) => ({ type: NDJSON, body: JSON.stringify(row) })],
];

async function find(tenant: Tenant, ...fields: string[]): Promise<unknown[]> {
  const [listing = {}] = (await listAll(service, tenant)).data as Row[];
  return fields.map((field) => listing[field]);
}

/** Maps columns such as `Price in EUR` and `Sold`. */
function mapOf(names: string): string {
  const columns = names.split(',').filter((name) => name !== 'currency');
  const fields = columns.map((name) => (name.startsWith('Price') ? 'listPrice' : 'closePrice'));
  return columns.map((name, index) => `map[${encodeURIComponent(name)}]=${fields[index]}`).join('&');
}

describe('a price is never stored in a currency other than its own', () => {
  for (const [format, write] of WRITERS) {
    test(`prices of a row with different currencies are an error in ${format}, in any order`, async () => {
      const tenant = await service.createTenant();
      const [dollars, euros] = [{ listPrice: '$450,000' }, { closePrice: '€400,000' }];
      for (const row of [
        { ...HOME, ...dollars, ...euros },
        { ...HOME, ...euros, ...dollars },
      ]) {
        const { errors } = await importFile(service, tenant, { ...write(row), query: '?clean=true' });
        const line = format === 'CSV' ? 2 : 1;
        assert.deepEqual(errors, [`${line}: validation_failed (listPrice: inconsistent)`]);
      }
      assert.deepEqual((await listAll(service, tenant)).data, []);
    });

    for (const [stored, row, expected] of [
      // `$` is never another currency, and keeps the listing's kind of dollar.
      [{ listPrice: 100, currency: 'EUR' }, { listPrice: '$450,000' }, undefined],
      [{ listPrice: 100, currency: 'CAD' }, { listPrice: '$450,000' }, [450_000, undefined, 'CAD']],
      [{ listPrice: 100, currency: 'EUR' }, { listPrice: '$450,000', currency: 'USD' }, [450_000, undefined, 'USD']],
      [{}, { listPrice: '$450,000' }, [450_000, undefined, 'USD']],
      // A price must not change the currency of the other one, but the row's `currency` can.
      [{ listPrice: 100, currency: 'EUR' }, { closePrice: 'USD 90' }, undefined],
      [{ listPrice: 100, currency: 'EUR' }, { closePrice: '€90' }, [100, 90, 'EUR']],
      [{ listPrice: 100, currency: 'EUR' }, { closePrice: 'USD 90', currency: 'USD' }, [100, 90, 'USD']],
      [{ listPrice: 100, currency: 'EUR' }, { listPrice: 'USD 90' }, [90, undefined, 'USD']],
      [{ listPrice: 100, currency: 'EUR' }, { listPrice: '', closePrice: 'USD 90' }, [undefined, 90, 'USD']],
      [{ listPrice: 100, closePrice: 80, currency: 'EUR' }, { listPrice: 110, closePrice: 'USD 90' }, [110, 90, 'USD']],
    ] as const) {
      test(`${JSON.stringify(stored)}, changed by ${JSON.stringify(row)} in ${format}`, async () => {
        const tenant = await service.createTenant();
        await importFile(service, tenant, { type: NDJSON, body: JSON.stringify({ ...HOME, ...stored }) });
        const sent = write({ externalId: 'A', ...row });
        const { errors } = await importFile(service, tenant, { ...sent, query: '?clean=true' });
        const line = format === 'CSV' ? 2 : 1;
        const refused = [`${line}: validation_failed (currency: inconsistent)`];
        assert.deepEqual(errors, expected === undefined ? refused : []);
        const { listPrice, closePrice, currency } = { closePrice: undefined, ...stored } as Row;
        assert.deepEqual(
          await find(tenant, 'listPrice', 'closePrice', 'currency'),
          expected ?? [listPrice, closePrice, currency],
        );
      });
    }
  }

  for (const [columns, cells, expected] of [
    ['Price in EUR,Sold in USD', '100,90', undefined],
    ['Sold in USD,Price in EUR', '90,100', undefined],
    ['Price in EUR,Sold', '100,USD 90', undefined],
    ['Price in EUR,Sold', '100,$90', undefined],
    ['Price in EUR,Sold', '100,90', [100, 90, 'EUR']],
    ['Price in EUR,Sold', ',90', [undefined, 90, 'EUR']],
    ['Price in EUR,Sold in USD', ',90', [undefined, 90, 'USD']],
    ['Price in CAD,Sold', '$100,$90', [100, 90, 'CAD']],
    // `$` in a column that names a dollar is that dollar.
    ['Price in CAD,Sold in USD', '$100,$90', undefined],
    ['Price in CAD,Sold in USD', '$100,90', undefined],
    ['Price in CAD,Sold in USD', '100,$90', undefined],
    ['Price in CAD,Sold in USD', '$100,', [100, undefined, 'CAD']],
    ['Price in CAD,Sold in USD', 'USD 100,$90', [100, 90, 'USD']],
    ['Price in CAD&defaults[currency]=USD', '$100', [100, undefined, 'CAD']],
    ['Price in EUR', '$100', undefined],
    ['Price in CAD,currency', '$100,USD', [100, undefined, 'USD']],
    // The row's own currency takes precedence over that of a column's name.
    ['Price in EUR,Sold in USD,currency', '100,90,CHF', [100, 90, 'CHF']],
    // A column's name takes precedence over a default.
    ['Price in EUR,Sold&defaults[currency]=CHF', '100,90', [100, 90, 'EUR']],
  ] as const) {
    test(`columns ${columns}: ${cells}`, async () => {
      const tenant = await service.createTenant();
      const [names = '', parameter = ''] = columns.split('&');
      const body = `externalId,address,beds,baths,${names}\nA,12 Elm Street,3,2,${cells}\n`;
      const query = `?clean=true&${mapOf(names)}&${parameter}`.replace(/&$/, '');
      const { failed } = await importFile(service, tenant, { type: 'text/csv', body, query });
      assert.equal(failed, expected === undefined ? 1 : 0);
      if (expected === undefined) assert.deepEqual((await listAll(service, tenant)).data, []);
      else assert.deepEqual(await find(tenant, 'listPrice', 'closePrice', 'currency'), expected);
    });
  }

  for (const [columns, cells, currency, expected] of [
    ['Sold in USD', '90', 'EUR', undefined],
    ['Sold in USD', '$90', 'EUR', undefined],
    ['Sold in USD', '$90', 'CAD', undefined],
    ['Sold in USD', '$90', 'USD', 'USD'],
    ['Sold in CAD', '$90', 'CAD', 'CAD'],
    ['Price in CAD,Sold', ',$90', 'USD', 'CAD'],
    ['Sold&defaults[currency]=USD', 'USD 90', 'EUR', undefined],
    ['Sold&defaults[currency]=USD', '$90', 'EUR', undefined],
    ['Sold&defaults[currency]=USD', '$90', 'CAD', undefined],
    ['Sold&defaults[currency]=CAD', '$90', 'CAD', 'CAD'],
    // An empty currency stands for that of the account.
    ['Sold,currency', '$90,', 'EUR', undefined],
    ['Sold,currency', '$90,', 'CAD', undefined],
    ['Sold,currency', '$90,', 'USD', 'USD'],
    ['Sold,currency', '$90,CAD', 'EUR', 'CAD'],
    ['Sold', '$90', 'EUR', undefined],
    ['Sold', '$90', 'CAD', 'CAD'],
  ] as const) {
    test(`a listing with a price in ${currency}, changed by columns ${columns}: ${cells}`, async () => {
      const tenant = await service.createTenant();
      const listing = { ...HOME, listPrice: 100, currency };
      await importFile(service, tenant, { type: NDJSON, body: JSON.stringify(listing) });
      const [names = '', parameter = ''] = columns.split('&');
      const body = `externalId,${names}\nA,${cells}\n`;
      const query = `?clean=true&${mapOf(names)}&${parameter}`.replace(/&$/, '');
      const response = await sendFile(service, tenant, { type: 'text/csv', body, query });
      const { failed, errors } = Object(await response.json());
      assert.equal(failed, expected === undefined ? 1 : 0);
      if (failed === 1) assert.match(JSON.stringify(errors), columns === 'Sold' ? /in \$, but/ : /in USD, but/);
      // A row that empties a price removes it.
      const listPrice = columns.startsWith('Price') ? undefined : 100;
      assert.deepEqual(
        await find(tenant, 'listPrice', 'closePrice', 'currency'),
        expected === undefined ? [100, undefined, currency] : [listPrice, 90, expected],
      );
    });
  }

  test('the error of a unit that is not one does not repeat it', async () => {
    const tenant = await service.createTenant();
    const long = 'x'.repeat(10_000);
    for (const row of [
      { listPrice: '€5', currency: long },
      { lotSizeArea: '5 acres', lotSizeUnits: long },
    ]) {
      const body = JSON.stringify({ ...HOME, ...row });
      const response = await sendFile(service, tenant, { type: NDJSON, body, query: '?clean=true' });
      const text = await response.text();
      assert.equal(JSON.parse(text).failed, 1);
      assert.ok(text.length < 2_000, `${text.length}`);
    }
  });

  test('a feed checks the currencies of its listings, too', async () => {
    const tenant = await service.createTenant();
    const file = (price: string) => `externalId,address,beds,baths,listPrice\nA,12 Elm Street,3,2,"${price}"\n`;
    const send = (price: string, query = '') =>
      sendFeed(service, tenant, 'mls', file(price), {
        type: 'text/csv',
        query: `?clean=true&failedMax=100%25${query}`,
      });
    assert.equal((await send('€100')).status, 200);
    for (const query of ['&dryRun=true', '']) {
      const run = Object(await (await send('$450,000', query)).json());
      assert.deepEqual([run.updated, run.failed], [0, 1]);
    }
    assert.deepEqual(await find(tenant, 'listPrice', 'currency'), [100, 'EUR']);
  });
});

describe('acres can have three decimals, wherever the row or the file names the unit', () => {
  const lot = ['lotSizeArea', 'lotSizeUnits'];
  for (const [format, write] of WRITERS) {
    for (const [row, parameters, expected] of [
      [{ lotSizeArea: '1.125', lotSizeUnits: 'acres' }, '', [1.125, 'acres']],
      [{ lotSizeUnits: 'Acres', lotSizeArea: '1.125' }, '', [1.125, 'acres']],
      [{ LotSizeArea: '1.125', LotSizeUnits: 'Acres' }, '', [1.125, 'acres']],
      [{ lotSizeArea: '1.125', lotSizeUnits: 'Ar' }, '&values[lotSizeUnits:Ar]=acres', [1.125, 'acres']],
      [{ lotSizeArea: '1.125' }, '&defaults[lotSizeUnits]=acres', [1.125, 'acres']],
      [{ lotSizeArea: '1.125', lotSizeUnits: '' }, '&defaults[lotSizeUnits]=acres', [1.125, 'acres']],
      [{ lotSizeArea: '1.125', LotSizeAcres: '1.125' }, '', [1.125, 'acres']],
      [{ lotSizeArea: '1.125', lotSizeUnits: 'sqft' }, '', undefined],
      [{ lotSizeArea: '1.125', lotSizeUnits: 'sqm' }, '&defaults[lotSizeUnits]=acres', undefined],
      [{ lotSizeArea: '1.125' }, '', undefined],
      [{ livingArea: '1.125', lotSizeArea: '1', lotSizeUnits: 'acres' }, '', undefined],
      // The cell and the row must name the same unit, and several sizes must agree.
      [{ lotSizeArea: '5 acres', lotSizeUnits: 'sqm' }, '', undefined],
      [{ lotSizeArea: '5 acres', LotSizeAcres: '9' }, '', undefined],
      [{ lotSizeArea: '5 acres', LotSizeSquareFeet: '217800' }, '', [5, 'acres']],
    ] as const) {
      test(`${JSON.stringify(row)}${parameters} in ${format}`, async () => {
        const tenant = await service.createTenant();
        const sent = write({ ...HOME, ...row });
        const report = await importFile(service, tenant, { ...sent, query: `?clean=true${parameters}` });
        assert.equal(report.failed, expected === undefined ? 1 : 0, JSON.stringify(report));
        if (expected !== undefined) assert.deepEqual(await find(tenant, ...lot), expected);
      });
    }
  }

  for (const [column, target, unit] of [
    ['Lot (acres)', 'lotSizeArea', 'acres'],
    ['Acres', 'lotSizeArea', 'acres'],
  ] as const) {
    test(`column ${column}`, async () => {
      const tenant = await service.createTenant();
      const body = `externalId,address,beds,baths,${column}\nA,12 Elm Street,3,2,1.125\n`;
      const query = `?clean=true&map[${encodeURIComponent(column)}]=${target}`;
      const { errors } = await importFile(service, tenant, { type: 'text/csv', body, query });
      assert.deepEqual(errors, []);
      assert.deepEqual(await find(tenant, ...lot), [1.125, unit]);
    });
  }

  test('an export changes nothing when it is imported with clean=true', async () => {
    const tenant = await service.createTenant();
    const listing = { ...HOME, lotSizeArea: 1.125, lotSizeUnits: 'acres', livingArea: 1250.5, listPrice: 450_000 };
    await importFile(service, tenant, { type: NDJSON, body: JSON.stringify(listing) });
    const body = await (await service.fetch(tenant, '/v1/listings', { headers: { Accept: 'text/csv' } })).text();
    const { unchanged, cleaned, errors } = await importFile(service, tenant, {
      ...{ type: 'text/csv', body, query: '?clean=true' },
    });
    assert.deepEqual({ unchanged, cleaned, errors }, { unchanged: 1, cleaned: 0, errors: [] });
  });
});

test('with decimal, a number of bathrooms with three decimals is read like other numbers', async () => {
  for (const [decimal, baths, expected] of [
    ['comma', '2,000', 2],
    ['comma', '2.000', undefined],
    ['point', '2.000', 2],
    ['point', '2,000', undefined],
    ['comma', '2.5', 3],
  ] as const) {
    const tenant = await service.createTenant();
    const body = JSON.stringify({ ...HOME, baths });
    await importFile(service, tenant, { type: NDJSON, body, query: `?clean=true&decimal=${decimal}` });
    assert.deepEqual(await find(tenant, 'baths'), [expected], `${decimal}: ${baths}`);
  }
});

test('a JSON number in a text field counts as cleaned', async () => {
  const tenant = await service.createTenant();
  const body = JSON.stringify({ ...HOME, postalCode: 78701 });
  const { cleaned } = await importFile(service, tenant, { type: NDJSON, body, query: '?clean=true' });
  assert.equal(cleaned, 1);
  assert.deepEqual(await find(tenant, 'postalCode'), ['78701']);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listAll, NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { faultsOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { countsOf, runFeed, sendFeed } from '../support/feeds.ts';

const service = await startSharedService();

type Row = Record<string, unknown>;

const toCsv = (rows: readonly Row[], separator: string) => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const quote = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
  const lines = rows.map((row) => names.map((name) => quote(row[name])).join(separator));
  return [names.join(separator), ...lines].join('\n');
};

/** Rows with the required fields. */
const complete = (rows: readonly Row[]) =>
  rows.map((row, index) => ({ externalId: `${index}`, address: '12 Elm Street', beds: 3, baths: 2, ...row }));

/** Writes rows as a file in each format. */
const FORMATS = {
  'CSV with commas': (rows: readonly Row[]) => ({ type: 'text/csv', body: toCsv(rows, ',') }),
  'CSV with semicolons': (rows: readonly Row[]) => ({ type: 'text/csv', body: toCsv(rows, ';') }),
  NDJSON: (rows: readonly Row[]) => ({ type: NDJSON, body: rows.map((row) => JSON.stringify(row)).join('\n') }),
};

function queryOf(parameters: Record<string, string>): string {
  return `?${new URLSearchParams(parameters)}`;
}

async function listingsOf(tenant: Tenant): Promise<Map<unknown, Row>> {
  const { data } = await listAll(service, tenant);
  return new Map(data.map((listing) => [listing.externalId, listing]));
}

for (const [format, send] of Object.entries(FORMATS)) {
  describe(`in ${format}`, () => {
    test('a word means what `values` says, in its field alone, and regardless of case and white space', async () => {
      const tenant = await service.createTenant();
      const rows = complete([
        { status: 'Verkauft', propertyType: 'Wohnung', city: 'Verkauft', beds: 'drei' },
        { status: ' VERKAUFT ', propertyType: 'residential', beds: 4 },
        { status: 'Under  contract', listPrice: 'auf Anfrage', Sold: 'Ja' },
        { status: 'active', listPrice: '450000', Sold: 'x' },
      ]);
      const query = queryOf({
        'values[status:verkauft]': 'closed',
        'values[StandardStatus:Under Contract]': 'Pending',
        'values[propertyType:Wohnung]': 'residential',
        'values[beds:drei]': '3',
        'values[listPrice:Auf Anfrage]': '',
        'values[metadata.sold:ja]': 'yes',
        'map[Sold]': 'metadata.sold',
        clean: 'true',
      });
      const report = await readReport(await sendFile(service, tenant, { ...send(rows), query }));
      assert.deepEqual(report.errors, []);
      const listings = await listingsOf(tenant);
      const read = [...listings.keys()].toSorted().map((id) => {
        const { status, propertyType, city, beds, listPrice, metadata } = listings.get(id) ?? {};
        return [status, propertyType, city, beds, listPrice, Object(metadata).sold];
      });
      assert.deepEqual(read, [
        ['closed', 'residential', 'Verkauft', 3, undefined, undefined],
        ['closed', 'residential', undefined, 4, undefined, undefined],
        ['pending', undefined, undefined, 3, undefined, 'yes'],
        ['active', undefined, undefined, 3, 450_000, 'x'],
      ]);
    });

    test('a row without a value has that of `defaults`; a unit only together with its amount', async () => {
      const tenant = await service.createTenant();
      const rows = complete([
        { city: '', listPrice: 450_000, livingArea: 100, lotSizeArea: 0.5, lotSizeUnits: 'acres', beds: '' },
        { city: 'Waco', listPrice: 450_000, currency: 'USD', livingArea: '', lotSizeArea: '', lotSizeUnits: '' },
        { city: 'Waco', listPrice: '', currency: '', livingArea: '', lotSizeArea: 300, lotSizeUnits: '' },
      ]).map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== '')));
      const query = queryOf({
        'defaults[city]': 'Austin',
        'defaults[beds]': '1',
        'defaults[currency]': 'EUR',
        'defaults[livingAreaUnits]': 'sqm',
        'defaults[lotSizeUnits]': 'sqm',
      });
      const report = await readReport(await sendFile(service, tenant, { ...send(rows), query }));
      assert.deepEqual(report.errors, []);
      const listings = await listingsOf(tenant);
      const read = [...listings.keys()].toSorted().map((id) => {
        const { city, beds, currency, livingAreaUnits, lotSizeUnits } = listings.get(id) ?? {};
        return [city, beds, currency, livingAreaUnits, lotSizeUnits];
      });
      assert.deepEqual(read, [
        ['Austin', 1, 'EUR', 'sqm', 'acres'],
        ['Waco', 3, 'USD', undefined, undefined],
        ['Waco', 3, undefined, undefined, 'sqm'],
      ]);
    });

    for (const [decimal, expected] of Object.entries({
      comma: [267_500, 62.5, undefined, 1_267_500.5, 450_000, undefined],
      point: [undefined, undefined, 62.5, undefined, 450_000, 267_500],
    })) {
      test(`with decimal=${decimal}, each number is read correctly or is an error`, async () => {
        const tenant = await service.createTenant();
        const prices = ['267.500', '62,50', '62.50', '1.267.500,50', '450000', '267,500'];
        const query = queryOf({ clean: 'true', decimal });
        const rows = complete(prices.map((listPrice) => ({ listPrice })));
        await sendFile(service, tenant, { ...send(rows), query });
        const listings = await listingsOf(tenant);
        assert.deepEqual(
          prices.map((_, index) => listings.get(`${index}`)?.listPrice),
          expected,
        );
        const areas = ['62,5', '1.250', '62.5'].map((livingArea) => ({ livingArea }));
        await sendFile(service, tenant, { ...send(complete(areas)), query });
        const changed = await listingsOf(tenant);
        assert.deepEqual(
          areas.map((_, index) => changed.get(`${index}`)?.livingArea),
          decimal === 'comma' ? [62.5, 1250, undefined] : [undefined, 1.25, 62.5],
        );
      });
    }

    test('a warning names a column that has another unit in some rows and none in others', async () => {
      const tenant = await service.createTenant();
      const rows = complete([
        { livingArea: '62,50', listPrice: '€ 302.500,00' },
        { livingArea: '66,80 m²', listPrice: '302.500,50' },
        { livingArea: '70,10 m²', listPrice: '€ 302.500,00' },
      ]);
      const send1 = async (parameters: object, sent = rows) =>
        Object(
          await (
            await sendFile(service, tenant, { ...send(sent), query: queryOf({ clean: 'true', ...parameters }) })
          ).json(),
        );
      const { warnings, failed } = await send1({});
      assert.equal(failed, 0);
      const header = format === 'NDJSON' ? 0 : 1;
      assert.deepEqual(warnings, [
        {
          field: 'currency',
          message:
            `Line ${1 + header} is in EUR, but line ${2 + header} does not name a currency, so a new listing gets USD, ` +
            "the account's default. To define the currency of such values, set defaults[currency].",
        },
        {
          field: 'livingAreaUnits',
          message:
            `Line ${2 + header} is in sqm, but line ${1 + header} does not name a unit, so a new listing gets sqft, ` +
            "the account's default. To define the unit of such values, set defaults[livingAreaUnits].",
        },
      ]);
      const answered = await send1({ 'defaults[currency]': 'EUR', 'defaults[livingAreaUnits]': 'sqm' });
      assert.equal(answered.warnings, undefined);
      const alike = complete([{ listPrice: '$450,000' }, { listPrice: '450000' }, { listPrice: 'USD 450,000' }]);
      assert.equal((await send1({}, alike)).warnings, undefined);
    });
  });
}

describe('with clean, the name of a column can have a unit or currency', () => {
  for (const [columns, cells, expected] of [
    ['Wohnfläche (m²);Preis in EUR', '95,5;300000', [95.5, 'sqm', 300_000, 'EUR']],
    ['Area [sq ft];Price (USD)', '1250;300000', [1250, 'sqft', 300_000, 'USD']],
    ['Sqft;Price', '1250;300000', [1250, 'sqft', 300_000, 'CHF']],
    ['Living area sqm;Price all', '95;300000', [95, 'sqm', 300_000, 'CHF']],
    ['Area (m²);Price in EUR', '1250 sq ft;USD 300000', [1250, 'sqft', 300_000, 'USD']],
    ['Area (rear);Price ($)', '95;300000', [95, 'sqm', 300_000, 'CHF']],
  ] as const) {
    test(columns, async () => {
      const tenant = await service.createTenant();
      await service.sql("update accounts set currency = 'CHF', area_units = 'sqm' where id = ?", tenant.accountId);
      const [area = '', price = ''] = columns.split(';');
      const body = `externalId;address;beds;baths;${columns}\nA;Elm;3;2;${cells}\n`;
      const query = queryOf({ clean: 'true', [`map[${area}]`]: 'livingArea', [`map[${price}]`]: 'listPrice' });
      const report = await readReport(await sendFile(service, tenant, { type: 'text/csv', body, query }));
      assert.deepEqual(report.errors, []);
      assert.equal(Object(report).warnings, undefined);
      const { livingArea, livingAreaUnits, listPrice, currency } = (await listingsOf(tenant)).get('A') ?? {};
      assert.deepEqual([livingArea, livingAreaUnits, listPrice, currency], expected);
    });
  }
});

test('with clean, full and half bathrooms have no fractions, and the error for an unknown word says how to define it', async () => {
  const tenant = await service.createTenant();
  const body =
    'externalId,address,beds,BathroomsFull,BathroomsHalf,listPrice\nA,Elm,3,2.5,1,5\nB,Elm,3,2,1,auf Anfrage\n';
  const { errors } = await readReport(
    await sendFile(service, tenant, { type: 'text/csv', body, query: '?clean=true' }),
  );
  assert.deepEqual(
    errors.map(({ details }) => Object(details?.[0]).message),
    [
      '"2.5" is not a whole number of full or half bathrooms; put the total in its own column.',
      '"auf Anfrage" is not a number such as 450000; if it means that there is no value, ' +
        'set values[listPrice:auf Anfrage]=.',
    ],
  );
});

describe('invalid rules name the parameter', () => {
  for (const [query, fault, message] of [
    ['values[status:Sold]=sold', 'query.values[status:Sold]: invalid_choice', /Must be one of/],
    ['values[Verkauft]=closed', 'query.values[Verkauft]: invalid_format', /FIELD:WORD/],
    ['values[state:TX]=closed', 'query.values[state:TX]: invalid_choice', /did you mean stateOrProvince/],
    ['values[version:1]=1', 'query.values[version:1]: invalid_choice', /no field \\"version\\"/],
    ['values[status:]=closed', 'query.values[status:]: blank', /a word after the field/],
    ['values[beds:three]=three', 'query.values[beds:three]: invalid_type', /Must be a number/],
    [
      'values[status:A]=active&values[StandardStatus:a]=closed',
      'query.values[StandardStatus:a]: duplicate',
      /status:A/,
    ],
    [`values[status:${'x'.repeat(101)}]=closed`, `query.values[status:${'x'.repeat(86)}: too_long`, /100 characters/],
    ['defaults[currency]=Euro', 'query.defaults[currency]: invalid_choice', /ISO 4217/],
    ['defaults[externalId]=A', 'query.defaults[externalId]: invalid_choice', /cannot have a default/],
    ['defaults[citty]=A', 'query.defaults[citty]: invalid_choice', /did you mean city/],
    ['defaults[city]=', 'query.defaults[city]: blank', /Must have a value/],
    ['decimal=comma', 'query.clean: inconsistent', /together with decimal/],
  ] as const) {
    test(query.slice(0, 60), async () => {
      const tenant = await service.createTenant();
      const response = await sendFile(service, tenant, { type: NDJSON, body: '', query: `?${query}` });
      const error = await readError(response, 400, 'invalid_query');
      assert.deepEqual(faultsOf(error), [fault]);
      assert.match(JSON.stringify(error), message);
    });
  }

  test('an unknown word says how to give it a meaning', async () => {
    const tenant = await service.createTenant();
    const body = toCsv(complete([{ status: 'verkauft' }, { status: 'Under contract' }, { beds: '2.5' }]), ',');
    const { errors } = await readReport(await sendFile(service, tenant, { type: 'text/csv', body }));
    const messages = errors.map(({ details }) => Object(details?.[0]).message);
    assert.match(messages[0], /; to define what "verkauft" means, set values\[status:verkauft\]=CHOICE\.$/);
    assert.match(
      messages[1],
      /for "Under contract", did you mean active_under_contract\? If so, set values\[status:Under contract\]=active_under_contract\.$/,
    );
    assert.match(messages[2], /^"2\.5" must be a whole number/);
  });
});

describe('a feed', () => {
  const header = 'Key;Straße;beds;baths;Status\n';
  const csv = `${header}A;Elm 1;3;2;verkauft\nB;Elm 2;3;2;aktiv\n`;
  const map = { 'map[Key]': 'externalId', 'map[Straße]': 'address', 'map[Status]': 'status' };
  const patch = (tenant: Tenant, body: object) =>
    service.fetch(tenant, '/v1/feeds/mls', {
      method: 'PATCH',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });

  test('keeps its own words and columns; parameters add to them', async () => {
    const tenant = await service.createTenant();
    const values = { 'values[status:verkauft]': 'closed', 'values[status:aktiv]': 'active' };
    const run = await runFeed(service, tenant, 'mls', csv, { type: 'text/csv', query: queryOf({ ...map, ...values }) });
    assert.deepEqual(countsOf(run), { rows: 2, created: 2, cleaned: 2 });
    const stored = {
      map: { Key: 'externalId', Straße: 'address', Status: 'status', Agent: '' },
      values: { 'status:verkauft': 'closed' },
    };
    const feed = Object(await (await patch(tenant, stored)).json());
    assert.deepEqual([feed.map, feed.values], [stored.map, stored.values]);
    const added = `${csv.replace('\n', ';Notes\n').replaceAll(/(verkauft|aktiv)\n/g, '$1;x\n')}`;
    const query = queryOf({ 'map[Notes]': 'metadata.notes', 'values[status:aktiv]': 'active' });
    const next = await runFeed(service, tenant, 'mls', added, { type: 'text/csv', query });
    assert.deepEqual(countsOf(next), { rows: 2, updated: 2, cleaned: 2 });
    const same = await runFeed(service, tenant, 'mls', added, { type: 'text/csv', query });
    assert.deepEqual(countsOf(same), { rows: 2, unchanged: 2, cleaned: 2 });
  });

  test('replaces a stored word with another spelling of it', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', csv, { type: 'text/csv', query: queryOf({ ...map, failedMax: '2' }) });
    await patch(tenant, { values: { 'status:Verkauft': 'closed' } });
    const query = queryOf({ ...map, 'values[StandardStatus:verkauft]': 'pending', failedMax: '1' });
    const run = await runFeed(service, tenant, 'mls', csv, { type: 'text/csv', query });
    assert.deepEqual(countsOf(run), { rows: 2, created: 1, failed: 1, cleaned: 1 });
    const { values } = Object(await (await patch(tenant, { values: { 'status:VERKAUFT': 'pending' } })).json());
    assert.deepEqual(values, { 'status:VERKAUFT': 'pending' });
  });

  test('has settings of a limited length', async () => {
    const tenant = await service.createTenant();
    await runFeed(service, tenant, 'mls', csv, { type: 'text/csv', query: queryOf({ ...map, failedMax: '2' }) });
    const columns = Array.from({ length: 70 }, (_, index) => [`${100 + index}${'x'.repeat(195)}`, '']);
    const words = (start: string) =>
      Object.fromEntries(
        Array.from({ length: 70 }, (_, index) => [`description:${start}${index}${'x'.repeat(90)}`, 'z'.repeat(90)]),
      );
    const first = await patch(tenant, { map: Object.fromEntries(columns) });
    assert.equal(first.status, 200, await first.text());
    assert.equal((await patch(tenant, { values: words('a') })).status, 200);
    const error = await readError(await patch(tenant, { values: words('b') }), 422, 'validation_failed');
    assert.match(JSON.stringify(error), /32768 characters as JSON/);
  });

  test('a column with a new name takes the field of the old one, in a run and in the settings', async () => {
    const tenant = await service.createTenant();
    const all = { type: 'text/csv', query: queryOf({ ...map, failedMax: '100%' }) };
    await runFeed(service, tenant, 'mls', csv.replace(/verkauft|aktiv/g, 'active'), all);
    const stored = { map: { Key: 'externalId', Straße: 'address', Status: 'status', Agent: '' } };
    await patch(tenant, stored);
    const renamed = `${header.replace('Straße', 'Adresse')}A;Elm 9;3;2;active\nB;Elm 2;3;2;active\n`;
    const old = await sendFeed(service, tenant, 'mls', renamed, { type: 'text/csv' });
    assert.match((await readError(old, 422, 'validation_failed')).message, /2 columns cannot be imported/);
    const query = queryOf({ 'map[Adresse]': 'address' });
    const run = await runFeed(service, tenant, 'mls', renamed, { type: 'text/csv', query });
    assert.deepEqual(countsOf(run), { rows: 2, updated: 1, unchanged: 1 });
    const feed = Object(await (await patch(tenant, { map: { Adresse: 'UnparsedAddress', Agent: null } })).json());
    assert.deepEqual(feed.map, { Key: 'externalId', Status: 'status', Adresse: 'UnparsedAddress' });
  });

  test('warns of missing units, even if the rows that name a unit are unchanged', async () => {
    const tenant = await service.createTenant();
    const file = (...areas: string[]) =>
      `externalId,address,beds,baths,livingArea\n${areas.map((area, index) => `${index},Elm ${index},3,2,${area}\n`).join('')}`;
    const query = '?clean=true';
    const sent = { type: 'text/csv', query };
    const first = await runFeed(service, tenant, 'mls', file('66.8 m²', '70 m²'), sent);
    assert.equal(first.warnings, undefined);
    const next = await runFeed(service, tenant, 'mls', file('66.8 m²', '70 m²', '62.5'), sent);
    assert.deepEqual(countsOf(next), { rows: 3, created: 1, unchanged: 2, cleaned: 2 });
    assert.match(JSON.stringify(next.warnings), /Line 2 is in sqm, but line 4 does not name a unit/);
    const plan = Object(
      await (
        await sendFeed(service, tenant, 'mls', file('66.8 m²', '62.5'), { ...sent, query: '?clean=true&dryRun=true' })
      ).json(),
    );
    assert.match(JSON.stringify(plan.warnings), /Line 2 is in sqm, but line 3 does not name a unit/);
  });
});

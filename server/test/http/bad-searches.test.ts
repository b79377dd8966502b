import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill } from '../../../testkit/src/listings.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { faultsOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { FILTERS } from '../../src/model/search.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
await fill(service, tenant, 1);

const ask = (query: string) => service.fetch(tenant, `/v1/listings?${query}`);

type Refusal = [query: string, ...faults: string[]];

const near = 'near=30,-97';

const badValues: Refusal[] = [
  // Choices.
  ['status=sold', 'query.status: invalid_choice'],
  ['status=Active', 'query.status: invalid_choice'],
  ['status=%20active', 'query.status: invalid_choice'],
  ['status=active,', 'query.status: invalid_choice'],
  ['status=,active', 'query.status: invalid_choice'],
  ['status=active,active', 'query.status: duplicate'],
  ['status=active;pending', 'query.status: invalid_choice'],
  ['status=', 'query.status: blank'],
  ['status=active&status=pending', 'query.status: duplicate'],
  ['propertyType=house', 'query.propertyType: invalid_choice'],
  // Strings.
  ['city=', 'query.city: blank'],
  ['city=%20%09', 'query.city: blank'],
  [`city=${'x'.repeat(51)}`, 'query.city: too_long'],
  ['city=a%00b', 'query.city: invalid_format'],
  ['city=Austin&city=Austin', 'query.city: duplicate'],
  ['city[]=', 'query.city[]: blank'],
  ['city[]=Austin&city[]=', 'query.city[]: blank'],
  ['city=Austin&city[]=Waco', 'query.city[]: inconsistent'],
  [`city[]=Austin&city%5B%5D=${'x'.repeat(51)}`, 'query.city[][1]: too_long'],
  ['city[]=Waco&'.repeat(51), 'query.city[]: too_long'],
  ['stateOrProvince[]=a%00b', 'query.stateOrProvince[][0]: invalid_format'],
  ['country=USA', 'query.country: too_long'],
  ['feed=MLS', 'query.feed: invalid_format'],
  ['feed[]=mls&feed[]=a/b', 'query.feed[][1]: invalid_format'],
  [`feed=${'x'.repeat(65)}`, 'query.feed: invalid_format'],
  [`postalCode=${'1'.repeat(11)}`, 'query.postalCode: too_long'],
  [`externalId=${'x'.repeat(256)}`, 'query.externalId: too_long'],
  ['externalId=..', 'query.externalId: invalid_format'],
  // Numbers.
  ['beds=two', 'query.beds: invalid_type'],
  ['beds=2.5', 'query.beds: not_an_integer'],
  ['beds=3,two', 'query.beds: invalid_type'],
  ['beds=3,', 'query.beds: invalid_choice'],
  ['beds=,3', 'query.beds: invalid_choice'],
  ['beds=3,4,3', 'query.beds: duplicate'],
  [
    'beds=-1,x,5,5,',
    ...['duplicate', 'invalid_choice', 'invalid_type', 'out_of_range'].map((code) => `query.beds: ${code}`),
  ],
  ['beds=3,%204', 'query.beds: not_an_integer'],
  ['baths=1,-1', 'query.baths: out_of_range'],
  [`baths=${Array.from({ length: 51 }, (_, index) => index).join()}`, 'query.baths: too_long'],
  ['beds[gte]=3,4', 'query.beds[gte]: invalid_type'],
  ['closePrice[gte]=1,5', 'query.closePrice[gte]: invalid_type'],
  ['lotSizeArea=-1', 'query.lotSizeArea: out_of_range'],
  ['beds[gte]=3.0', 'query.beds[gte]: not_an_integer'],
  ['beds[gte]=1e1', 'query.beds[gte]: not_an_integer'],
  ['beds[gte]=%203', 'query.beds[gte]: not_an_integer'],
  ['beds[gte]=-1', 'query.beds[gte]: out_of_range'],
  ['beds[lt]=9999999999999', 'query.beds[lt]: out_of_range'],
  ['beds[lt]=', 'query.beds[lt]: blank'],
  ['beds[lt]=3&beds%5Blt%5D=4', 'query.beds[lt]: duplicate'],
  ['listPrice=free', 'query.listPrice: invalid_type'],
  ['listPrice=450,000', 'query.listPrice: invalid_type'],
  ['listPrice=$5', 'query.listPrice: invalid_type'],
  ['listPrice=0x10', 'query.listPrice: invalid_type'],
  ['listPrice=Infinity', 'query.listPrice: invalid_type'],
  ['listPrice[gt]=NaN', 'query.listPrice[gt]: invalid_type'],
  ['listPrice[gt]=1e400', 'query.listPrice[gt]: out_of_range'],
  ['listPrice[gt]=-0.01', 'query.listPrice[gt]: out_of_range'],
  ['livingArea[lte]=1000000000000', 'query.livingArea[lte]: out_of_range'],
  ['yearBuilt=MCMXC', 'query.yearBuilt: invalid_type'],
  // Times.
  ['createdAt[gte]=yesterday', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026-01', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026-02-29', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026-13-01', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026-01-31T09:30:00', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026-01-31T09:30:60Z', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026-01-31%2009:30:00Z', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=2026-01-31T09:30:00+02:00', 'query.createdAt[gte]: invalid_format'],
  ['createdAt[gte]=1769851800', 'query.createdAt[gte]: invalid_format'],
  ['updatedAt[lt]=9999-12-31T23:59:59-01:00', 'query.updatedAt[lt]: out_of_range'],
  ['updatedAt[lt]=0000-01-01T00:00:00%2B01:00', 'query.updatedAt[lt]: out_of_range'],
  // Dates.
  ['onMarketDate[gte]=2026-02-29', 'query.onMarketDate[gte]: invalid_format'],
  ['onMarketDate[gte]=2026-11-22T00:00:00Z', 'query.onMarketDate[gte]: invalid_format'],
  ['closeDate[lt]=22.11.2026', 'query.closeDate[lt]: invalid_format'],
  ['closeDate[lt]=2026-11-22%20', 'query.closeDate[lt]: invalid_format'],
  ['closeDate[lt]=', 'query.closeDate[lt]: blank'],
  // Places.
  ['bbox=1,2,3', 'query.bbox: invalid_format'],
  ['bbox=1,2,3,4,5', 'query.bbox: invalid_format'],
  ['bbox=1,2,3,', 'query.bbox: invalid_format'],
  ['bbox=a,b,c,d', 'query.bbox: invalid_format'],
  ['bbox=1;2;3;4', 'query.bbox: invalid_format'],
  ['bbox=-181,0,0,1', 'query.bbox: out_of_range'],
  ['bbox=0,0,180.5,1', 'query.bbox: out_of_range'],
  ['bbox=0,-91,1,1', 'query.bbox: out_of_range'],
  ['bbox=0,0,1,90.1', 'query.bbox: out_of_range'],
  ['bbox=0,2,1,1', 'query.bbox: inconsistent'],
  ['near=30,-97', 'query.radius: inconsistent'],
  ['radius=5km', 'query.near: inconsistent'],
  ['near=30&radius=5km', 'query.near: invalid_format'],
  ['near=30,-97,1&radius=5km', 'query.near: invalid_format'],
  ['near=Austin&radius=5km', 'query.near: invalid_format'],
  ['near=91,0&radius=5km', 'query.near: out_of_range'],
  ['near=0,181&radius=5km', 'query.near: out_of_range'],
  [`${near}&radius=5`, 'query.radius: invalid_format'],
  [`${near}&radius=5%20km`, 'query.radius: invalid_format'],
  [`${near}&radius=5KM`, 'query.radius: invalid_format'],
  [`${near}&radius=5ft`, 'query.radius: invalid_format'],
  [`${near}&radius=km`, 'query.radius: invalid_format'],
  [`${near}&radius=-5km`, 'query.radius: invalid_format'],
  [`${near}&radius=0m`, 'query.radius: out_of_range'],
  [`${near}&radius=20016km`, 'query.radius: out_of_range'],
  [`${near}&radius=`, 'query.radius: blank'],
  // Words.
  ['q=', 'query.q: blank'],
  ['q=%20', 'query.q: blank'],
  ['q=...', 'query.q: blank'],
  ['q=%CC%81', 'query.q: blank'],
  ['q=a%00b', 'query.q: invalid_format'],
  [`q=${'x'.repeat(201)}`, 'query.q: too_long'],
  ['q=a&q=b', 'query.q: duplicate'],
  // Order and count.
  ['sort=price', 'query.sort: invalid_choice'],
  ['sort=yearBuilt', 'query.sort: invalid_choice'],
  ['sort=id', 'query.sort: invalid_choice'],
  ['sort=distance', 'query.near: inconsistent'],
  ['sort=-distance', 'query.near: inconsistent'],
  ['fields=id,distance', 'query.near: inconsistent'],
  ['sort=closeDate', 'query.sort: invalid_choice'],
  ['sort=+beds', 'query.sort: invalid_choice'],
  ['sort=--beds', 'query.sort: invalid_choice'],
  ['sort=beds,baths', 'query.sort: invalid_choice'],
  ['sort=', 'query.sort: blank'],
  ['sort=beds&sort=baths', 'query.sort: duplicate'],
  ['count=1', 'query.count: invalid_choice'],
  ['count=yes', 'query.count: invalid_choice'],
  ['count=TRUE', 'query.count: invalid_choice'],
  ['count', 'query.count: blank'],
  // Several issues at once.
  [
    'beds=x&limit=0&near=1,2&sort=price&status=sold&city=',
    ...['query.beds: invalid_type', 'query.city: blank', 'query.limit: out_of_range', 'query.radius: inconsistent'],
    ...['query.sort: invalid_choice', 'query.status: invalid_choice'],
  ],
];

describe('an invalid value is rejected, and every issue is named', () => {
  for (const [query, ...faults] of badValues) {
    test(query.slice(0, 80), async () => {
      const error = await readError(await ask(query), 400, 'invalid_query');
      assert.deepEqual(faultsOf(error), faults);
      for (const { message } of error.details ?? []) assert.match(message, /^[A-Z].*[.?]$/s);
    });
  }
});

test('the error for a repeated or combined string says how to give several values', async () => {
  for (const [query, said] of [
    ['city=Austin&city=Waco', 'query.city: Must be given only once; for several values, use city[]=…&city[]=….'],
    ['city=Austin&city[]=Waco', 'query.city[]: Must not be combined with city; give all values as city[].'],
    ['listPrice=3&listPrice=4', 'query.listPrice: Must be given only once.'],
    ['city[]=a&'.repeat(51), 'query.city[]: Must be given at most 50 times; send the other values in another request.'],
    ['sort=-distance', 'query.near: Is required for distance in sort.'],
  ] as const) {
    assert.equal((await readError(await ask(query), 400, 'invalid_query')).message, said);
  }
});

const unknownNames: [name: string, hint: string][] = [
  ['bed', '"beds"'],
  ['stauts', '"status"'],
  ['City', '"city"'],
  ['beds[gtee]', '"beds[gte]"'],
  ['beds%5Bgtee%5D', '"beds[gte]"'],
  ['beds[ge]', '"beds[gte]"'],
  ['beds[]', '"beds"'],
  ['beds[greaterThanOrEqual]', 'similar parameters: beds, beds[gt], beds[gte], beds[lt], beds[lte].'],
  ['listprice[gte]', '"listPrice[gte]"'],
  ['status[]', '"status"'],
  ['city[startsWith]', 'similar parameters: city, city[].'],
  ['createdAt', 'createdAt[gt], createdAt[gte], createdAt[lt], createdAt[lte]'],
  ['price', 'Did you mean "listPrice"?'],
  ['price%5Bgte%5D', 'Did you mean "listPrice[gte]"?'],
  ['zzzzzz', 'this request accepts status, propertyType,'],
  ['x', 'this request accepts status, propertyType,'],
  ['id', 'this request accepts status, propertyType,'],
  ['state', 'Did you mean "stateOrProvince"?'],
  ['zip[]', 'Did you mean "postalCode[]"?'],
  ['soldPrice[gte]', 'Did you mean "closePrice[gte]"?'],
  ['listDate[gte]', 'Did you mean "onMarketDate[gte]"?'],
  ['closeDate', 'closeDate[gt], closeDate[gte], closeDate[lt], closeDate[lte]'],
  ['listPrice[]', '"listPrice"'],
  ['Q', '"q"'],
  ['colour', 'listPrice[gte]'],
  ['latitude', 'Did you mean "near"?'],
  ['stat', 'Did you mean "status"?'],
  ['count[]', 'Did you mean "count"?'],
  ['page', 'Did you mean "cursor"?'],
  ['minPrice', 'Did you mean "listPrice[gte]"?'],
];

describe('the error for an unknown name suggests the nearest name or lists all names', () => {
  for (const [name, hint] of unknownNames) {
    test(name, async () => {
      const { message, details = [] } = await readError(await ask(`${name}=3`), 400, 'unknown_parameter');
      assert.ok(message.includes(hint), message);
      assert.deepEqual(faultsOf({ code: '', message, requestId: '', details }), [
        `query.${decodeURIComponent(name)}: unknown_field`,
      ]);
    });
  }

  test('the error for an invalid value suggests the nearest choice or lists all choices', async () => {
    for (const [query, hint] of [
      ['status=activ', 'Did you mean "active"?'],
      ['status=sold', 'Did you mean "closed"?'],
      ['sort=-price', 'Did you mean "-listPrice"?'],
      ['status=zzzzzz', 'Use one of coming_soon, active,'],
      ['propertyType=residental', 'Did you mean "residential"?'],
      ['sort=-listprice', 'Did you mean "-listPrice"?'],
      ['fields=adress', 'Did you mean "address"?'],
      ['fields=x', 'Use one of id, '],
      ['status=active,,pending', 'Value 2 is empty; remove the extra comma.'],
      ['status=,active', 'Value 1 is empty'],
      ['fields=id,', 'Value 2 is empty'],
    ]) {
      const { message } = await readError(await ask(String(query)), 400, 'invalid_query');
      assert.ok(message.includes(String(hint)), message);
    }
  });

  test('an unknown name and an invalid value are reported together', async () => {
    const error = await readError(await ask('bed=3&beds=x&radius=5'), 400, 'unknown_parameter');
    assert.deepEqual(faultsOf(error), [
      'query.bed: unknown_field',
      'query.beds: invalid_type',
      'query.near: inconsistent',
      'query.radius: invalid_format',
    ]);
  });
});

describe('invalid percent-encoded UTF-8 is rejected, never guessed', () => {
  const garbled = ['%FF', 'a%C3', '%C3%28', '%ED%A0%80', '%', '50%', '%zz', '%2'];
  for (const value of garbled) {
    test(`city=${value}`, async () => {
      for (const name of ['city', 'q', 'status', 'beds[gte]', 'near', 'cursor', 'fields', 'limit', 'count']) {
        const head = `GET /v1/listings?${name}=${value}&radius=5km&sort=beds HTTP/1.1\r\nHost: localhost\r\n`;
        const reply = await sendRaw(service.url, `${head}Authorization: Bearer ${tenant.key}\r\n\r\n`);
        const { error } = JSON.parse(reply.body);
        assert.deepEqual([reply.status, error.code], [400, 'invalid_query']);
        const [fault] = error.details.filter(({ field }: { field: string }) => field === `query.${name}`);
        assert.equal(fault.code, 'invalid_format');
        assert.match(fault.message, /percent-encoded UTF-8/);
      }
    });
  }

  test('also in queries of events and imports, and in parameter names', async () => {
    for (const path of ['/v1/events?epoch=%FF', '/v1/events?after=%FF']) {
      const error = await readError(await service.fetch(tenant, path), 400, 'invalid_query');
      assert.match(error.message, /percent-encoded UTF-8/);
    }
    const type = { 'Content-Type': 'text/csv' };
    const sent = { method: 'POST', headers: type, body: 'address,beds,baths\n' };
    await readError(await service.fetch(tenant, '/v1/imports?dryRun=%FF', sent), 400, 'invalid_query');
    await readError(await ask('%FF=1'), 400, 'unknown_parameter');
  });

  test('unencoded bytes are rejected', async () => {
    const head = `GET /v1/listings?city=\u00c3\u00bc HTTP/1.1\r\nHost: localhost\r\n`;
    const { status, body } = await sendRaw(service.url, `${head}Authorization: Bearer ${tenant.key}\r\n\r\n`);
    assert.deepEqual([status, JSON.parse(body).error.code], [400, 'invalid_header']);
    assert.match(JSON.parse(body).error.message, /percent-encode them as UTF-8/);
  });

  test('valid percent-encoding is accepted', async () => {
    for (const value of ['%C3%BC', 'Z%c3%bcrich', '50%25', 'a+b', '%F0%9F%98%80', "!'()*~"]) {
      assert.equal((await ask(`city=${value}`)).status, 200, value);
    }
  });
});

test('an invalid query is rejected before If-None-Match is checked', async () => {
  const response = await service.fetch(tenant, '/v1/listings?sort=price', { headers: { 'If-None-Match': '*' } });
  await readError(response, 400, 'invalid_query');
});

test('every filter is a documented parameter of the list', async () => {
  const document = JSON.parse(await (await fetch(`${service.url}/v1/openapi.json`)).text());
  const names = document.paths['/listings'].get.parameters.map(({ name }: { name?: string }) => name?.split('[')[0]);
  for (const { field } of FILTERS) assert.ok(names.includes(field), field);
});

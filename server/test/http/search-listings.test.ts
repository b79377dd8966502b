import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readList } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import type { Listing } from '../../src/model/listings.ts';
import { SORT_FIELDS } from '../../src/model/search.ts';
import { readPages } from '../support/pages.ts';
import { createRandom, searchParameters } from '../support/random-listings.ts';
import { type Parameters, search, toQuery } from '../support/search-model.ts';

const LISTINGS = 300;
const { MODEL_RUNS = '150' } = process.env;

const service = await startSharedService();
const tenant = await service.createTenant();
await createRandom(service, tenant, LISTINGS, 1);
// Another account's listings must never be found.
await createRandom(service, await service.createTenant(), 50, 1);
const all = await list<Listing>({});

async function list<T = { id: string }>(parameters: Parameters): Promise<T[]> {
  const response = await service.fetch(tenant, `/v1/listings${toQuery(parameters)}`);
  const text = await response.text();
  assert.equal(response.status, 200, `${toQuery(parameters)}: ${text}`);
  return JSON.parse(text).data;
}

const idsOf = (listings: readonly { id: string }[]) => listings.map(({ id }) => id);

async function assertFound(parameters: Parameters): Promise<number> {
  const expected = search(all, parameters);
  assert.deepEqual(await list(parameters), expected, toQuery(parameters));
  return expected.length;
}

/** A time of the listing at this index. */
const timeOf = (field: 'createdAt' | 'updatedAt', index: number) => String(all[index % all.length]?.[field]);

const timeFilter = fc
  .tuple(fc.constantFrom('createdAt', 'updatedAt'), fc.constantFrom('gt', 'gte', 'lt', 'lte'), fc.nat(LISTINGS))
  .map(([field, operator, index]): Parameters => ({ [`${field}[${operator}]`]: timeOf(field, index) }));

/** Some filters and an optional sort order. */
const parameters = fc
  .tuple(searchParameters, fc.option(timeFilter, { nil: {}, freq: 4 }))
  .map((parts): Parameters => Object.assign({}, ...parts));

describe('filters find exactly the matching listings', () => {
  const cases: [parameters: Parameters, least: number][] = [
    [{ status: 'active' }, 10],
    [{ status: 'active,pending,closed' }, 50],
    [{ propertyType: 'land' }, 5],
    [{ propertyType: 'land,farm' }, 10],
    [{ city: 'Austin' }, 20],
    [{ city: 'AUSTIN.' }, 20],
    [{ city: 'Cañon-City' }, 10],
    [{ city: '?' }, 10],
    [{ city: 'Waco' }, 0],
    [{ 'city[]': ['Austin', 'Waco', 'sao paulo', 'austin'] }, 40],
    [{ 'city[]': Array.from({ length: 50 }, (_, index) => (index === 49 ? 'austin' : `City ${index}`)) }, 20],
    [{ stateOrProvince: 'tx' }, 20],
    [{ 'stateOrProvince[]': ['Texas', 'Nordrhein Westfalen'] }, 40],
    [{ country: 'us' }, 40],
    [{ 'country[]': ['US', 'br'] }, 80],
    [{ 'postalCode[]': ['00701', 'sw1a-1aa'] }, 40],
    [{ 'externalId[]': [`${tenant.accountId} 1 17`, ` ${tenant.accountId} 1 18`, 'x'] }, 2],
    [{ feed: 'mls' }, 0],
    [{ 'feed[]': ['mls', 'mls-2'] }, 0],
    [{ city: 'São Paulo' }, 10],
    [{ city: '  Sa\u0303o Paulo ' }, 10],
    [{ city: 'St. John’s, NL' }, 10],
    [{ postalCode: '00701' }, 20],
    [{ externalId: `${tenant.accountId} 1 17` }, 1],
    [{ beds: '3' }, 10],
    [{ beds: '3,4' }, 50],
    [{ beds: '4,0,999999999999', baths: '1,3' }, 20],
    [{ beds: '2,3', 'beds[gt]': '2' }, 10],
    [{ 'closePrice[gte]': '450000', 'listPrice[lt]': '450000' }, 10],
    [{ closePrice: '0.01' }, 10],
    [{ 'lotSizeArea[lte]': '0.25' }, 50],
    [{ 'onMarketDate[gt]': '2026-02-28' }, 50],
    [{ 'onMarketDate[gte]': '2026-02-28', 'onMarketDate[lt]': '2026-03-01' }, 20],
    [{ 'closeDate[lte]': '1999-12-31' }, 20],
    [{ 'closeDate[lt]': '1999-12-31' }, 0],
    [{ q: '4B', 'country[]': ['US', 'DE'] }, 10],
    [{ q: 'sw1a' }, 20],
    [{ q: `${tenant.accountId.slice(4)} 29` }, 2],
    [{ near: '0,0', radius: '20015km', sort: '-distance' }, 150],
    [{ near: '0,0', radius: '9000km', sort: 'distance', 'onMarketDate[gt]': '2000-01-01' }, 10],
    [{ 'beds[gt]': '3' }, 10],
    [{ 'beds[gte]': '3' }, 50],
    [{ 'beds[lt]': '1' }, 10],
    [{ 'beds[lte]': '1' }, 50],
    [{ 'beds[gte]': '1', 'beds[lt]': '3', baths: '2' }, 10],
    [{ listPrice: '450000.50' }, 10],
    [{ listPrice: '4.5e5' }, 10],
    [{ 'listPrice[gte]': '0' }, 100],
    [{ 'listPrice[gt]': '450000' }, 50],
    [{ 'listPrice[lte]': '999999999999.99' }, 100],
    [{ 'livingArea[lt]': '50.5' }, 10],
    [{ 'yearBuilt[gte]': '1995' }, 10],
    [{ yearBuilt: '0' }, 0],
    [{ 'yearBuilt[gte]': '-0' }, 10],
    [{ 'lotSizeArea[gt]': '-0.0' }, 50],
    [{ 'createdAt[gte]': '2020-01-01' }, LISTINGS],
    [{ 'createdAt[lt]': '2020-01-01' }, 0],
    [{ 'updatedAt[lte]': '2999-12-31T23:59:59.999+14:00' }, LISTINGS],
    [{ bbox: '-180,-90,180,90' }, 150],
    [{ bbox: '-98,30,-97,31' }, 1],
    [{ near: '30.2672,-97.7431', radius: '3000km' }, 5],
    [{ near: '0,0', radius: '20015km' }, 150],
    [{ q: 'elm' }, 50],
    [{ q: 'elm', status: 'active', 'beds[gte]': '1' }, 1],
  ];
  for (const [given, least] of cases) {
    test(toQuery(given), async () => {
      const count = await assertFound(given);
      assert.ok(count >= least, `${count} listings`);
    });
  }

  test('with any combination of filters and sort order', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, async (given) => void (await assertFound(given))),
      { numRuns: Number(MODEL_RUNS) },
    );
  });

  test('with or without encoded brackets', async () => {
    const expected = idsOf(search(all, { 'beds[gte]': '3' }));
    for (const query of ['beds[gte]=3', 'beds%5Bgte%5D=3', 'beds%5bgte]=3']) {
      const { data } = await readList(await service.fetch(tenant, `/v1/listings?${query}`));
      assert.deepEqual(idsOf(data), expected, query);
    }
  });
});

test('times are compared to the last digit', async () => {
  const time = timeOf('createdAt', 5);
  const same = all.filter(({ createdAt }) => createdAt === time).length;
  const count = async (operator: string, digits: string) =>
    (await list({ [`createdAt[${operator}]`]: time.replace('Z', `${digits}Z`) })).length;
  for (const digits of ['000', '']) {
    assert.equal((await count('gte', digits)) - (await count('gt', digits)), same);
    assert.equal((await count('lte', digits)) - (await count('lt', digits)), same);
  }
  // Later, but within the same millisecond.
  assert.equal(await count('gte', '001'), await count('gt', ''));
  assert.equal(await count('gt', '001'), await count('gt', ''));
  assert.equal(await count('lt', '001'), await count('lte', ''));
  assert.equal(await count('lte', '001'), await count('lte', ''));
});

test('every documented parameter has an example that works', async () => {
  const document = JSON.parse(await (await fetch(`${service.url}/v1/openapi.json`)).text());
  const described: { name: string; in: string; example?: unknown; description: string }[] = document.paths[
    '/listings'
  ].get.parameters.filter((parameter: { in?: string }) => parameter.in === 'query');
  const examples = Object.fromEntries(described.map(({ name, example }) => [name, String(example)]));
  const partners: Record<string, string> = { near: 'radius', radius: 'near' };
  for (const { name, description } of described) {
    assert.ok(description.length > 10, name);
    // Cursors expire, so they have no example.
    if (name === 'cursor') continue;
    assert.notEqual(examples[name], 'undefined', name);
    const names = [name, partners[name] ?? name];
    await list(Object.fromEntries(names.map((each) => [each, String(examples[each])])));
  }
  assert.ok(described.length > 40);
});

describe('every sort order has each listing once: missing values last, ties newest first', () => {
  for (const field of SORT_FIELDS) {
    for (const sort of [field, `-${field}`]) {
      test(sort, async () => {
        assert.equal(await assertFound({ sort }), LISTINGS);
      });
    }
  }
});

const limits = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 3 });

test('pages together are the complete list for every filter and sort order', async () => {
  await fc.assert(
    fc.asyncProperty(parameters, limits, async (given, some) => {
      const ids = await readPages(service, tenant, { parameters: given, limits: some });
      assert.deepEqual(ids, idsOf(search(all, given)), toQuery(given));
    }),
    { numRuns: Math.ceil(Number(MODEL_RUNS) / 3) },
  );
});

test('with a cursor and no limit, the response has all remaining listings; fields, count, and format may change', async () => {
  for (const given of [
    { sort: '-listPrice' },
    { q: 'elm', sort: 'beds' },
    { near: '0,0', radius: '9000km' },
  ] as const) {
    const expected = idsOf(search(all, given));
    const first = await readList(await service.fetch(tenant, `/v1/listings${toQuery({ ...given, limit: '20' })}`));
    const cursor = String(first.nextCursor);
    for (const change of [{ limit: '7' }, { fields: 'id' }, { count: 'true', fields: 'id,beds' }, {}]) {
      const rest = await list({ ...given, ...change, cursor });
      const end = 'limit' in change ? 27 : undefined;
      assert.deepEqual(idsOf(rest), expected.slice(20, end));
    }
    const response = await service.fetch(tenant, `/v1/listings${toQuery({ ...given, cursor })}`, {
      headers: { Accept: 'application/geo+json' },
    });
    assert.deepEqual(idsOf(JSON.parse(await response.text()).features), expected.slice(20));
  }
});

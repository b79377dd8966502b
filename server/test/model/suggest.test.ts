import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROPERTY_TYPES, STATUSES } from '../../src/model/listings.ts';
import { suggest } from '../../src/model/suggest.ts';

const FIELDS = [
  'address',
  'beds',
  'listPrice',
  'closePrice',
  'onMarketDate',
  'closeDate',
  'livingArea',
  'postalCode',
  'stateOrProvince',
  'status',
  'propertyType',
];
const PARAMETERS = [
  ...['beds', 'listPrice'].flatMap((name) => [name, ...['gt', 'gte', 'lt', 'lte'].map((by) => `${name}[${by}]`)]),
  ...['sort', 'limit', 'q'],
];

const SUGGESTIONS: [given: string, known: readonly string[], meant: string | undefined][] = [
  ['sold', STATUSES, 'closed'],
  ['Contingent', STATUSES, 'active_under_contract'],
  ['cancelled', STATUSES, 'canceled'],
  ['for sale', STATUSES, 'active'],
  ['Coming Soon', STATUSES, 'coming_soon'],
  ['holdd', STATUSES, 'hold'],
  ['Condo', PROPERTY_TYPES, 'residential'],
  ['Price', FIELDS, 'listPrice'],
  ['Bedrooms', FIELDS, 'beds'],
  ['Zip', FIELDS, 'postalCode'],
  ['Sq Ft', FIELDS, 'livingArea'],
  ['Sold Price', FIELDS, 'closePrice'],
  ['List Date', FIELDS, 'onMarketDate'],
  ['closing_date', FIELDS, 'closeDate'],
  ['list_price', FIELDS, 'listPrice'],
  ['adress', FIELDS, 'address'],
  ['price[gte]', PARAMETERS, 'listPrice[gte]'],
  ['listPrice[min]', PARAMETERS, 'listPrice[gte]'],
  ['price[From]', PARAMETERS, 'listPrice[gte]'],
  ['listPrice[max]', PARAMETERS, 'listPrice[lte]'],
  ['listPrice[to]', PARAMETERS, 'listPrice[lte]'],
  ['bedz[le]', PARAMETERS, 'beds[lte]'],
  ['beds[ge]', PARAMETERS, 'beds[gte]'],
  ['beds[eq]', PARAMETERS, 'beds'],
  ['[min]', PARAMETERS, undefined],
  ['-price', ['listPrice', '-listPrice'], '-listPrice'],
  ['-listprice', ['listPrice', '-listPrice'], '-listPrice'],
  ['bedrooms', PARAMETERS, 'beds'],
  ['search', PARAMETERS, 'q'],
  ['constructor', FIELDS, undefined],
  ['__proto__', FIELDS, undefined],
  ['', FIELDS, undefined],
  ['[gte]', PARAMETERS, undefined],
  ['x'.repeat(100_000), FIELDS, undefined],
];

for (const [given, known, meant] of SUGGESTIONS) {
  test(`"${given.slice(0, 20)}" probably means ${meant ?? 'nothing known'}`, () => {
    assert.equal(suggest(given, known), meant);
  });
}

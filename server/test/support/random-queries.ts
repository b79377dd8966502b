import fc from 'fast-check';
import {
  AREAS,
  CITIES,
  DATES,
  EXTERNAL_IDS,
  LATITUDES,
  LONGITUDES,
  PRICES,
  STATES,
  seldom,
} from '../../../testkit/src/random-values.ts';
import { SORT_FIELDS } from '../../src/model/search.ts';

type Parameter = fc.Arbitrary<string>;

function parameter(name: fc.Arbitrary<string>, values: readonly string[]): Parameter {
  return fc.tuple(name, fc.constantFrom(...values)).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
}

const named = (name: string, ...values: string[]) => parameter(fc.constant(name), values);
const several = (name: string, ...values: string[]) =>
  fc.array(named(`${name}[]`, ...values), { minLength: 1, maxLength: 3 }).map((all) => all.join('&'));
const ranged = (field: string, ...values: string[]) =>
  parameter(fc.constantFrom(...['', '[gt]', '[gte]', '[lt]', '[lte]'].map((operator) => field + operator)), values);
/** Filters on times, which support only ranges. */
const since = (field: string, ...values: string[]) =>
  parameter(fc.constantFrom(`${field}[gt]`, `${field}[gte]`, `${field}[lt]`, `${field}[lte]`), values);

const WORDS = [..."elm|ÉLAN|strasse|5|οδος|東|w|i|fi|d' !a & b:*|x |e s".split('|'), 'w'.repeat(200)];
const RADII = ['1m', '300km', '2000mi', '15000km', '20000km'];

const near = fc
  .tuple(fc.constantFrom(...LATITUDES), fc.constantFrom(...LONGITUDES), fc.constantFrom(...RADII))
  .map(([latitude, longitude, radius]) => `near=${latitude},${longitude}&radius=${radius}`);
const box = fc
  .tuple(fc.constantFrom(...LONGITUDES), fc.constantFrom(...LATITUDES), fc.constantFrom(...LONGITUDES))
  .map(([west, south, east]) => `bbox=${west},${south},${east},${Number(south) < 40 ? 60 : 90}`);

const filter = fc.oneof(
  named('status', 'active', 'active,pending', 'pending,coming_soon,active'),
  named('propertyType', 'residential', 'residential,land'),
  named('city', ...CITIES, '\uffff', ' Austin ', 'au%', "x' or '1'='1"),
  several('city', ...CITIES, '\uffff', 'AUSTIN', 'd arc', 'sao-paulo'),
  named('stateOrProvince', ...STATES, 'n westf'),
  several('stateOrProvince', ...STATES),
  named('externalId', ...EXTERNAL_IDS),
  several('externalId', ...EXTERNAL_IDS),
  named('postalCode', '78701', '701', 'SW1A 1AA', 'sw1a-1aa'),
  named('country', 'us', 'DE', 'FR'),
  named('feed', 'mls'),
  ranged('beds', '0', '2', '3'),
  named('beds', '2,0', '1,2,3'),
  ranged('baths', '1', '2'),
  ranged('listPrice', ...PRICES, '0.3', '0.299'),
  ranged('closePrice', ...PRICES.slice(0, 4)),
  ranged('livingArea', ...AREAS, '50.499'),
  ranged('lotSizeArea', '0.0001', '0.25'),
  ranged('yearBuilt', '1900', '1990'),
  since('onMarketDate', ...DATES),
  since('closeDate', ...DATES, '2026-11-21'),
  since('createdAt', '2026-11-21', '2026-11-21T12:00:00Z', '2026-11-21T12:01:00.0001Z', '9999-12-31'),
  since('updatedAt', '2026-11-21T13:01:00+01:00', '2026-11-22'),
  named('q', ...WORDS),
  near,
  box,
);

const FIELDS = [...SORT_FIELDS, 'distance'];
const sort = named('sort', ...FIELDS, ...FIELDS.map((field) => `-${field}`));
const limit = named('limit', '1', '2', '3', '5', '1000');
const selection = named(
  'fields',
  'id,address',
  'metadata,id',
  'listPrice',
  'photos',
  'version,createdAt',
  'distance,id',
);
const cursor = fc.nat(40).map((at) => `cursor=@cursor${at}@`);

/** Parameters that are invalid or match nothing. */
const fault = fc.oneof(
  named('city', 'a\0b', '\0'),
  fc.constantFrom('city[]=', 'city=Austin&city[]=Waco', 'beds=3,', 'beds=3,3', 'country[]=USA', 'feed=A'),
  since('closeDate', '2026-02-29', '2026-11-22T00:00:00Z'),
  named('externalId', '\0', 'a\0'),
  named('q', '\0', 'a\0b', '😀', ''),
  named('status', 'sold', '\0'),
  ranged('beds', '-0', '3.0', '2.5', '1e400', '999999999999'),
  ranged('listPrice', '1e999', '٣', '-1', '1000000000000'),
  since('createdAt', '2026-13-01', 'now', '\0'),
  named('limit', '0', '1001', '-1'),
  fc.constantFrom('colour=red', 'beds=1&beds=1', 'sort=address', '%00=1', 'count=1', 'fields=colour', 'city=%ff'),
  fc.constantFrom('near=1,1', 'radius=1km', 'near=91,0&radius=1km', 'near=0,0&radius=20016km', 'bbox=0,1,0,0'),
);

/** The query of a list. */
export const listQuery: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(filter, { maxLength: 2 }),
    seldom(2, sort, ''),
    seldom(2, limit, ''),
    seldom(4, selection, ''),
    seldom(3, fc.constant('count=true'), ''),
    seldom(20, cursor, ''),
    seldom(15, fault, ''),
  )
  .map(([filters, ...others]) => joined([...filters, ...others]));

/** Each parameter once. */
function joined(parameters: string[]): string {
  const byName = new Map(parameters.filter((text) => text !== '').map((text) => [text.split('=')[0], text]));
  return [...byName.values()].join('&');
}

/** The query of a list of events. */
export const eventsQuery: fc.Arbitrary<string> = fc
  .tuple(
    seldom(3, fc.nat(60), 0),
    seldom(2, fc.constantFrom('&limit=1', '&limit=7', '&limit=1000'), ''),
    seldom(5, fc.constant('&epoch=@epoch@'), ''),
    seldom(10, fc.constantFrom('&epoch=00000000', '&wait=61', '&colour=red', '&limit=0', '&after=1', '&epoch=%00'), ''),
  )
  .map(([after, ...others]) => `after=${after}${others.join('')}`);

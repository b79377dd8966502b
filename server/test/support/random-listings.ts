import fc from 'fast-check';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { createListing, updateListing } from '../../src/domain/listings/listings.ts';
import {
  type Listing,
  type ListingInput,
  PROPERTY_TYPES,
  STATUSES,
  withoutServerFields,
} from '../../src/model/listings.ts';
import type { Parameters } from './search-model.ts';

const CITIES = ['Austin', 'austin', 'São Paulo', 'Cañon City', 'Łódź', '東京', 'St. John’s, NL', '?', '-'];
const SAME_CITIES = ['AUSTIN!', 'sao paulo', 'Canon-City', 'st john’s nl', 'Waco', '？'];
const STATES = ['TX', 'Texas', 'São Paulo', 'Nordrhein-Westfalen'];
const COUNTRIES = ['US', 'DE', 'BR'];
const TEXTS = ['Elm Street', 'elmwood ave', 'Œuvre Ⅷ', 'Straße 5½', 'ΟΔΟΣ.ΑΒ', '東京都 港区', 'a_b-c'];
const WORDS = '4b|787|ELM str|sao|strasse|straße|5|viii|οδοσ|Οδός|東|a|b c|city canon|x'.split('|');
const POSTAL_CODES = ['78701', '00701', 'SW1A 1AA'];
const DATES = ['2026-02-28', '2026-03-01', '1999-12-31', '2031-01-01'];

/** Few values, so that many listings share one; about one listing in three has none. */
const price = fc.constantFrom(0.01, 450_000, 450_000.5, 999_999_999_999.99);
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });

/** Anywhere on earth, and often at the poles and on the antimeridian. */
const latitude = fc.oneof(fc.constantFrom(-90, 90, 0, 30.2672), fc.integer({ min: -9000, max: 9000 }).map(hundredth));
const longitude = fc.oneof(
  fc.constantFrom(-180, 180, 0, -97.7431),
  fc.integer({ min: -18_000, max: 18_000 }).map(hundredth),
);
const place = fc.record({ latitude, longitude });

function hundredth(value: number): number {
  return value / 100;
}

export const randomListing: fc.Arbitrary<ListingInput> = fc
  .record({
    address: fc.constantFrom(...TEXTS),
    beds: fc.integer({ min: 0, max: 4 }),
    baths: fc.integer({ min: 1, max: 3 }),
    status: fc.constantFrom(...STATUSES),
    propertyType: sometimes(fc.constantFrom(...PROPERTY_TYPES)),
    city: sometimes(fc.constantFrom(...CITIES)),
    unitNumber: sometimes(fc.constantFrom('4b', 'Élan 5')),
    stateOrProvince: sometimes(fc.constantFrom(...STATES)),
    postalCode: sometimes(fc.constantFrom(...POSTAL_CODES)),
    country: sometimes(fc.constantFrom(...COUNTRIES)),
    listPrice: sometimes(price),
    closePrice: sometimes(price),
    livingArea: sometimes(fc.constantFrom(50, 50.5, 1200)),
    lotSizeArea: sometimes(fc.constantFrom(0.0001, 0.25, 5000)),
    onMarketDate: sometimes(fc.constantFrom(...DATES)),
    closeDate: sometimes(fc.constantFrom(...DATES)),
    yearBuilt: sometimes(fc.integer({ min: 1990, max: 1995 })),
    description: sometimes(fc.constantFrom(...TEXTS)),
    place: sometimes(place),
  })
  .map(({ place, ...fields }) => ({ ...fields, ...place }));

/** Creates random listings and changes some; equal seeds give equal listings. */
export async function createRandom(
  service: TestService,
  tenant: Tenant,
  count: number,
  seed: number,
): Promise<string[]> {
  const inputs = fc.sample(randomListing, { numRuns: count, seed });
  const creating = inputs.map((input, index) =>
    createListing(service.database, tenant, { externalId: `${tenant.accountId} ${seed} ${index}`, ...input }),
  );
  const ids = (await Promise.all(creating)).map(({ outcome }) => outcome.id);
  const updated = ids.filter((_, index) => index % 7 === 0);
  const update = (before: Listing) => ({ ...withoutServerFields(before), beds: (before.beds + 1) % 5 });
  await Promise.all(updated.map((id) => updateListing(service.database, tenant, { id }, update)));
  return ids;
}

const range = (field: string, value: fc.Arbitrary<number>): fc.Arbitrary<Parameters> =>
  fc.tuple(fc.constantFrom('', '[gt]', '[gte]', '[lt]', '[lte]'), value).map(([operator, number]) => ({
    [`${field}${operator}`]: String(number),
  }));

const choices = (field: string, values: readonly string[]): fc.Arbitrary<Parameters> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 5 }).map((some) => ({ [field]: some.join() }));

const one = (field: string, values: readonly string[]): fc.Arbitrary<Parameters> =>
  fc.constantFrom(...values).map((value) => ({ [field]: value }));

const several = (field: string, values: readonly string[]): fc.Arbitrary<Parameters> =>
  fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }).map((some) => ({ [`${field}[]`]: some }));

const texts = (field: string, values: readonly string[]): fc.Arbitrary<Parameters> =>
  fc.oneof(one(field, values), several(field, values));

const dates = (field: string): fc.Arbitrary<Parameters> =>
  fc
    .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), fc.constantFrom(...DATES, '2026-01-01'))
    .map(([operator, date]) => ({ [`${field}[${operator}]`]: date }));

const counts = (field: string): fc.Arbitrary<Parameters> =>
  fc.uniqueArray(fc.nat(6), { minLength: 2, maxLength: 4 }).map((some) => ({ [field]: some.join() }));

const bbox = fc
  .tuple(longitude, latitude, longitude, latitude)
  .map(([west, a, east, b]) => ({ bbox: [west, Math.min(a, b), east, Math.max(a, b)].join() }));

const near = fc
  .tuple(latitude, longitude, fc.constantFrom('1m', '300km', '3000.5km', '2000mi', '15000km', '20000km'))
  .map(([north, east, radius]) => ({ near: `${north},${east}`, radius }));

const filter: fc.Arbitrary<Parameters> = fc.oneof(
  choices('status', STATUSES),
  choices('propertyType', PROPERTY_TYPES),
  texts('city', [...CITIES, ...SAME_CITIES]),
  texts('stateOrProvince', [...STATES, 'tx', 'sao-paulo']),
  texts('postalCode', [...POSTAL_CODES, 'sw1a  1aa']),
  texts('country', [...COUNTRIES, 'us', 'ＤＥ']),
  one('feed', ['mls']),
  counts('beds'),
  counts('baths'),
  range('beds', fc.integer({ min: 0, max: 5 })),
  range('baths', fc.integer({ min: 0, max: 4 })),
  range('listPrice', price),
  range('closePrice', price),
  range('livingArea', fc.constantFrom(49.99, 50, 50.5, 1200)),
  range('lotSizeArea', fc.constantFrom(0.0001, 0.2, 0.25, 5000)),
  dates('onMarketDate'),
  dates('closeDate'),
  range('yearBuilt', fc.integer({ min: 1989, max: 1996 })),
  one('q', WORDS),
  bbox,
  near,
);

const SORTED = ['createdAt', 'updatedAt', 'listPrice', 'closePrice', 'beds', 'baths', 'livingArea', 'onMarketDate'];
export const SORTS = [...SORTED, ...SORTED.map((name) => `-${name}`)];

/** Query parameters with some filters and perhaps an order. */
export const searchParameters: fc.Arbitrary<Parameters> = fc
  .tuple(
    fc.array(filter, { maxLength: 3 }),
    fc.option(fc.constantFrom(...SORTS, 'distance', '-distance'), { nil: undefined }),
  )
  .map(([filters, sort]) => joined(Object.assign({}, ...filters), sort));

function joined(filters: Parameters, sort: string | undefined): Parameters {
  const given = Object.entries(filters).filter(([name]) => filters[`${name}[]`] === undefined);
  const isPossible = sort !== undefined && (!sort.endsWith('distance') || filters.near !== undefined);
  return { ...Object.fromEntries(given), ...(isPossible && { sort }) };
}

import fc from 'fast-check';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { createListing, updateListing } from '../../src/domain/listings.ts';
import { type Listing, type ListingInput, PROPERTY_TYPES, STATUSES } from '../../src/model/listings.ts';
import type { Parameters } from './search-model.ts';

const CITIES = ['Austin', 'austin', 'São Paulo', 'Cañon City', 'Łódź', '東京', 'St. John’s, NL'];
const TEXTS = ['Elm Street', 'elmwood ave', 'Œuvre Ⅷ', 'Straße 5½', 'ΟΔΟΣ.ΑΒ', '東京都 港区', 'a_b-c'];
const WORDS = 'elm|ELM str|sao|strasse|straße|5|viii|οδοσ|Οδός|東|a|b c|city canon|x'.split('|');
const POSTAL_CODES = ['78701', '00701', 'SW1A 1AA'];

/** Few values, so that many listings share one; every third listing has none. */
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

const listing: fc.Arbitrary<ListingInput> = fc
  .record({
    address: fc.constantFrom(...TEXTS),
    beds: fc.integer({ min: 0, max: 4 }),
    baths: fc.integer({ min: 1, max: 3 }),
    status: fc.constantFrom(...STATUSES),
    propertyType: sometimes(fc.constantFrom(...PROPERTY_TYPES)),
    city: sometimes(fc.constantFrom(...CITIES)),
    postalCode: sometimes(fc.constantFrom(...POSTAL_CODES)),
    listPrice: sometimes(price),
    livingArea: sometimes(fc.constantFrom(50, 50.5, 1200)),
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
  const inputs = fc.sample(listing, { numRuns: count, seed });
  const creating = inputs.map((input, index) =>
    createListing(service.database, tenant, { externalId: `${tenant.accountId} ${seed} ${index}`, ...input }),
  );
  const ids = (await Promise.all(creating)).map(({ outcome }) => outcome.id);
  for (const id of ids.filter((_, index) => index % 7 === 0)) {
    const update = (before: Listing) => ({ ...inputOf(before), beds: (before.beds + 1) % 5 });
    await updateListing(service.database, tenant, id, update);
  }
  return ids;
}

/** A stored listing as input. */
function inputOf({ id: _id, version: _version, createdAt: _created, updatedAt: _updated, ...fields }: Listing) {
  return fields;
}

const range = (field: string, value: fc.Arbitrary<number>): fc.Arbitrary<Parameters> =>
  fc.tuple(fc.constantFrom('', '[gt]', '[gte]', '[lt]', '[lte]'), value).map(([operator, number]) => ({
    [`${field}${operator}`]: String(number),
  }));

const choices = (field: string, values: readonly string[]): fc.Arbitrary<Parameters> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 5 }).map((some) => ({ [field]: some.join() }));

const one = (field: string, values: readonly string[]): fc.Arbitrary<Parameters> =>
  fc.constantFrom(...values).map((value) => ({ [field]: value }));

const bbox = fc
  .tuple(longitude, latitude, longitude, latitude)
  .map(([west, a, east, b]) => ({ bbox: [west, Math.min(a, b), east, Math.max(a, b)].join() }));

const near = fc
  .tuple(latitude, longitude, fc.constantFrom('1m', '300km', '3000.5km', '2000mi', '15000km', '20000km'))
  .map(([north, east, radius]) => ({ near: `${north},${east}`, radius }));

const filter: fc.Arbitrary<Parameters> = fc.oneof(
  choices('status', STATUSES),
  choices('propertyType', PROPERTY_TYPES),
  one('city', CITIES),
  one('postalCode', POSTAL_CODES),
  range('beds', fc.integer({ min: 0, max: 5 })),
  range('baths', fc.integer({ min: 0, max: 4 })),
  range('listPrice', price),
  range('livingArea', fc.constantFrom(49.99, 50, 50.5, 1200)),
  range('yearBuilt', fc.integer({ min: 1989, max: 1996 })),
  one('q', WORDS),
  bbox,
  near,
);

const SORTED = ['createdAt', 'updatedAt', 'listPrice', 'beds', 'baths', 'livingArea'];
export const SORTS = [...SORTED, ...SORTED.map((name) => `-${name}`)];

/** Query parameters with some filters and perhaps an order. */
export const searchParameters: fc.Arbitrary<Parameters> = fc
  .tuple(fc.array(filter, { maxLength: 3 }), fc.option(fc.constantFrom(...SORTS), { nil: undefined }))
  .map(([filters, sort]) => Object.assign({}, ...filters, sort === undefined ? {} : { sort }));

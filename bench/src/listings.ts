import { generator } from '../../testkit/src/random-json.ts';

export type ListingBody = { address: string; externalId: string } & Record<string, unknown>;

type Random = () => number;

/** City, state, first postal code, latitude, longitude. */
type Place = readonly [string, string, number, number, number];

const PLACES: readonly [Place, ...Place[]] = [
  ['Austin', 'TX', 78701, 30.2672, -97.7431],
  ['Denver', 'CO', 80202, 39.7392, -104.9903],
  ['Portland', 'OR', 97201, 45.5152, -122.6784],
  ['Nashville', 'TN', 37201, 36.1627, -86.7816],
  ['Tampa', 'FL', 33602, 27.9506, -82.4572],
  ['Cañon City', 'CO', 81212, 38.441, -105.2424],
];
const STREETS = [
  'Oak Street',
  'Cedar Avenue',
  'Lake Shore Drive',
  'Maple Lane',
  'Juniper Court',
  'Elm Boulevard',
] as const;
const STATUSES = ['active', 'active', 'active', 'pending', 'closed', 'coming_soon'] as const;
const TYPES = ['residential', 'residential', 'residential_lease', 'farm'] as const;
const SENTENCES = [
  'Bright corner home with an open kitchen.',
  'New roof and windows, on a quiet street.',
  'A short walk to the park and the school.',
  'Large garden with old trees and a shed.',
] as const;

/**
 * Generates varied listings with most optional fields, about 500 bytes of JSON each. The same seed produces the same
 * listings. `prefix` separates the external IDs of several sources.
 */
export function listingSource(seed: number, prefix: string): () => ListingBody {
  const random = generator(seed);
  let count = 0;
  return () => {
    count += 1;
    return makeListing(random, `${prefix}-${count}`);
  };
}

function makeListing(random: Random, externalId: string): ListingBody {
  const [city, stateOrProvince, postalCode, latitude, longitude] = pick(random, PLACES);
  const beds = integer(random, 0, 6);
  const isInBuilding = beds < 3;
  return {
    address: `${integer(random, 1, 9999)} ${pick(random, STREETS)}`,
    beds,
    baths: integer(random, 1, 4),
    status: pick(random, STATUSES),
    externalId,
    propertyType: pick(random, TYPES),
    listPrice: integer(random, 90_000, 2_500_000) + (random() < 0.1 ? 0.5 : 0),
    livingArea: integer(random, 400, 6000),
    ...(isInBuilding ? { unitNumber: `${integer(random, 1, 40)}B` } : { lotSizeArea: integer(random, 5, 400) / 100 }),
    yearBuilt: integer(random, 1890, 2025),
    city,
    stateOrProvince,
    postalCode: String(postalCode + integer(random, 0, 60)),
    country: 'US',
    latitude: near(random, latitude),
    longitude: near(random, longitude),
    description: `${pick(random, SENTENCES)} ${pick(random, SENTENCES)}`,
    metadata: { agent: `A-${integer(random, 100, 999)}`, openHouse: random() < 0.2 },
  };
}

/** A coordinate at most a tenth of a degree away, rounded to six decimals. */
function near(random: Random, degrees: number): number {
  return Math.round((degrees + (random() - 0.5) / 5) * 1e6) / 1e6;
}

function integer(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[integer(random, 0, choices.length - 1)] ?? choices[0];
}

import { generator } from '../../testkit/src/random-json.ts';
import { pick, pickCity, pickWord, type Random } from './vocabulary.ts';

export type ListingBody = {
  address: string;
  externalId: string;
  beds: number;
  baths: number;
  status: string;
  propertyType: string;
  listPrice: number;
  yearBuilt: number;
  city: string;
  latitude: number;
  longitude: number;
  description: string;
} & Record<string, unknown>;

const STREETS = ['Oak Street', 'Cedar Avenue', 'Lake Shore Drive', 'Maple Lane', 'Juniper Court', 'Elm Boulevard'];
/** Each status occurs this often in twenty listings. */
const STATUSES = repeated({ active: 9, closed: 5, pending: 2, coming_soon: 1, active_under_contract: 1, expired: 2 });
const TYPES = repeated({ residential: 13, residential_lease: 3, land: 2, residential_income: 1, farm: 1 });
const BEDS = repeated({ 0: 1, 1: 2, 2: 4, 3: 7, 4: 4, 5: 1, 6: 1 }).map(Number);
const PRICE_USUAL = 400_000;
const DESCRIPTION_WORDS = 35;
/** The standard deviation of places around the center of their city: about 8 km. */
const SPREAD_DEGREES = 0.07;

/**
 * Generates varied listings with most optional fields, about 700 bytes of JSON each. The same seed produces
 * the same listings. `prefix` keeps the external IDs of several sources distinct.
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
  const city = pickCity(random);
  const beds = pick(random, BEDS);
  return {
    address: `${integer(random, 1, 9999)} ${pick(random, STREETS)}`,
    beds,
    baths: Math.max(1, integer(random, beds - 2, beds)),
    status: pick(random, STATUSES),
    externalId,
    propertyType: pick(random, TYPES),
    listPrice: makePrice(random),
    livingArea: integer(random, 400, 1000) * (1 + beds),
    ...(beds < 3 ? { unitNumber: `${integer(random, 1, 40)}B` } : { lotSizeArea: integer(random, 5, 400) / 100 }),
    yearBuilt: integer(random, 1890, 2025),
    city: city.name,
    stateOrProvince: city.state,
    postalCode: String(city.postalCode + integer(random, 0, 60)),
    country: 'US',
    latitude: near(random, city.latitude),
    longitude: near(random, city.longitude),
    description: makeDescription(random),
    metadata: { agent: `A-${integer(random, 100, 999)}`, openHouse: random() < 0.2 },
  };
}

/** Most prices are whole thousands around the usual one; a few are exact to the cent. */
function makePrice(random: Random): number {
  const price = PRICE_USUAL * Math.exp(0.7 * normal(random));
  return random() < 0.1 ? Math.round(price * 100) / 100 : 1000 * Math.ceil(price / 1000);
}

function makeDescription(random: Random): string {
  const words = Array.from({ length: integer(random, DESCRIPTION_WORDS - 15, DESCRIPTION_WORDS + 15) }, () =>
    pickWord(random),
  );
  return `${words.join(' ')}.`;
}

/** Returns a coordinate near the center of a city, rounded to six decimals. */
function near(random: Random, degrees: number): number {
  return Math.round((degrees + SPREAD_DEGREES * normal(random)) * 1e6) / 1e6;
}

/** Returns a number that is nearly normally distributed: the sum of twelve uniformly distributed numbers. */
function normal(random: Random): number {
  return Array.from({ length: 12 }, random).reduce((sum, value) => sum + value, -6);
}

function integer(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function repeated(counts: Record<string, number>): string[] {
  return Object.entries(counts).flatMap(([value, count]) => Array<string>(count).fill(value));
}

import type { ListingBody } from '../listings.ts';

/** All rows of a group have the same targets. */
export type Group = 'base' | 'filter' | 'place or word' | 'three conditions' | 'count' | 'other';

/** A row of the table. Its requests differ in their values, so that no response comes from a cache. */
export type SearchRow = {
  name: string;
  group: Group;
  /** Different queries without `limit`. Each query finds at least one listing, except those of `NO_MATCH`. */
  queries: string[];
  /** The pages start after this number of listings. */
  after?: number;
};

export const NEWEST = 'newest';
export const NO_MATCH = 'no match';

const DEPTH = 10_000;
/** Common words occur in more than the first share of all listings. Rare cities have at most the second share. */
const [COMMON_SHARE, RARE_SHARE] = [0.02, 0.001];
/** Distances in degrees: about 1 km, and the radius of a city. */
const [SMALL_DEGREES, CITY_DEGREES] = [0.01, 0.2];

/**
 * Returns the searches to measure. Their values come from a sample of the listings, and each row contains each
 * query only once.
 * @param count the number of all listings
 */
export function makeSearchRows(sample: readonly ListingBody[], count: number): SearchRow[] {
  const wordShare = sharesOf(sample.flatMap(wordsOf), sample.length);
  const cityShare = sharesOf(sample.map(cityOf), sample.length);
  const commonWords = (listing: ListingBody) => wordsOf(listing).filter((word) => wordShare(word) > COMMON_SHARE);
  const each = (toQuery: (listing: ListingBody) => string) => [...new Set(sample.map(toQuery))];

  const statusAndBeds = each(({ status, beds }) => `status=${status}&beds=${beds}`);
  const wordPairs = sample.map((listing) => commonWords(listing).slice(0, 2).join('+')).filter((q) => q.includes('+'));
  return [
    { name: NEWEST, group: 'base', queries: [''] },
    ...rowsOf('filter', {
      'status and beds, newest': statusAndBeds,
      'price range, by price': each(
        ({ listPrice: price }) => `listPrice[gte]=${price}&listPrice[lte]=${Math.ceil(price * 1.1)}&sort=listPrice`,
      ),
      'by price, highest first': ['sort=-listPrice'],
      'rare city, by price': [...new Set(sample.map(cityOf))]
        .filter((city) => cityShare(city) <= RARE_SHARE)
        .map((city) => `city=${encodeURIComponent(city)}&sort=listPrice`),
      [NO_MATCH]: each(({ externalId }) => `city=Nowhere${externalId}&sort=listPrice`),
    }),
    ...rowsOf('place or word', {
      'small box': each((listing) => boxAround(listing, SMALL_DEGREES)),
      'within 10 km, nearest first': each(({ latitude, longitude }) => `near=${latitude},${longitude}&radius=10km`),
      'one common word': [...new Set(sample.flatMap(commonWords))].map((word) => `q=${word}`),
      'two words': [...new Set(wordPairs)].map((words) => `q=${words}`),
    }),
    ...rowsOf('three conditions', {
      'three filters, newest': each(
        ({ propertyType, baths, yearBuilt }) =>
          `propertyType=${propertyType}&baths=${baths}&yearBuilt[gte]=${yearBuilt}`,
      ),
      'box, status, and beds, newest': each(
        (listing) => `${boxAround(listing, CITY_DEGREES)}&status=${listing.status}&beds=${listing.beds}`,
      ),
      'word, status, and price, highest first': each((listing) => {
        const [word = ''] = commonWords(listing);
        return `q=${word}&status=${listing.status}&listPrice[lte]=${listing.listPrice}&sort=-listPrice`;
      }),
    }),
    ...rowsOf('count', { 'status and beds, with count': statusAndBeds.map((query) => `${query}&count=true`) }),
    { name: 'deep page, by price', group: 'other', queries: ['sort=listPrice'], after: Math.min(DEPTH, count >> 1) },
  ];
}

function rowsOf(group: Group, queriesOf: Record<string, string[]>): SearchRow[] {
  return Object.entries(queriesOf).map(([name, queries]) => ({ name, group, queries }));
}

function cityOf({ city }: ListingBody): string {
  return city;
}

function wordsOf({ description }: ListingBody): string[] {
  return [...new Set(description.match(/[a-z]+/g))];
}

/** @returns a function that gives the number of times a value occurs per listing */
function sharesOf(values: readonly string[], listings: number): (value: string) => number {
  const same = Map.groupBy(values, (value) => value);
  return (value) => (same.get(value)?.length ?? 0) / listings;
}

function boxAround({ latitude, longitude }: ListingBody, degrees: number): string {
  const edges = [longitude - degrees, latitude - degrees, longitude + degrees, latitude + degrees];
  return `bbox=${edges.map((edge) => edge.toFixed(6)).join()}`;
}

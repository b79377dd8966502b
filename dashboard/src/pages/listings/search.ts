import type { Listing } from '../../api/types';

/** What the address of the Listings page may hold: parameters of the API by their own names. */
export const LISTING_SEARCH = [
  'q',
  'status',
  'propertyType',
  'city',
  'postalCode',
  'externalId',
  'beds[gte]',
  'baths[gte]',
  'listPrice[gte]',
  'listPrice[lte]',
  'sort',
  'limit',
  'cursor',
] as const;

export type ListingSearch = Partial<Record<(typeof LISTING_SEARCH)[number], string>>;

export const LIMIT_DEFAULT = '50';
export const LIMITS = ['25', '50', '100'];

/** What narrows the list down, besides the words. */
export const FILTERS = {
  status: 'Status',
  propertyType: 'Type',
  city: 'City',
  postalCode: 'Postal code',
  externalId: 'Your own id',
  'beds[gte]': 'Beds, at least',
  'baths[gte]': 'Baths, at least',
  'listPrice[gte]': 'Price from',
  'listPrice[lte]': 'Price to',
} as const;

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS).filter((name): name is FilterName => name in FILTERS);

export const NO_FILTERS: Record<string, undefined> = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]));

/** Filters that are numbers. */
export const AMOUNTS: ReadonlySet<string> = new Set(['beds[gte]', 'baths[gte]', 'listPrice[gte]', 'listPrice[lte]']);

/** The service takes no more. */
export const WORDS_LENGTH_MAX = 200;

/** What the service is asked for the page that the address means. */
export function toListQuery(search: ListingSearch): ListingSearch & { count: string } {
  return { limit: LIMIT_DEFAULT, ...search, count: 'true' };
}

export function isFiltered(search: ListingSearch): boolean {
  return search.q !== undefined || FILTER_NAMES.some((name) => search[name] !== undefined);
}

/** The search with other values; whatever is asked anew begins with the first page. */
export function withSearch(search: ListingSearch, changes: Record<string, string | undefined>): ListingSearch {
  const { cursor: _, ...rest } = search;
  const entries = Object.entries({ ...rest, ...changes }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries);
}

/** The values that the API has for fields of choice. */
export const STATUSES = [
  'coming_soon',
  'active',
  'active_under_contract',
  'pending',
  'hold',
  'withdrawn',
  'closed',
  'expired',
  'canceled',
] as const satisfies readonly Listing['status'][];

export const PROPERTY_TYPES = [
  'residential',
  'residential_lease',
  'residential_income',
  'land',
  'farm',
  'commercial_sale',
  'commercial_lease',
  'business_opportunity',
  'manufactured_in_park',
] as const satisfies readonly Listing['propertyType'][];

/** The query parameters of the Listings page, named as in the API. */
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

export const FILTERS = {
  status: 'Status',
  propertyType: 'Type',
  city: 'City',
  postalCode: 'Postal code',
  'beds[gte]': 'Min. beds',
  'baths[gte]': 'Min. baths',
  'listPrice[gte]': 'Min. price',
  'listPrice[lte]': 'Max. price',
  externalId: 'External ID',
} as const;

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS).filter((name): name is FilterName => name in FILTERS);

export const NO_FILTERS: Record<string, undefined> = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]));

/** The filters that are numbers. */
export const AMOUNTS: ReadonlySet<string> = new Set(FILTER_NAMES.filter((name) => name.endsWith('te]')));

/** The service rejects longer searches. */
export const SEARCH_LENGTH_MAX = 200;

/** The request for a page of listings. */
export function toListQuery(search: ListingSearch): ListingSearch & { count: string } {
  return { limit: LIMIT_DEFAULT, ...search, count: 'true' };
}

export function isFiltered(search: ListingSearch): boolean {
  return search.q !== undefined || FILTER_NAMES.some((name) => search[name] !== undefined);
}

/** Applies changes to the search and starts at the first page. */
export function withSearch(search: ListingSearch, changes: Record<string, string | undefined>): ListingSearch {
  const { cursor: _, ...rest } = search;
  const entries = Object.entries({ ...rest, ...changes }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries);
}

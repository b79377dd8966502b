import { listingPropertyTypeValues, listingStatusValues } from '../../api/admin';

export interface Filter {
  /** The query parameter, named as in the API. */
  name: string;
  label: string;
  kind: 'choice' | 'text' | 'number' | 'date';
  values?: readonly string[];
}

const text = (name: string, label: string): Filter => ({ name, label, kind: 'text' });
/** Two filters: the minimum and the maximum value. */
const range = (name: string, label: string): Filter[] => [
  { name: `${name}[gte]`, label: `Min. ${label}`, kind: 'number' },
  { name: `${name}[lte]`, label: `Max. ${label}`, kind: 'number' },
];
const days = (name: string, label: string): Filter[] => [
  { name: `${name}[gte]`, label: `${label} from`, kind: 'date' },
  { name: `${name}[lt]`, label: `${label} before`, kind: 'date' },
];

export const MAIN_FILTERS: Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', values: listingStatusValues },
  { name: 'propertyType', label: 'Type', kind: 'choice', values: listingPropertyTypeValues },
  ...range('listPrice', 'price'),
  ...range('beds', 'beds'),
  ...range('baths', 'baths'),
  text('city', 'City'),
  text('postalCode', 'Postal code'),
];

export const MORE_FILTERS: Filter[] = [
  text('stateOrProvince', 'State or province'),
  text('country', 'Country'),
  text('externalId', 'External ID'),
  text('feed', 'Feed'),
  ...range('livingArea', 'living area'),
  ...range('lotSizeArea', 'lot size'),
  ...range('yearBuilt', 'year built'),
  ...range('closePrice', 'close price'),
  ...days('onMarketDate', 'On market'),
  ...days('closeDate', 'Closed'),
  ...days('createdAt', 'Added'),
  ...days('updatedAt', 'Updated'),
];

export const FILTERS: readonly Filter[] = [...MAIN_FILTERS, ...MORE_FILTERS];

/** The query parameters of the Listings page. */
export const LISTING_SEARCH = ['q', ...FILTERS.map(({ name }) => name), 'sort', 'limit', 'cursor', 'view', 'area'];

export type ListingSearch = Partial<Record<string, string>>;

export const LIMIT_DEFAULT = '50';
export const LIMITS = ['25', '50', '100'];

export const NO_FILTERS: ListingSearch = Object.fromEntries(FILTERS.map(({ name }) => [name, undefined]));

/** The service rejects longer searches. */
export const SEARCH_LENGTH_MAX = 200;

/** The query for a page of listings. */
export function toListQuery({ view: _, area: __, ...query }: ListingSearch): ListingSearch {
  return { limit: LIMIT_DEFAULT, ...query, count: 'true' };
}

/** The query for all listings that the search finds. */
export function toExportQuery({ cursor: _, limit: __, view: ___, area: ____, ...query }: ListingSearch): ListingSearch {
  return query;
}

/** The filters for a map, which does not need an order. */
export function toMapQuery(search: ListingSearch): ListingSearch {
  const { sort: _, ...filters } = toExportQuery(search);
  return filters;
}

export function isFiltered(search: ListingSearch): boolean {
  return search.q !== undefined || FILTERS.some(({ name }) => search[name] !== undefined);
}

/** Applies changes to the search and starts at the first page. */
export function withSearch(search: ListingSearch, changes: ListingSearch): ListingSearch {
  const { cursor: _, ...rest } = search;
  const entries = Object.entries({ ...rest, ...changes }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries);
}

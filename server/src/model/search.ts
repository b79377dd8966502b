import type { Box, Circle } from './geo.ts';
import { type Listing, PROPERTY_TYPES, STATUSES } from './listings.ts';
import { foldText } from './words.ts';

/** The members of a listing by which lists can be filtered or sorted. */
export const SEARCH_COLUMNS = [
  'externalId',
  'feed',
  'status',
  'propertyType',
  'city',
  'stateOrProvince',
  'postalCode',
  'country',
  'beds',
  'baths',
  'listPrice',
  'closePrice',
  'livingArea',
  'lotSizeArea',
  'yearBuilt',
  'onMarketDate',
  'closeDate',
  'latitude',
  'longitude',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Listing)[];

export type SearchColumn = (typeof SEARCH_COLUMNS)[number];

export type SearchColumns = Pick<Listing, SearchColumn>;

/**
 * The listing's search columns. Strings for `words` filters are folded, and the listing's other values are
 * left out, because a row must not keep them in memory. Named members take a quarter of the memory of members
 * added in a loop.
 */
export function searchColumnsOf(listing: Listing): SearchColumns {
  const columns: Record<SearchColumn, unknown> = {
    externalId: listing.externalId,
    feed: listing.feed,
    status: listing.status,
    propertyType: listing.propertyType,
    city: foldedOf(listing.city),
    stateOrProvince: foldedOf(listing.stateOrProvince),
    postalCode: foldedOf(listing.postalCode),
    country: foldedOf(listing.country),
    beds: listing.beds,
    baths: listing.baths,
    listPrice: listing.listPrice,
    closePrice: listing.closePrice,
    livingArea: listing.livingArea,
    lotSizeArea: listing.lotSizeArea,
    yearBuilt: listing.yearBuilt,
    onMarketDate: listing.onMarketDate,
    closeDate: listing.closeDate,
    latitude: listing.latitude,
    longitude: listing.longitude,
    createdAt: listing.createdAt,
    updatedAt: listing.updatedAt,
  };
  return columns as SearchColumns;
}

function foldedOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : foldText(text);
}

/** Comparisons other than equality, written in brackets after a parameter's name. */
export const RANGE_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const;
export type RangeOperator = (typeof RANGE_OPERATORS)[number];

export type Filter =
  | { field: 'status' | 'propertyType'; type: 'choice'; choices: readonly string[] }
  | { field: 'externalId' | 'feed'; type: 'text' }
  | { field: 'city' | 'stateOrProvince' | 'postalCode' | 'country'; type: 'words' }
  | { field: SearchColumn; type: 'count' | 'integer' | 'decimal' | 'date' | 'time' };

/**
 * The filters for lists. Parameters, their documentation, and SQL are generated from this table. A `choice`
 * or a `count` accepts several values, separated by commas. A `text` is compared exactly, and `words` are
 * compared folded; both accept several values with `[]`. A number accepts a value or ranges; a date or a time
 * accepts only ranges.
 */
export const FILTERS: readonly Filter[] = [
  { field: 'status', type: 'choice', choices: STATUSES },
  { field: 'propertyType', type: 'choice', choices: PROPERTY_TYPES },
  { field: 'city', type: 'words' },
  { field: 'stateOrProvince', type: 'words' },
  { field: 'postalCode', type: 'words' },
  { field: 'country', type: 'words' },
  { field: 'externalId', type: 'text' },
  { field: 'feed', type: 'text' },
  { field: 'beds', type: 'count' },
  { field: 'baths', type: 'count' },
  { field: 'listPrice', type: 'decimal' },
  { field: 'closePrice', type: 'decimal' },
  { field: 'livingArea', type: 'decimal' },
  { field: 'lotSizeArea', type: 'decimal' },
  { field: 'yearBuilt', type: 'integer' },
  { field: 'onMarketDate', type: 'date' },
  { field: 'closeDate', type: 'date' },
  { field: 'createdAt', type: 'time' },
  { field: 'updatedAt', type: 'time' },
];

export const SORT_FIELDS = [
  'createdAt',
  'updatedAt',
  'listPrice',
  'closePrice',
  'beds',
  'baths',
  'livingArea',
  'onMarketDate',
] as const;

/** Compares a search column with a value, or with several for `in`. */
export type Condition =
  | { field: SearchColumn; operator: 'is' | RangeOperator; value: string | number }
  | { field: SearchColumn; operator: 'in'; value: readonly string[] | readonly number[] };

/** Descending `id` means newest first; `distance` is measured from the circle's center. */
export interface Order {
  by: 'id' | 'distance' | (typeof SORT_FIELDS)[number];
  isDescending: boolean;
}

export const NEWEST_FIRST: Order = { by: 'id', isDescending: true };

/** Whether a listing keeps its position in this order when it changes. */
export function isFixed({ by }: Order): boolean {
  return by === 'id' || by === 'createdAt';
}

/** Selects and orders an account's listings; ties are ordered newest first. */
export interface Search {
  conditions: readonly Condition[];
  box: Box | undefined;
  circle: Circle | undefined;
  /** Each of these words must be a prefix of a word in the listing. */
  words: readonly string[];
  order: Order;
}

export function isUnfiltered({ conditions, box, circle, words }: Search): boolean {
  return conditions.length === 0 && box === undefined && circle === undefined && words.length === 0;
}

/** Identifies a search in a cursor; empty for all listings, newest first. */
export function describeSearch(search: Search): string {
  return isUnfiltered(search) && search.order.by === 'id' ? '' : JSON.stringify(search);
}

import type { Listing } from './listings.ts';

/** The members of a listing that lists are filtered and sorted by. */
export const SEARCH_COLUMNS = [
  'externalId',
  'status',
  'propertyType',
  'city',
  'postalCode',
  'beds',
  'baths',
  'listPrice',
  'livingArea',
  'yearBuilt',
  'latitude',
  'longitude',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Listing)[];

export type SearchColumn = (typeof SEARCH_COLUMNS)[number];

/** What a listing is filtered and sorted by: the listing itself has it. */
export type SearchColumns = Pick<Listing, SearchColumn>;

import type { Listing } from './listings.ts';

/** The members of a listing that lists are filtered and sorted by. */
export const FACETS = [
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

export type Facet = (typeof FACETS)[number];

/** Facet → its value, null where a listing has none. */
export type Facets = Readonly<Record<string, string | number | null>>;

export function facetsOf(listing: Pick<Listing, Facet>): Facets {
  return Object.fromEntries(FACETS.map((name) => [name, listing[name] ?? null]));
}

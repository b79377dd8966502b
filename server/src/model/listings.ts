import { isDeepStrictEqual } from 'node:util';
import type { Account, AreaUnits } from './accounts.ts';

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
] as const;

/** RESO's PropertyType lookup in snake case. */
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
] as const;

export const LOT_SIZE_UNITS = ['acres', 'sqft', 'sqm'] as const;

interface Photo {
  url: string;
  caption?: string | undefined;
}

/** A listing as the client sent it, validated and normalized. */
export interface ListingInput {
  externalId?: string | undefined;
  address: string;
  unitNumber?: string | undefined;
  city?: string | undefined;
  stateOrProvince?: string | undefined;
  postalCode?: string | undefined;
  country?: string | undefined;
  beds: number;
  baths: number;
  status?: (typeof STATUSES)[number] | undefined;
  propertyType?: (typeof PROPERTY_TYPES)[number] | undefined;
  listPrice?: number | undefined;
  currency?: string | undefined;
  closePrice?: number | undefined;
  livingArea?: number | undefined;
  livingAreaUnits?: AreaUnits | undefined;
  lotSizeArea?: number | undefined;
  lotSizeUnits?: (typeof LOT_SIZE_UNITS)[number] | undefined;
  yearBuilt?: number | undefined;
  /** Dates such as `2026-11-22`. */
  onMarketDate?: string | undefined;
  closeDate?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  description?: string | undefined;
  photos?: Photo[] | undefined;
  metadata?: Record<string, string | number | boolean> | undefined;
}

/** A listing as the service returns it; times are RFC 3339 in UTC with milliseconds. */
export interface Listing extends ListingInput {
  id: string;
  /** The feed that owns the listing. */
  feed?: string | undefined;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export const LISTING_ID_PREFIX = 'lst';

export const EVENT_TYPES = ['listing.created', 'listing.updated', 'listing.deleted'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const SERVER_FIELDS = ['id', 'feed', 'version', 'createdAt', 'updatedAt'] as const;

export type ServerFields = Pick<Listing, (typeof SERVER_FIELDS)[number]>;

/** Fills in defaults, some of which are the account's, and arranges the members in the order used in responses. */
export function toListing(input: ListingInput, account: Account, server: ServerFields): Listing {
  const { externalId, address, unitNumber, city, stateOrProvince, postalCode, country, beds, baths } = input;
  const hasPrice = input.listPrice !== undefined || input.closePrice !== undefined;
  return {
    id: server.id,
    externalId,
    feed: server.feed,
    address,
    unitNumber,
    city,
    stateOrProvince,
    postalCode,
    country,
    beds,
    baths,
    status: input.status ?? 'active',
    propertyType: input.propertyType,
    listPrice: input.listPrice,
    currency: hasPrice ? (input.currency ?? account.currency) : undefined,
    closePrice: input.closePrice,
    livingArea: input.livingArea,
    livingAreaUnits: input.livingArea === undefined ? undefined : (input.livingAreaUnits ?? account.areaUnits),
    lotSizeArea: input.lotSizeArea,
    lotSizeUnits: input.lotSizeArea === undefined ? undefined : (input.lotSizeUnits ?? account.areaUnits),
    yearBuilt: input.yearBuilt,
    onMarketDate: input.onMarketDate,
    closeDate: input.closeDate,
    latitude: input.latitude,
    longitude: input.longitude,
    description: input.description,
    photos: input.photos,
    metadata: input.metadata,
    version: server.version,
    createdAt: server.createdAt,
    updatedAt: server.updatedAt,
  };
}

/** The input that a client would send for this listing. */
export function withoutServerFields<T extends { [Name in keyof ServerFields]?: unknown }>(
  listing: T,
): Omit<T, keyof ServerFields> {
  const { id: _id, feed: _feed, version: _version, createdAt: _createdAt, updatedAt: _updatedAt, ...input } = listing;
  return input;
}

/** How a field changed; null means absent. For a long field, only the fact that it changed is recorded. */
export type FieldChange = { from: unknown; to: unknown } | { changed: true };

const LONG_FIELDS = new Set(['description', 'photos', 'metadata']);

/**
 * The fields in which two versions of a listing differ, except `version` and `updatedAt`. The order of `metadata`
 * members does not matter.
 */
export function findChanges(before: Listing, after: Listing): Record<string, FieldChange> {
  const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const changes: Record<string, FieldChange> = {};
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const [from = null, to = null] = [left.get(name), right.get(name)];
    if (name === 'version' || name === 'updatedAt' || isDeepStrictEqual(from, to)) continue;
    changes[name] = LONG_FIELDS.has(name) ? { changed: true } : { from, to };
  }
  return changes;
}

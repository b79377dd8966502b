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

/** RESO's PropertyType look-up in snake case. */
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

/** What a client says of a listing, checked and in normal form. */
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
  livingArea?: number | undefined;
  livingAreaUnits?: AreaUnits | undefined;
  lotSizeArea?: number | undefined;
  lotSizeUnits?: (typeof LOT_SIZE_UNITS)[number] | undefined;
  yearBuilt?: number | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  description?: string | undefined;
  photos?: Photo[] | undefined;
  metadata?: Record<string, string | number | boolean> | undefined;
}

/** A listing as it is served; times are RFC 3339 in UTC with milliseconds. */
export interface Listing extends ListingInput {
  id: string;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export const LISTING_ID_PREFIX = 'lst';

/** The first version of a listing, with the account's defaults filled in, in the member order of every reply. */
export function firstVersion(id: string, input: ListingInput, account: Account, now: Date): Listing {
  const time = now.toISOString();
  const { externalId, address, unitNumber, city, stateOrProvince, postalCode, country, beds, baths } = input;
  return {
    id,
    externalId,
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
    currency: input.listPrice === undefined ? undefined : (input.currency ?? account.currency),
    livingArea: input.livingArea,
    livingAreaUnits: input.livingArea === undefined ? undefined : (input.livingAreaUnits ?? account.areaUnits),
    lotSizeArea: input.lotSizeArea,
    lotSizeUnits: input.lotSizeArea === undefined ? undefined : (input.lotSizeUnits ?? account.areaUnits),
    yearBuilt: input.yearBuilt,
    latitude: input.latitude,
    longitude: input.longitude,
    description: input.description,
    photos: input.photos,
    metadata: input.metadata,
    version: 1,
    createdAt: time,
    updatedAt: time,
  };
}

import { z } from 'zod';
import type { ParsedJson } from '../../lib/json.ts';
import { isObject } from '../../lib/merge-patch.ts';
import { AREA_UNITS } from '../../model/accounts.ts';
import { COUNTRIES, CURRENCIES } from '../../model/codes.ts';
import type { FieldFault } from '../../model/errors.ts';
import { type ListingInput, LOT_SIZE_UNITS, PROPERTY_TYPES, STATUSES } from '../../model/listings.ts';
import { fieldName, invalidFields, type KnownFields, toFaults } from './faults.ts';
import { choice, code, decimal, expected, integer, text, time } from './fields.ts';
import { metadata } from './metadata.ts';
import { photos } from './photos.ts';

const AMOUNT_MAX = 999_999_999_999.99;
const YEARS_AHEAD_MAX = 5;

const area = (decimalsMax: number, description: string) =>
  decimal({ minimum: 0, exclusive: true, maximum: AMOUNT_MAX, decimalsMax, description });

/** The fields a client may send, each with its rule (contract §2). */
export const listingFields = {
  externalId: text({ lengthMax: 255, description: 'Your own id, unique in the account.', example: 'MLS-20931' })
    .refine((value) => value !== '.' && value !== '..', {
      message: 'Must not be "." or "..", which no path can name.',
      params: { code: 'invalid_format' },
    })
    .optional(),
  address: text({ lengthMax: 255, description: 'Street address.', example: '12 Elm Street' }),
  unitNumber: text({ lengthMax: 25 }).optional(),
  city: text({ lengthMax: 50, example: 'Austin' }).optional(),
  stateOrProvince: text({ lengthMax: 50, example: 'TX' }).optional(),
  postalCode: text({ lengthMax: 10, example: '78701' }).optional(),
  country: code(COUNTRIES, '^[A-Z]{2}$', 'ISO 3166-1 alpha-2', 'US').optional(),
  beds: integer(0, 999, 'Number of bedrooms; 0 is a studio.'),
  baths: integer(
    0,
    999,
    'Number of bathrooms, full and part ones added up (RESO BathroomsTotalInteger).',
    '; a half bath counts as one',
  ),
  status: choice(STATUSES, 'Default: `active`.').optional(),
  propertyType: choice(PROPERTY_TYPES, "RESO's PropertyType in snake case.").optional(),
  listPrice: decimal({ minimum: 0, exclusive: true, maximum: AMOUNT_MAX, decimalsMax: 2, example: 450000 }).optional(),
  currency: code(CURRENCIES, '^[A-Z]{3}$', 'ISO 4217', 'USD').optional(),
  livingArea: area(2, 'Living area, in `livingAreaUnits`.').optional(),
  livingAreaUnits: choice(AREA_UNITS, "Default: the account's.").optional(),
  lotSizeArea: area(4, 'Area of the lot, in `lotSizeUnits`.').optional(),
  lotSizeUnits: choice(LOT_SIZE_UNITS, "Default: the account's.").optional(),
  yearBuilt: integer(
    1000,
    () => new Date().getUTCFullYear() + YEARS_AHEAD_MAX,
    `Year, up to ${YEARS_AHEAD_MAX} years from now.`,
  ).optional(),
  latitude: decimal({ minimum: -90, maximum: 90, decimalsMax: 8, description: 'Degrees; with longitude.' }).optional(),
  longitude: decimal({
    minimum: -180,
    maximum: 180,
    decimalsMax: 8,
    description: 'Degrees; with latitude.',
  }).optional(),
  description: text({ lengthMax: 4000, multiline: true }).optional(),
  photos: photos.optional(),
  metadata: metadata.optional(),
};

const FIELDS: KnownFields = {
  accepted: Object.keys(listingFields),
  readOnly: new Set(['id', 'version', 'createdAt', 'updatedAt']),
};
const REQUIRED = new Set(['address', 'beds', 'baths']);

export const listingInput = z.strictObject(listingFields, expected('an object')).meta({ id: 'ListingInput' });

export const listing = z
  .object({
    id: z.string().meta({ pattern: '^lst_[0-9a-hjkmnp-tv-z]{26}$', example: 'lst_01kt3vwq8r5f0x4m2n7p9s1d6h' }),
    ...listingFields,
    status: choice(STATUSES, 'Every listing has one.'),
    version: z.int().meta({ minimum: 1, description: '1 at creation, one more with every change.' }),
    createdAt: time(),
    updatedAt: time(),
  })
  .meta({ id: 'Listing' });

/** A listing in a list, of which `fields` may leave out any member. */
export const listedListing = z.union([
  listing,
  listing.partial().meta({
    id: 'ListingMembers',
    description: 'With `fields`: those members of a listing that it names, if the listing has them.',
  }),
]);

/** The members of a listing in the order of every reply. */
export const LISTING_FIELDS = Object.keys(listing.shape);

/**
 * Checks a body that is to become a listing; `found` are faults of it that are known already.
 * @throws {AppError} `validation_failed` with every fault there is
 */
export function parseListing({ value, inexactNumbers }: ParsedJson, found: FieldFault[] = []): ListingInput {
  const given = withoutNulls(value);
  const result = listingInput.safeParse(given, { reportInput: true });
  const inexact = inexactNumbers.map((path) => ({
    field: fieldName(path),
    code: 'out_of_range' as const,
    message: 'Has more digits than can be kept; a number may have 15.',
  }));
  if (result.success && inexact.length === 0 && found.length === 0) {
    const faults = findLonelyFields(result.data);
    if (faults.length === 0) return result.data;
    throw invalidFields(faults);
  }
  const seen = new Set(inexact.map(({ field }) => field));
  const others = toFaults(result.error?.issues ?? [], FIELDS).filter(({ field }) => !seen.has(field));
  throw invalidFields([...found, ...others, ...inexact, ...findLonelyFields(given)]);
}

/**
 * Checks a body that is to become the listing with this external id, which it may repeat.
 * @throws {AppError} `validation_failed` with every fault there is
 */
export function parseListingOf(externalId: string, { value, inexactNumbers }: ParsedJson): ListingInput {
  if (!isObject(value)) return parseListing({ value, inexactNumbers });
  const input = parseListing({ value: { externalId, ...withoutNulls(value) }, inexactNumbers });
  if (input.externalId === externalId) return input;
  const message = 'Must be the one in the path, or be left out.';
  throw invalidFields([{ field: 'externalId', code: 'inconsistent', message }]);
}

/** An external id as it is stored: what stands in a path is treated like what stands in a body. */
export function normalExternalId(given: string): string {
  return given.normalize('NFC').trim();
}

/** `null` for an optional field means that it was not given. */
function withoutNulls<T>(value: T): T | object {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (!entries.some(([name, member]) => member === null && !REQUIRED.has(name))) return value;
  return Object.fromEntries(entries.filter(([name, member]) => member !== null || !isOptional(name)));
}

/** Whether a field may be left out. */
export function isOptional(name: string): boolean {
  return Object.hasOwn(listingFields, name) && !REQUIRED.has(name);
}

/** Fields that mean nothing without another: [field, its partner]. */
const PARTNERS: [keyof ListingInput, keyof ListingInput][] = [
  ['currency', 'listPrice'],
  ['livingAreaUnits', 'livingArea'],
  ['lotSizeUnits', 'lotSizeArea'],
  ['latitude', 'longitude'],
  ['longitude', 'latitude'],
];

function findLonelyFields(given: unknown): FieldFault[] {
  const has = (name: string) => typeof given === 'object' && given !== null && name in given;
  return PARTNERS.filter(([field, partner]) => has(field) && !has(partner)).map(([field, partner]) => ({
    field: partner,
    code: 'inconsistent',
    message: `Is required together with ${field}.`,
  }));
}

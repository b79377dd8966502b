import { z } from 'zod';
import { toNfcWithin } from '../../../lib/nfc.ts';
import { AREA_UNITS } from '../../../model/accounts.ts';
import { COUNTRIES, CURRENCIES } from '../../../model/codes.ts';
import { LOT_SIZE_UNITS, PROPERTY_TYPES, STATUSES } from '../../../model/listings.ts';
import {
  choice,
  code,
  date,
  decimal,
  expected,
  integer,
  matching,
  namedObject,
  pathText,
  text,
  time,
} from './fields.ts';
import { metadata } from './metadata.ts';
import { photos } from './photos.ts';

const EXTERNAL_ID_LENGTH_MAX = 255;
const AMOUNT_MAX = 999_999_999_999.99;
const YEARS_AHEAD_MAX = 5;
export const FEED_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const amount = (decimalsMax: number, documentation: { description: string; example?: number }) =>
  decimal({ minimum: 0, exclusive: true, maximum: AMOUNT_MAX, decimalsMax, ...documentation });

export const listingFields = {
  externalId: pathText({
    lengthMax: EXTERNAL_ID_LENGTH_MAX,
    description: 'Your own id for the listing, unique in the account.',
    example: 'MLS-20931',
  }).optional(),
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
    'Number of bathrooms: the sum of full and partial ones (RESO BathroomsTotalInteger).',
    '; a half bath counts as 1',
  ),
  status: choice(STATUSES, 'Default: `active`.').optional(),
  propertyType: choice(PROPERTY_TYPES, "RESO's PropertyType, in snake case.").optional(),
  listPrice: amount(2, { description: 'The asking price, in `currency`.', example: 450000 }).optional(),
  currency: code(CURRENCIES, '^[A-Z]{3}$', 'ISO 4217', 'USD').optional(),
  closePrice: amount(2, {
    description: 'The price at closing, in `currency`.',
    example: 445000,
  }).optional(),
  livingArea: amount(2, { description: 'Living area, in `livingAreaUnits`.' }).optional(),
  livingAreaUnits: choice(AREA_UNITS, "Default: the account's.").optional(),
  lotSizeArea: amount(4, { description: 'Area of the lot, in `lotSizeUnits`.' }).optional(),
  lotSizeUnits: choice(LOT_SIZE_UNITS, "Default: the account's.").optional(),
  yearBuilt: integer(
    1000,
    () => new Date().getUTCFullYear() + YEARS_AHEAD_MAX,
    `Year, up to ${YEARS_AHEAD_MAX} years from now.`,
  ).optional(),
  onMarketDate: date('When the listing came on the market.').optional(),
  closeDate: date('When the sale or lease closed.').optional(),
  latitude: decimal({
    minimum: -90,
    maximum: 90,
    decimalsMax: 8,
    description: 'Degrees; requires `longitude`.',
  }).optional(),
  longitude: decimal({
    minimum: -180,
    maximum: 180,
    decimalsMax: 8,
    description: 'Degrees; requires `latitude`.',
  }).optional(),
  description: text({ lengthMax: 4000, multiline: true }).optional(),
  photos: photos.optional(),
  metadata: metadata.optional(),
};

export const listingInput = z.strictObject(listingFields, expected('an object')).meta({ id: 'ListingInput' });

export const feedName = matching(
  FEED_NAME,
  'Must have 1 to 64 characters from a-z, 0-9, -, and _, and begin with a letter or digit.',
  { example: 'mls' },
);

const { externalId, ...otherFields } = listingFields;

export const listing = namedObject('Listing', {
  id: z.string().meta({ pattern: '^lst_[0-9a-hjkmnp-tv-z]{26}$', example: 'lst_01kt3vwq8r5f0x4m2n7p9s1d6h' }),
  externalId,
  feed: feedName.describe('The feed that owns the listing.').optional(),
  ...otherFields,
  status: choice(STATUSES, 'Always present.'),
  version: z.int().meta({
    minimum: 1,
    description:
      '1 at creation; each change adds one. After a restore of the database, the first change to a listing adds ' +
      'more than one.',
  }),
  createdAt: time(),
  updatedAt: time(),
});

/** The members of a listing, in the order that every response uses. */
export const LISTING_FIELDS = Object.keys(listing.shape);

/** An external id as it is stored. Ids in a path are normalized like those in a body. */
export function normalExternalId(given: string): string {
  return toNfcWithin(given.trim(), EXTERNAL_ID_LENGTH_MAX);
}

export const REQUIRED_FIELDS: readonly string[] = ['address', 'beds', 'baths'];

export function isOptional(name: string): boolean {
  return Object.hasOwn(listingFields, name) && !REQUIRED_FIELDS.includes(name);
}

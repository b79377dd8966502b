import {
  DECIMAL_FIELDS,
  INTEGER_FIELDS,
  LIVING_AREA_UNITS,
  LOT_SIZE_UNITS,
  PROPERTY_TYPES,
  STATUSES,
  WRITABLE_FIELDS,
} from '@property-listings/client/constants';

/** The fields with their own flags, in the same order as in a response; `photos` and `metadata` have special flags. */
export const FIELD_NAMES = WRITABLE_FIELDS.filter((name) => name !== 'photos' && name !== 'metadata');

export type FieldName = (typeof FIELD_NAMES)[number];

export const FIELD_DESCRIPTIONS: Record<FieldName, string> = {
  externalId: 'your own ID for the listing',
  address: 'street address',
  unitNumber: 'unit number',
  city: 'city',
  stateOrProvince: 'state or province',
  postalCode: 'postal code',
  country: 'country code, such as US (ISO 3166-1)',
  beds: 'bedrooms; 0 for a studio',
  baths: 'bathrooms, full and partial',
  status: 'market status',
  propertyType: 'property type',
  listPrice: 'list price',
  currency: 'currency of the prices, such as USD (ISO 4217)',
  closePrice: 'price at closing',
  livingArea: 'living area',
  livingAreaUnits: 'unit of the living area',
  lotSizeArea: 'lot size',
  lotSizeUnits: 'unit of the lot size',
  yearBuilt: 'year of construction',
  onMarketDate: 'date when the listing came on the market, such as 2026-11-22',
  closeDate: 'date of closing, such as 2026-11-22',
  latitude: 'latitude in degrees north',
  longitude: 'longitude in degrees east',
  description: 'description',
};

/** For help and completion only: a newer service may accept more values. */
export const CHOICES: Partial<Record<FieldName, readonly string[]>> = {
  status: STATUSES,
  propertyType: PROPERTY_TYPES,
  livingAreaUnits: LIVING_AREA_UNITS,
  lotSizeUnits: LOT_SIZE_UNITS,
};

export const NUMBER_FIELDS: ReadonlySet<string> = new Set([...INTEGER_FIELDS, ...DECIMAL_FIELDS, 'distance']);

/** `listPrice` → `list-price` */
export function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

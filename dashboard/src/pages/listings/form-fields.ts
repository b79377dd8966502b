import {
  accountAreaUnitsValues,
  type Listing,
  type ListingInput,
  listingLotSizeUnitsValues,
  listingPropertyTypeValues,
  listingStatusValues,
} from '../../api/admin';
import { AREA_UNITS, formatArea, formatChoice, formatDay, formatNumber, formatPrice } from '../../lib/format';

export interface FormField {
  name: keyof ListingInput;
  label: string;
  /** `code` is a country or currency code; `degrees` are numbers without thousands separators. */
  kind: 'text' | 'number' | 'degrees' | 'date' | 'code' | 'choice' | 'long';
  isRequired?: boolean;
  description?: string;
  options?: { value: string; label: string }[];
  /** The field's width in columns of the form, which has six. */
  span: 1 | 2 | 3 | 4 | 6;
}

const EMPTY = { value: '', label: 'None' };
/** The choice that sets no unit, so that the account's default applies. */
export const DEFAULT_UNITS = { value: '', label: 'Default' };
const choices = (values: readonly string[]) => values.map((value) => ({ value, label: formatChoice(value) }));
const units = (values: readonly string[]) => [
  DEFAULT_UNITS,
  ...values.map((value) => ({ value, label: AREA_UNITS[value] ?? value })),
];
const TYPES = [EMPTY, ...choices(listingPropertyTypeValues)];

export const FORM_SECTIONS: { title: string; fields: FormField[] }[] = [
  {
    title: 'Property',
    fields: [
      { name: 'address', label: 'Address', kind: 'text', isRequired: true, span: 4 },
      { name: 'unitNumber', label: 'Unit', kind: 'text', span: 2 },
      { name: 'city', label: 'City', kind: 'text', span: 2 },
      { name: 'stateOrProvince', label: 'State or province', kind: 'text', span: 2 },
      { name: 'postalCode', label: 'Postal code', kind: 'text', span: 2 },
      { name: 'country', label: 'Country', kind: 'code', span: 2 },
      { name: 'beds', label: 'Beds', kind: 'number', isRequired: true, span: 1 },
      { name: 'baths', label: 'Baths', kind: 'number', isRequired: true, span: 1 },
      { name: 'status', label: 'Status', kind: 'choice', options: choices(listingStatusValues), span: 2 },
      { name: 'propertyType', label: 'Type', kind: 'choice', options: TYPES, span: 2 },
      {
        name: 'externalId',
        label: 'External ID',
        kind: 'text',
        description: 'For example, the MLS number. Unique within the account.',
        span: 4,
      },
    ],
  },
  {
    title: 'Price, size, and dates',
    fields: [
      { name: 'listPrice', label: 'Price', kind: 'number', span: 2 },
      { name: 'closePrice', label: 'Close price', kind: 'number', span: 2 },
      { name: 'currency', label: 'Currency', kind: 'code', span: 2 },
      { name: 'livingArea', label: 'Living area', kind: 'number', span: 2 },
      { name: 'livingAreaUnits', label: 'Area unit', kind: 'choice', options: units(accountAreaUnitsValues), span: 2 },
      { name: 'yearBuilt', label: 'Year built', kind: 'number', span: 2 },
      { name: 'lotSizeArea', label: 'Lot size', kind: 'number', span: 2 },
      { name: 'lotSizeUnits', label: 'Lot unit', kind: 'choice', options: units(listingLotSizeUnitsValues), span: 2 },
      { name: 'onMarketDate', label: 'On market since', kind: 'date', span: 2 },
      { name: 'closeDate', label: 'Closed on', kind: 'date', span: 2 },
    ],
  },
  {
    title: 'Details',
    fields: [
      { name: 'description', label: 'Description', kind: 'long', span: 6 },
      { name: 'latitude', label: 'Latitude', kind: 'degrees', span: 3 },
      { name: 'longitude', label: 'Longitude', kind: 'degrees', span: 3 },
    ],
  },
];

export const FORM_FIELDS = FORM_SECTIONS.flatMap(({ fields }) => fields);

const KINDS: Partial<Record<string, string>> = Object.fromEntries(FORM_FIELDS.map(({ name, kind }) => [name, kind]));

/** Formats a field's value for display, in the currency and units of the listing. */
export function formatField(name: string, value: unknown, listing: Listing): string {
  if (value === undefined || value === null) return 'None';
  if (typeof value === 'number') {
    if (name.endsWith('Price')) return formatPrice(value, listing.currency);
    if (name === 'livingArea') return formatArea(value, listing.livingAreaUnits);
    if (name === 'lotSizeArea') return formatArea(value, listing.lotSizeUnits);
    return name === 'yearBuilt' || KINDS[name] === 'degrees' ? String(value) : formatNumber(value);
  }
  if (KINDS[name] === 'choice') return AREA_UNITS[String(value)] ?? formatChoice(String(value));
  return KINDS[name] === 'date' ? formatDay(String(value)) : String(value);
}

/** Returns a field's label in the form, such as `Close price`, or else the field's own name. */
export function labelOf(name: string): string {
  const label = FORM_FIELDS.find((field) => field.name === name)?.label;
  return label ?? { photos: 'Photos', metadata: 'Custom fields', feed: 'Feed' }[name] ?? name;
}

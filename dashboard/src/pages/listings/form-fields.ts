import { formatChoice } from '../../lib/format';
import { PROPERTY_TYPES, STATUSES } from './search';

export interface FormField {
  /** As the API calls it. */
  name: string;
  label: string;
  /** A code is written in capital letters, degrees have no thousands. */
  kind: 'text' | 'number' | 'degrees' | 'code' | 'choice' | 'long';
  /** No listing is without it. */
  isRequired?: boolean;
  description?: string;
  options?: { value: string; label: string }[];
  /** How many of the form's six columns it takes. */
  span: 1 | 2 | 3 | 4 | 6;
}

interface FormSection {
  title: string;
  fields: FormField[];
}

const NONE = { value: '', label: 'Not given' };
/** Which one that is the account says. */
export const DEFAULT_UNITS = { value: '', label: 'Default' };
const choices = (values: readonly string[]) => values.map((value) => ({ value, label: formatChoice(value) }));
const AREA_UNITS = [DEFAULT_UNITS, { value: 'sqft', label: 'sq ft' }, { value: 'sqm', label: 'm²' }];
const LOT_UNITS = [...AREA_UNITS, { value: 'acres', label: 'acres' }];

export const FORM_SECTIONS: FormSection[] = [
  {
    title: 'Property',
    fields: [
      { name: 'address', label: 'Address', kind: 'text', isRequired: true, span: 4 },
      { name: 'unitNumber', label: 'Unit', kind: 'text', span: 2 },
      { name: 'city', label: 'City', kind: 'text', span: 2 },
      { name: 'stateOrProvince', label: 'State or province', kind: 'text', span: 2 },
      { name: 'postalCode', label: 'Postal code', kind: 'text', span: 1 },
      { name: 'country', label: 'Country', kind: 'code', description: 'Such as US', span: 1 },
      { name: 'beds', label: 'Beds', kind: 'number', isRequired: true, span: 1 },
      { name: 'baths', label: 'Baths', kind: 'number', isRequired: true, span: 1 },
      { name: 'status', label: 'Status', kind: 'choice', options: choices(STATUSES), span: 2 },
      { name: 'propertyType', label: 'Type', kind: 'choice', options: [NONE, ...choices(PROPERTY_TYPES)], span: 2 },
    ],
  },
  {
    title: 'Price and size',
    fields: [
      { name: 'listPrice', label: 'Price', kind: 'number', span: 2 },
      { name: 'currency', label: 'Currency', kind: 'code', description: 'Three letters, such as USD', span: 2 },
      { name: 'yearBuilt', label: 'Year built', kind: 'number', span: 2 },
      { name: 'livingArea', label: 'Living area', kind: 'number', span: 2 },
      { name: 'livingAreaUnits', label: 'Living area in', kind: 'choice', options: AREA_UNITS, span: 1 },
      { name: 'lotSizeArea', label: 'Lot size', kind: 'number', span: 2 },
      { name: 'lotSizeUnits', label: 'Lot size in', kind: 'choice', options: LOT_UNITS, span: 1 },
    ],
  },
  {
    title: 'Details',
    fields: [
      { name: 'description', label: 'Description', kind: 'long', span: 6 },
      {
        name: 'externalId',
        label: 'Your own id',
        kind: 'text',
        description: 'What your other systems call this listing; no two may have the same.',
        span: 2,
      },
      { name: 'latitude', label: 'Latitude', kind: 'degrees', span: 2 },
      { name: 'longitude', label: 'Longitude', kind: 'degrees', span: 2 },
    ],
  },
];

export const FORM_FIELDS = FORM_SECTIONS.flatMap(({ fields }) => fields);

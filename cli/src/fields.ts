/** What commands take and show of a listing: flags, completion and columns come from this table. */
export interface Field {
  name: string;
  type: 'text' | 'integer' | 'decimal' | 'choice';
  description: string;
  choices?: readonly string[];
}

const STATUSES = [
  'coming_soon',
  'active',
  'active_under_contract',
  'pending',
  'hold',
  'withdrawn',
  'closed',
  'expired',
  'canceled',
];
const PROPERTY_TYPES = [
  'residential',
  'residential_lease',
  'residential_income',
  'land',
  'farm',
  'commercial_sale',
  'commercial_lease',
  'business_opportunity',
  'manufactured_in_park',
];
const AREA_UNITS = ['sqft', 'sqm'];

/** What can be given one by one, in the order of a reply; `photos` and `metadata` have flags of their own. */
export const FIELDS: readonly Field[] = [
  { name: 'externalId', type: 'text', description: 'your own id for it' },
  { name: 'address', type: 'text', description: 'street address' },
  { name: 'unitNumber', type: 'text', description: 'number of the unit' },
  { name: 'city', type: 'text', description: 'city' },
  { name: 'stateOrProvince', type: 'text', description: 'state or province' },
  { name: 'postalCode', type: 'text', description: 'postal code' },
  { name: 'country', type: 'text', description: 'country, such as US (ISO 3166-1)' },
  { name: 'beds', type: 'integer', description: 'bedrooms; 0 is a studio' },
  { name: 'baths', type: 'integer', description: 'bathrooms, full and part ones added up' },
  { name: 'status', type: 'choice', description: 'where it stands in the market', choices: STATUSES },
  { name: 'propertyType', type: 'choice', description: 'kind of property', choices: PROPERTY_TYPES },
  { name: 'listPrice', type: 'decimal', description: 'price' },
  { name: 'currency', type: 'text', description: 'currency of the price, such as USD (ISO 4217)' },
  { name: 'livingArea', type: 'decimal', description: 'living area' },
  { name: 'livingAreaUnits', type: 'choice', description: 'its unit', choices: AREA_UNITS },
  { name: 'lotSizeArea', type: 'decimal', description: 'size of the lot' },
  { name: 'lotSizeUnits', type: 'choice', description: 'its unit', choices: ['acres', ...AREA_UNITS] },
  { name: 'yearBuilt', type: 'integer', description: 'year of construction' },
  { name: 'latitude', type: 'decimal', description: 'degrees north' },
  { name: 'longitude', type: 'decimal', description: 'degrees east' },
  { name: 'description', type: 'text', description: 'a text about it' },
];

/** All members of a listing, in the order of a reply. */
export const LISTING_MEMBERS: readonly string[] = [
  'id',
  ...FIELDS.map(({ name }) => name),
  'photos',
  'metadata',
  'version',
  'createdAt',
  'updatedAt',
];

const NEEDED: readonly string[] = ['address', 'beds', 'baths'];

/** What a listing can be without. */
export const OPTIONAL_MEMBERS: readonly string[] = [...FIELDS.map(({ name }) => name), 'photos', 'metadata'].filter(
  (name) => !NEEDED.includes(name),
);

export function getField(name: string): Field {
  const field = FIELDS.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`There is no field ${name}`);
  return field;
}

/** `listPrice` as the flag `list-price`. */
export function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

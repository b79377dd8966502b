import type { ListingFieldName } from '../../api/types';

interface Column {
  name: ListingFieldName;
  example: string;
  /** Synonyms, as lowercase letters only. */
  also: string[];
}

export const COLUMNS: Column[] = [
  { name: 'externalId', example: 'MLS-20931', also: ['ownid', 'reference', 'ref', 'mlsnumber', 'mls'] },
  { name: 'address', example: '12 Elm Street', also: ['street', 'streetaddress', 'addressline'] },
  { name: 'unitNumber', example: '4B', also: ['unit', 'apartment', 'apt', 'suite'] },
  { name: 'city', example: 'Austin', also: ['town', 'municipality'] },
  { name: 'stateOrProvince', example: 'TX', also: ['state', 'province', 'region'] },
  { name: 'postalCode', example: '78701', also: ['zip', 'zipcode', 'postcode'] },
  { name: 'country', example: 'US', also: ['countrycode'] },
  { name: 'beds', example: '3', also: ['bedrooms', 'bedroom', 'bed', 'br'] },
  { name: 'baths', example: '2', also: ['bathrooms', 'bathroom', 'bath', 'ba'] },
  { name: 'status', example: 'active', also: ['listingstatus'] },
  { name: 'propertyType', example: 'residential', also: ['type', 'kind'] },
  { name: 'listPrice', example: '450000', also: ['price', 'askingprice', 'amount'] },
  { name: 'currency', example: 'USD', also: ['currencycode'] },
  { name: 'livingArea', example: '1850', also: ['area', 'size', 'sqft', 'squarefeet', 'sqm', 'squaremeters'] },
  { name: 'livingAreaUnits', example: 'sqft', also: ['areaunits', 'areaunit', 'units'] },
  { name: 'lotSizeArea', example: '0.25', also: ['lotsize', 'lot', 'lotarea', 'acres'] },
  { name: 'lotSizeUnits', example: 'acres', also: ['lotunits', 'lotunit'] },
  { name: 'yearBuilt', example: '1994', also: ['year', 'built', 'constructionyear'] },
  { name: 'description', example: 'Bright corner house', also: ['remarks', 'text', 'notes', 'comments'] },
  { name: 'latitude', example: '30.2672', also: ['lat'] },
  { name: 'longitude', example: '-97.7431', also: ['lng', 'lon', 'long'] },
  { name: 'photos', example: '[{"url":"https://example.com/1.jpg"}]', also: ['photo', 'images', 'image', 'pictures'] },
  { name: 'metadata', example: '{"agent":"Grace"}', also: ['customfields', 'custom', 'extra'] },
];

/** Suggests the known column that an unknown name probably means. */
export function suggestColumn(given: string): string | undefined {
  const plain = given.toLowerCase().replaceAll(/[^a-z]/g, '');
  return COLUMNS.find(({ name, also }) => name.toLowerCase() === plain || also.includes(plain))?.name;
}

/** A CSV file with all columns and no rows. */
export function makeTemplate(): string {
  return `${COLUMNS.map(({ name }) => name).join(',')}\r\n`;
}

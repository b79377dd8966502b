import type { ListingFieldName } from '../../api/types';

interface Column {
  name: ListingFieldName;
  example: string;
}

export const COLUMNS: Column[] = [
  { name: 'externalId', example: 'MLS-20931' },
  { name: 'address', example: '12 Elm Street' },
  { name: 'unitNumber', example: '4B' },
  { name: 'city', example: 'Austin' },
  { name: 'stateOrProvince', example: 'TX' },
  { name: 'postalCode', example: '78701' },
  { name: 'country', example: 'US' },
  { name: 'beds', example: '3' },
  { name: 'baths', example: '2' },
  { name: 'status', example: 'active' },
  { name: 'propertyType', example: 'residential' },
  { name: 'listPrice', example: '450000' },
  { name: 'currency', example: 'USD' },
  { name: 'closePrice', example: '445000' },
  { name: 'livingArea', example: '1850' },
  { name: 'livingAreaUnits', example: 'sqft' },
  { name: 'lotSizeArea', example: '0.25' },
  { name: 'lotSizeUnits', example: 'acres' },
  { name: 'yearBuilt', example: '1994' },
  { name: 'onMarketDate', example: '2026-11-01' },
  { name: 'closeDate', example: '2026-11-22' },
  { name: 'description', example: 'Bright corner house' },
  { name: 'latitude', example: '30.2672' },
  { name: 'longitude', example: '-97.7431' },
  { name: 'photos', example: '[{"url":"https://example.com/1.jpg"}]' },
  { name: 'metadata', example: '{"agent":"Grace"}' },
];

/** A CSV file with all columns and no rows. */
export function makeTemplate(): string {
  return `${COLUMNS.map(({ name }) => name).join(',')}\r\n`;
}

/** The columns of the template. An export has these and the fields that the service sets. */
export const COLUMNS = (
  'externalId address unitNumber city stateOrProvince postalCode country beds baths status propertyType listPrice ' +
  'currency closePrice livingArea livingAreaUnits lotSizeArea lotSizeUnits yearBuilt onMarketDate closeDate ' +
  'description latitude longitude photos metadata'
).split(' ');

/** A CSV file with all columns and no rows. */
export function makeTemplate(): string {
  return `${COLUMNS.join(',')}\r\n`;
}

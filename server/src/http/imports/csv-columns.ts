import type { Cells } from '../../lib/csv.ts';
import { AppError, type ValidationIssue } from '../../model/errors.ts';
import { suggest } from '../../model/suggest.ts';
import { fieldName, ISSUES_MAX } from '../contract/schemas/issues.ts';
import { LISTING_FIELDS } from '../contract/schemas/listings.ts';

export interface CsvColumn {
  field: string;
  /** Whether the column's name and choices are RESO's. */
  isReso: boolean;
}

/** RESO Data Dictionary 2.0 (dd.reso.org) names of our fields. */
const RESO_FIELDS: Record<string, string> = {
  ListingKey: 'externalId',
  ListingId: 'externalId',
  UnparsedAddress: 'address',
  UnitNumber: 'unitNumber',
  City: 'city',
  StateOrProvince: 'stateOrProvince',
  PostalCode: 'postalCode',
  Country: 'country',
  BedroomsTotal: 'beds',
  BathroomsTotalInteger: 'baths',
  StandardStatus: 'status',
  PropertyType: 'propertyType',
  ListPrice: 'listPrice',
  ClosePrice: 'closePrice',
  LivingArea: 'livingArea',
  LivingAreaUnits: 'livingAreaUnits',
  LotSizeArea: 'lotSizeArea',
  LotSizeUnits: 'lotSizeUnits',
  YearBuilt: 'yearBuilt',
  OnMarketDate: 'onMarketDate',
  CloseDate: 'closeDate',
  Latitude: 'latitude',
  Longitude: 'longitude',
  PublicRemarks: 'description',
};

const NAMES = [...LISTING_FIELDS, ...Object.keys(RESO_FIELDS)];

/** A listing has 31 fields; providers fill a few hundred of RESO's. */
export const CSV_COLUMNS_MAX = 500;

/**
 * Unknown columns are undefined if `ignoreUnknown` allows them.
 * @throws {AppError} `validation_failed` with the unknown and duplicate columns
 */
export function parseHeader(cells: Cells, ignoreUnknown: boolean): (CsvColumn | undefined)[] {
  if (cells.length > CSV_COLUMNS_MAX) throw tooManyColumns();
  const columns = cells.map((cell) => toColumn(cell?.trim()));
  const issues = findColumnIssues(cells, columns, ignoreUnknown)
    .take(ISSUES_MAX + 1)
    .toArray();
  if (issues.length === 0) return columns;
  throw new AppError('validation_failed', describeIssues(cells, issues), {
    details: issues.slice(0, ISSUES_MAX),
    members: { line: 1 },
  });
}

function tooManyColumns(): AppError {
  const message = `The header has more than ${CSV_COLUMNS_MAX} columns; remove those that are not needed.`;
  return new AppError('validation_failed', message, { members: { line: 1 } });
}

function* findColumnIssues(
  cells: Cells,
  columns: (CsvColumn | undefined)[],
  ignoreUnknown: boolean,
): Generator<ValidationIssue> {
  const firstByField = new Map<string, string | undefined>();
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    const name = cell?.trim();
    const field = fieldName([name || `column ${index + 1}`]);
    if (column === undefined) {
      if (!ignoreUnknown) yield unknownColumn(field, name);
    } else if (firstByField.has(column.field)) {
      const message = `Is the same field as the column ${firstByField.get(column.field)}; remove one of them.`;
      yield { field, code: 'duplicate', message };
    } else {
      firstByField.set(column.field, name);
    }
  }
}

function toColumn(name = ''): CsvColumn | undefined {
  if (LISTING_FIELDS.includes(name)) return { field: name, isReso: false };
  const field = Object.hasOwn(RESO_FIELDS, name) ? RESO_FIELDS[name] : undefined;
  return field === undefined ? undefined : { field, isReso: true };
}

function unknownColumn(field: string, name: string | undefined): ValidationIssue {
  const nearest = name && suggest(name, NAMES);
  const hint = nearest ? `; did you mean ${nearest}?` : '.';
  return { field, code: 'unknown_field', message: `There is no such column${hint}` };
}

function describeIssues(cells: Cells, issues: ValidationIssue[]): string {
  if (cells.length === 1 && /[;\t]/.test(cells[0] ?? '')) return 'Separate the columns with commas.';
  const [first] = issues;
  const hint = issues.some(({ code }) => code === 'unknown_field')
    ? ' To skip unknown columns, set ignoreUnknown=true.'
    : '';
  if (issues.length === 1) return `The column ${first?.field} cannot be imported: ${first?.message}${hint}`;
  return issues.length > ISSUES_MAX
    ? `More than ${ISSUES_MAX} columns cannot be imported; see details for the first ${ISSUES_MAX}.${hint}`
    : `${issues.length} columns cannot be imported; see details.${hint}`;
}

/** RESO's choices that differ from ours in more than spelling. */
const RESO_UNITS: Record<string, string> = { square_feet: 'sqft', square_meters: 'sqm' };
const CHOICES = new Set(['status', 'propertyType', 'livingAreaUnits', 'lotSizeUnits']);

/**
 * Translates RESO's "Active Under Contract" or "ActiveUnderContract" to `active_under_contract`.
 */
export function toOurChoice({ field, isReso }: CsvColumn, cell: string): string {
  if (!isReso || !CHOICES.has(field)) return cell;
  const word = cell
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/ +/g, '_')
    .toLowerCase();
  return RESO_UNITS[word] ?? word;
}

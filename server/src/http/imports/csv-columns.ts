import type { Cells } from '../../lib/csv.ts';
import { suggest } from '../../lib/suggest.ts';
import { AppError, type ValidationIssue } from '../../model/errors.ts';
import { fieldName, ISSUES_MAX } from '../contract/schemas/issues.ts';
import { LISTING_FIELDS } from '../contract/schemas/listings.ts';

/** Which field of a listing a column holds. */
export interface CsvColumn {
  field: string;
  /** Whether it has RESO's name, and its choices RESO's words. */
  isReso: boolean;
}

/** The names of the RESO Data Dictionary 2.0 (dd.reso.org) for our fields. */
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
  LivingArea: 'livingArea',
  LivingAreaUnits: 'livingAreaUnits',
  LotSizeArea: 'lotSizeArea',
  LotSizeUnits: 'lotSizeUnits',
  YearBuilt: 'yearBuilt',
  Latitude: 'latitude',
  Longitude: 'longitude',
  PublicRemarks: 'description',
};

const NAMES = [...LISTING_FIELDS, ...Object.keys(RESO_FIELDS)];

/** A listing has 25 fields, and a row with all of RESO's that a provider fills a few hundred. */
export const CSV_COLUMNS_MAX = 500;

/**
 * What each column of a file holds, by its header row; nothing for those that are not known, if that is allowed.
 * @throws {AppError} `validation_failed` with the columns that are not known, or that say what another one says
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
  const message = `The header has more than ${CSV_COLUMNS_MAX} columns; leave out those that are not needed.`;
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
      const message = `Holds ${column.field}, as ${firstByField.get(column.field)} does; leave one of them out.`;
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
  const meant = nearest ? `; perhaps ${nearest} is meant` : '';
  return { field, code: 'unknown_field', message: `There is no such column${meant}.` };
}

function describeIssues(cells: Cells, issues: ValidationIssue[]): string {
  if (cells.length === 1 && /[;\t]/.test(cells[0] ?? '')) return 'Separate the columns by commas.';
  const [first] = issues;
  const hint = issues.some(({ code }) => code === 'unknown_field')
    ? ' ignoreUnknown=true leaves out unknown ones.'
    : '';
  if (issues.length === 1) return `The column ${first?.field} cannot be imported: ${first?.message}${hint}`;
  return issues.length > ISSUES_MAX
    ? `More than ${ISSUES_MAX} columns cannot be imported; details names the first ${ISSUES_MAX}.${hint}`
    : `${issues.length} columns cannot be imported; details names each.${hint}`;
}

/** Where RESO's words for a choice are not ours in another spelling. */
const RESO_UNITS: Record<string, string> = { square_feet: 'sqft', square_meters: 'sqm' };
const CHOICES = new Set(['status', 'propertyType', 'livingAreaUnits', 'lotSizeUnits']);

/** What a cell says in our words: of RESO's "Active Under Contract" or "ActiveUnderContract", `active_under_contract`. */
export function toOurWords({ field, isReso }: CsvColumn, cell: string): string {
  if (!isReso || !CHOICES.has(field)) return cell;
  const word = cell
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/ +/g, '_')
    .toLowerCase();
  return RESO_UNITS[word] ?? word;
}

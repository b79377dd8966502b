import { type Cells, CsvSplitter } from '../../lib/csv.ts';
import type { ParsedJson, PropertyPath } from '../../lib/json.ts';
import type { FileRecord } from '../../lib/records.ts';
import { AppError, type PlainError, toPlainError, type ValidationIssue } from '../../model/errors.ts';
import { type Listing, type ListingInput, withoutServerFields } from '../../model/listings.ts';
import { IGNORED_FIELDS } from '../contract/schemas/file-rows.ts';
import { decodeRecord } from '../contract/schemas/listing-csv.ts';
import { withoutUnits } from '../contract/schemas/listing-patch.ts';
import { listingFields, normalExternalId } from '../contract/schemas/listings.ts';
import { parseListing, toRowIssue } from '../contract/schemas/parse-listing.ts';
import { type CsvColumn, parseHeader, toOurChoice } from './csv-columns.ts';
import type { FileFormat } from './file-rows.ts';
import { ROW_BYTES_MAX } from './json-rows.ts';
import type { ReadRow } from './reading.ts';

/** The header row has our field names or RESO's. */
export function csvFile(ignoreUnknown: boolean): FileFormat<Cells> {
  let header: Header | undefined;
  return {
    splitter: new CsvSplitter(ROW_BYTES_MAX),
    toRow({ line, content = [] }, hasDetails) {
      if (header !== undefined) return toRow({ line, content }, header, hasDetails);
      header = readHeader(content, ignoreUnknown);
      return undefined;
    },
    end() {
      if (header !== undefined) return;
      throw new AppError('validation_failed', 'The file is empty; it must begin with a row of column names.');
    },
  };
}

interface Header {
  columns: (CsvColumn | undefined)[];
  /** Whether each field has a column, so that a row contains the whole listing. */
  isComplete: boolean;
}

function readHeader(cells: Cells, ignoreUnknown: boolean): Header {
  const columns = parseHeader(cells, ignoreUnknown);
  const fields = new Set(columns.map((column) => column?.field));
  return { columns, isComplete: Object.keys(listingFields).every((field) => fields.has(field)) };
}

function toRow({ line, content = [] }: FileRecord<Cells>, header: Header, hasDetails: boolean): ReadRow {
  const { columns, isComplete } = header;
  const issues = findCellIssues(content, columns);
  if (issues.length > 0) return { line, issue: toPlainError(invalidCells(issues)) };
  const { id, fields, inexactNumbers } = decodeCells(content, columns);
  return {
    line,
    id: typeof id === 'string' ? id : undefined,
    externalId: typeof fields.externalId === 'string' ? normalExternalId(fields.externalId) : undefined,
    input: toInput(fields, inexactNumbers, hasDetails),
    changes: isComplete ? undefined : JSON.stringify({ fields, inexactNumbers }),
  };
}

/** Returns the listing as JSON text, or its error. */
function toInput(
  fields: Record<string, unknown>,
  inexactNumbers: PropertyPath[],
  hasDetails: boolean,
): string | PlainError {
  try {
    return JSON.stringify(parseFields(fields, inexactNumbers, hasDetails));
  } catch (error) {
    if (error instanceof AppError) return toRowIssue(error);
    throw error;
  }
}

/** @throws {AppError} `validation_failed` with all issues of the result */
export function applyChanges(current: Listing, changes: string): ListingInput {
  const { fields, inexactNumbers } = JSON.parse(changes);
  return parseFields(withCells(current, fields), inexactNumbers);
}

function findCellIssues(cells: Cells, columns: (CsvColumn | undefined)[]): ValidationIssue[] {
  if (cells.length !== columns.length) {
    const message = `Has ${cells.length} cells and must have ${columns.length}, like the header; quote values that contain a comma or a line break.`;
    return [{ field: 'body', code: 'invalid_format', message }];
  }
  return cells.flatMap((cell, index) => {
    const column = columns[index];
    if (cell !== undefined || column === undefined) return [];
    return [{ field: column.field, code: 'invalid_format', message: 'Must be UTF-8; save the file as UTF-8.' }];
  });
}

function invalidCells(details: ValidationIssue[]): AppError {
  return new AppError('validation_failed', 'The row is not valid CSV; see details.', { details });
}

interface DecodedCells {
  id: unknown;
  /** Field → value; null for an empty cell. */
  fields: Record<string, unknown>;
  inexactNumbers: PropertyPath[];
}

function decodeCells(cells: Cells, columns: (CsvColumn | undefined)[]): DecodedCells {
  const record: Record<string, string> = {};
  for (const [index, column] of columns.entries()) {
    if (column === undefined || IGNORED_FIELDS.includes(column.field)) continue;
    // Line breaks in cells are often CRLF, as between rows; ours are LF.
    const cell = (cells[index] ?? '').replaceAll('\r\n', '\n');
    record[column.field] = toOurChoice(column, cell);
  }
  const { id, ...others } = record;
  const { value, inexactNumbers } = decodeRecord(others);
  return { id: id?.trim() || undefined, fields: Object.assign({}, value), inexactNumbers };
}

/** An empty cell removes the field. */
function withCells(current: Listing, fields: Record<string, unknown>): Record<string, unknown> {
  const before = withoutServerFields(current);
  return { ...before, ...withoutUnits(fields, before) };
}

/** An empty cell counts as missing, even for a required field. */
function parseFields(
  fields: Record<string, unknown>,
  inexactNumbers: ParsedJson['inexactNumbers'],
  hasDetails = true,
): ListingInput {
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return parseListing({ value: Object.fromEntries(given), inexactNumbers }, [], hasDetails);
}

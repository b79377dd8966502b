import type { ParsedJson } from '../../lib/json.ts';
import { JsonArraySplitter } from '../../lib/json-array.ts';
import { LineSplitter } from '../../lib/lines.ts';
import { isObject } from '../../lib/merge-patch.ts';
import type { FileRecord } from '../../lib/records.ts';
import { AppError, type ValidationIssue } from '../../model/errors.ts';
import { withoutServerFields } from '../../model/listings.ts';
import { IGNORED_FIELDS } from '../contract/schemas/file-rows.ts';
import { parseListing, toRowIssue } from '../contract/schemas/parse-listing.ts';
import { parseBody } from '../protocol/body.ts';
import type { FileFormat } from './file-rows.ts';
import type { ReadGoodRow, ReadRow } from './reading.ts';

/** The documented maximum size of one row. */
export const ROW_BYTES_MAX = 1024 * 1024;

export function ndjsonFile(): FileFormat<Buffer> {
  return { splitter: new LineSplitter(ROW_BYTES_MAX), toRow: toJsonRow };
}

export function jsonArrayFile(): FileFormat<Buffer> {
  return { splitter: new JsonArraySplitter(ROW_BYTES_MAX), toRow: toJsonRow };
}

/** Undefined for the closing line of an export, which is not a row. */
function toJsonRow({ line, content }: FileRecord<Buffer>, hasDetails: boolean): ReadRow | undefined {
  try {
    if (content === undefined) throw rowTooLong();
    const parsed = parseBody(content, 'row');
    return isClosingLine(parsed.value) ? undefined : { line, ...parseRow(parsed, hasDetails) };
  } catch (error) {
    if (error instanceof AppError) return { line, issue: toRowIssue(error) };
    throw error;
  }
}

function rowTooLong(): AppError {
  return new AppError('payload_too_large', `The row has more than ${ROW_BYTES_MAX} bytes; shorten it.`);
}

const CLOSING_MEMBERS = new Set(['end', 'count', 'sequence', 'epoch', 'total']);

function isClosingLine(value: unknown): boolean {
  return isObject(value) && value.end === true && Object.keys(value).every((name) => CLOSING_MEMBERS.has(name));
}

/** @throws {AppError} `validation_failed` with all issues */
function parseRow(parsed: ParsedJson, hasDetails: boolean): Omit<ReadGoodRow, 'line'> {
  const { id, fields } = splitRow(parsed.value);
  const inexactNumbers = parsed.inexactNumbers.filter(([name]) => !IGNORED_FIELDS.includes(String(name)));
  const input = parseListing({ value: fields, inexactNumbers }, findIdIssues(id), hasDetails);
  return {
    id: typeof id === 'string' ? id : undefined,
    externalId: input.externalId,
    input: JSON.stringify(input),
    changes: undefined,
  };
}

function splitRow(value: unknown): { id?: unknown; fields: unknown } {
  if (!isObject(value)) return { fields: value };
  return { id: value.id, fields: withoutServerFields(value) };
}

function findIdIssues(id: unknown): ValidationIssue[] {
  if (id === undefined || id === null || typeof id === 'string') return [];
  return [{ field: 'id', code: 'invalid_type', message: 'Must be the id of a listing, a string.' }];
}

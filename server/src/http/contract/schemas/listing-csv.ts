import { z } from 'zod';
import { JsonError, type ParsedJson, parseJson, TOO_MANY_VALUES } from '../../../lib/json.ts';
import { listing } from './listings.ts';

/**
 * A spreadsheet runs a cell that begins like this as a formula, some also with full-width signs, and those that separate cells
 * by semicolons see a beginning behind each. Such a text gets a quote there; one that has quotes of its own gets one more, or
 * the way back would take one too many. Line breaks are no beginning: that would change every list of dashes.
 */
const FORMULA = /(^|;)('*[=+\-@\t\r＝＋－＠])/;
const FORMULAS = new RegExp(FORMULA, 'g');
const GUARDED_FORMULAS = /(^|;)'('*[=+\-@\t\r＝＋－＠])/g;
/** In JSON an escape keeps the sign and is no formula. */
const JSON_FORMULAS = /;[=+\-@＝＋－＠]/g;

/** Fields whose cells hold JSON: numbers, `photos` and `metadata`. */
const JSON_FIELDS = new Set(
  Object.entries(listing.shape)
    .filter(([, schema]) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).type !== 'string')
    .map(([field]) => field),
);

/** One line of CSV (RFC 4180). */
export function toCsvLine(cells: readonly string[]): string {
  // An empty line is no record to most readers.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map(quote).join(',')}\r\n`;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** What stands in the cell of one field of a listing; nothing for a field that it does not have. */
export function encodeCell(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value).replace(JSON_FORMULAS, escapeSign);
  return FORMULA.test(value) ? value.replace(FORMULAS, "$1'$2") : value;
}

/** `;=` as `;\u003d`. */
function escapeSign(text: string): string {
  return `;\\u${text.charCodeAt(1).toString(16).padStart(4, '0')}`;
}

/**
 * A record of CSV (field → cell) as a client that speaks JSON would send it: an empty cell is `null`. A cell that
 * should be a number or JSON and is not stays a text, which the field's own rule refuses.
 */
export function decodeRecord(record: Readonly<Record<string, string>>): ParsedJson {
  const decoded: ParsedJson = { value: {}, inexactNumbers: [] };
  const members = Object.entries(record).map(([field, cell]): [string, unknown] => {
    const { value, inexactNumbers } = decodeCell(field, cell);
    for (const path of inexactNumbers) decoded.inexactNumbers.push([field, ...path]);
    return [field, value];
  });
  decoded.value = Object.fromEntries(members);
  return decoded;
}

function decodeCell(field: string, cell: string): ParsedJson {
  if (cell === '') return { value: null, inexactNumbers: [] };
  if (!JSON_FIELDS.has(field)) return toText(cell.replace(GUARDED_FORMULAS, '$1$2'));
  try {
    const parsed = parseJson(cell);
    // Only an empty cell says that there is nothing. What goes from thread to thread as JSON would lose a symbol, and its field.
    return parsed.value === null || parsed.value === TOO_MANY_VALUES ? toText(cell) : parsed;
  } catch (error) {
    if (error instanceof JsonError) return toText(cell);
    throw error;
  }
}

function toText(value: string): ParsedJson {
  return { value, inexactNumbers: [] };
}

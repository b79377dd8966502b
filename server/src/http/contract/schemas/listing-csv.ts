import { z } from 'zod';
import { JsonError, type ParsedJson, parseJson, TOO_MANY_VALUES } from '../../../lib/json.ts';
import { listing } from './listings.ts';

/**
 * The start of a cell that spreadsheets run as a formula; some spreadsheets also accept full-width signs. If a
 * spreadsheet splits cells at semicolons, a cell begins after each semicolon. An export adds an
 * apostrophe before the sign, even if apostrophes are already there, so an import can remove exactly one.
 * Later lines of a cell stay unchanged, because they are often lists with dashes.
 */
const FORMULA = /(^|;)('*[=+\-@\t\r＝＋－＠])/;
const FORMULAS = new RegExp(FORMULA, 'g');
const GUARDED_FORMULAS = /(^|;)'('*[=+\-@\t\r＝＋－＠])/g;
/**
 * The start of a formula within a JSON cell. There, an escape sequence can replace the sign, so the value
 * stays the same but is not run as a formula.
 */
const JSON_FORMULAS = /;[=+\-@＝＋－＠]/g;

/** Fields whose cells are JSON: numbers, `photos`, and `metadata`. */
const JSON_FIELDS = new Set(
  Object.entries(listing.shape)
    .filter(([, schema]) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).type !== 'string')
    .map(([field]) => field),
);

/** One line of CSV (RFC 4180). */
export function toCsvLine(cells: readonly string[]): string {
  // Without quotes, the line would be empty, and most readers skip empty lines.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map(quote).join(',')}\r\n`;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function encodeCell(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value).replace(JSON_FORMULAS, escapeSign);
  return FORMULA.test(value) ? value.replace(FORMULAS, "$1'$2") : value;
}

/** Replaces `;=` with `;\u003d`, for example. */
function escapeSign(text: string): string {
  return `;\\u${text.charCodeAt(1).toString(16).padStart(4, '0')}`;
}

/**
 * Converts a CSV cell to the JSON of a field; an empty cell becomes `null`. A cell that is not the
 * required number or JSON stays a string, which the field's own rule rejects.
 */
export function decodeCell(field: string, cell: string): ParsedJson {
  if (cell === '') return { value: null, inexactNumbers: [] };
  if (!JSON_FIELDS.has(field)) return toText(cell.replace(GUARDED_FORMULAS, '$1$2'));
  try {
    const parsed = parseJson(cell);
    // Only an empty cell becomes null. `TOO_MANY_VALUES` is a symbol, which cannot be sent to another thread.
    return parsed.value === null || parsed.value === TOO_MANY_VALUES ? toText(cell) : parsed;
  } catch (error) {
    if (error instanceof JsonError) return toText(cell);
    throw error;
  }
}

function toText(value: string): ParsedJson {
  return { value, inexactNumbers: [] };
}

import { z } from 'zod';
import { JsonError, type ParsedJson, parseJson, TOO_MANY_VALUES } from '../../../lib/json.ts';
import { listing } from './listings.ts';

/**
 * Spreadsheets run a cell that begins with such a sign as a formula; some accept full-width signs.
 * With semicolons as separators, a cell also begins after each semicolon. An export adds a quote
 * there, even before existing quotes, so an import can remove exactly one. Later lines of a cell
 * stay unchanged: they are often lists of dashes.
 */
const FORMULA = /(^|;)('*[=+\-@\t\r＝＋－＠])/;
const FORMULAS = new RegExp(FORMULA, 'g');
const GUARDED_FORMULAS = /(^|;)'('*[=+\-@\t\r＝＋－＠])/g;
/** In JSON, an escape sequence keeps the sign and is not a formula. */
const JSON_FORMULAS = /;[=+\-@＝＋－＠]/g;

/** Fields whose cells are JSON: numbers, `photos`, and `metadata`. */
const JSON_FIELDS = new Set(
  Object.entries(listing.shape)
    .filter(([, schema]) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).type !== 'string')
    .map(([field]) => field),
);

/** One line of CSV (RFC 4180). */
export function toCsvLine(cells: readonly string[]): string {
  // Most readers skip an empty line.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map(quote).join(',')}\r\n`;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The cell of one field of a listing; empty for an absent field. */
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
 * A CSV record (field → cell) as a JSON client would send it: an empty cell is `null`. A cell that
 * should be a number or JSON and is not stays a string, which the field's own rule rejects.
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
    // Only an empty cell is null. A symbol, and its field, would be lost between threads.
    return parsed.value === null || parsed.value === TOO_MANY_VALUES ? toText(cell) : parsed;
  } catch (error) {
    if (error instanceof JsonError) return toText(cell);
    throw error;
  }
}

function toText(value: string): ParsedJson {
  return { value, inexactNumbers: [] };
}

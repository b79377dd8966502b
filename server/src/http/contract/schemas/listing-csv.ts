import { z } from 'zod';
import type { Separator } from '../../../lib/csv-separator.ts';
import { JsonError, parseJson } from '../../../lib/json.ts';
import { listing } from './listings.ts';

/**
 * The start of a cell that spreadsheets run as a formula; some spreadsheets also accept full-width signs. If a
 * spreadsheet splits cells at semicolons, a cell begins after each semicolon. An export adds an
 * apostrophe before the sign, even if apostrophes are already there. An import removes exactly one in every cell.
 * Later lines of a cell stay unchanged, because they are often lists with dashes.
 */
const FORMULA = /(^|;)('*[=+\-@\t\r＝＋－＠])/;
const FORMULAS = new RegExp(FORMULA, 'g');
const GUARDED_FORMULAS = /(^|;)'('*[=+\-@\t\r＝＋－＠])/g;
/**
 * The start of a formula within a JSON cell. There, an escape sequence replaces the first character, so an import
 * reads the same value and has no apostrophe to remove.
 */
const JSON_FORMULAS = /;(?='*[=+\-@＝＋－＠])./g;

/** The characters for which a cell is quoted. The first line of a file, if not quoted, determines the separator. */
const SPECIAL = /[",\r\n]/;
const SPECIAL_WITHOUT_COMMAS = /[",;\t\r\n]/;

/** Fields whose cells are JSON: numbers, `photos`, and `metadata`. */
const JSON_FIELDS = new Set(
  Object.entries(listing.shape)
    .filter(([, schema]) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).type !== 'string')
    .map(([field]) => field),
);

/** One line of CSV (RFC 4180). */
export function toCsvLine(cells: readonly string[], separator: Separator = ','): string {
  // Without quotes, the line would be empty, and most readers skip empty lines.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  const special = separator === ',' ? SPECIAL : SPECIAL_WITHOUT_COMMAS;
  return `${cells.map((cell) => quote(cell, special)).join(separator)}\r\n`;
}

function quote(cell: string, special: RegExp): string {
  return special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function encodeCell(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value).replace(JSON_FORMULAS, escapeSign);
  return FORMULA.test(value) ? value.replace(FORMULAS, "$1'$2") : value;
}

/** Removes the apostrophes that `encodeCell` adds, or that another program added for the same reason. */
export function withoutGuards(cell: string): string {
  return cell.replace(GUARDED_FORMULAS, '$1$2');
}

/** Replaces `;=` with `;\u003d`, for example. */
function escapeSign(text: string): string {
  return `;\\u${text.charCodeAt(1).toString(16).padStart(4, '0')}`;
}

/**
 * Converts a CSV cell without guards to the JSON of a field; an empty cell becomes `null`. A cell that is not the
 * required number or JSON stays a string, which the field's own rule rejects.
 */
export function decodeCell(field: string, cell: string): unknown {
  if (cell === '') return null;
  if (!JSON_FIELDS.has(field)) return cell;
  try {
    const value = parseJson(cell);
    // Only an empty cell becomes null.
    return value ?? cell;
  } catch (error) {
    if (error instanceof JsonError) return cell;
    throw error;
  }
}

/**
 * Matches the start of a cell, or of a part after a semicolon, if spreadsheets would run it as a formula. The
 * encoder inserts an apostrophe before the formula; an import removes the apostrophe.
 */
const FORMULAS = /(^|;)('*[=+\-@\t\r＝＋－＠])/g;
/**
 * Matches the start of a formula after a semicolon in JSON, even after apostrophes. An escape sequence replaces the
 * first character, which does not change the value, so an import does not remove an apostrophe.
 */
const JSON_FORMULAS = /;(?='*[=+\-@＝＋－＠])./g;

/** Formats rows as CSV with a header row, in the same form as the service's exports. */
export function toCsv<Name extends string>(names: readonly Name[], rows: Partial<Record<Name, unknown>>[]): string {
  return joinCsv([names, ...rows.map((row) => names.map((name) => encodeCell(row[name])))]);
}

/**
 * Joins cells into CSV without changing them. Unless the separator is a comma, cells that contain another possible
 * separator are also quoted, so that none of these is mistaken for the file's separator.
 */
export function joinCsv(lines: (readonly string[])[], separator = ','): string {
  const isSpecial = separator === ',' ? /[",\r\n]/ : /[",;\t\r\n]/;
  const quote = (cell: string) => (isSpecial.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return lines.map((cells) => `${cells.map(quote).join(separator)}\r\n`).join('');
}

function encodeCell(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value.replace(FORMULAS, "$1'$2");
  return JSON.stringify(value).replace(JSON_FORMULAS, ([, sign = '']) => `;\\u${toHex(sign)}`);
}

function toHex(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0');
}

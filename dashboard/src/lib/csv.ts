/** The start of a cell that spreadsheets run as a formula. An import removes the quote that is added before it. */
const FORMULAS = /(^|;)('*[=+\-@\t\r＝＋－＠])/g;
/** The same in JSON, where an escape sequence keeps the value. */
const JSON_FORMULAS = /;[=+\-@＝＋－＠]/g;

/** Rows as CSV in the form of the service's exports, with a header row. */
export function toCsv<Name extends string>(names: readonly Name[], rows: Partial<Record<Name, unknown>>[]): string {
  return joinCsv([names, ...rows.map((row) => names.map((name) => encodeCell(row[name])))]);
}

/** Lines of cells as they are. Those with another separator are quoted too, so that it is not mistaken for the file's. */
export function joinCsv(lines: (readonly string[])[], separator = ','): string {
  const isSpecial = separator === ',' ? /[",\r\n]/ : /[",;\t\r\n]/;
  const quote = (cell: string) => (isSpecial.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return lines.map((cells) => `${cells.map(quote).join(separator)}\r\n`).join('');
}

export function encodeCell(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value.replace(FORMULAS, "$1'$2");
  return JSON.stringify(value).replace(JSON_FORMULAS, ([, sign = '']) => `;\\u${toHex(sign)}`);
}

function toHex(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0');
}

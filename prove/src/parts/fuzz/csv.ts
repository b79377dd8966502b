/** Rows as a CSV file; what is no object becomes a row of empty cells. */
export function toCsv(rows: readonly unknown[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(Object(row))))];
  const lines = rows.map((row) => columns.map((column) => toCell(Object(row)[column])));
  return [columns.map(quote), ...lines].map((cells) => `${cells.join()}\r\n`).join('');
}

/** A text as a spreadsheet must not take it for a formula; other values as JSON. */
function toCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return quote(JSON.stringify(value));
  return quote(value.replaceAll(/(^|;)('*[=+\-@\t\r＝＋－＠])/g, "$1'$2"));
}

function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

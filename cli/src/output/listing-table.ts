import { isNumberField } from '../fields.ts';
import { toText } from './record.ts';
import { paint, toLine } from './terminal.ts';
import { type Column, fitColumns, toTableLine } from './text-table.ts';

/** The first rows set the column widths, so that a table of a million rows starts at once. */
const MEASURED_ROWS = 100;

/** Yields a table that fits the terminal; nothing without listings. */
export async function* toTable(listings: AsyncIterable<object>, names: readonly string[]): AsyncGenerator<string> {
  const columns = names.map(toColumn);
  let measured: string[][] | undefined = [];
  let widths: number[] = [];
  const toTextLine = (cells: readonly string[]) => toTableLine(cells, columns, widths, terminalWidth());
  const begin = (rows: string[][]) => {
    widths = fitColumns(columns, rows, terminalWidth());
    const headings = toTextLine(columns.map(({ heading }) => heading));
    const lines = [paint(process.stdout, 'bold', headings), ...rows.map(toTextLine)];
    return `${lines.join('\n')}\n`;
  };
  for await (const listing of listings) {
    const cells = toCells(listing, names, toCell);
    if (measured === undefined) yield `${toTextLine(cells)}\n`;
    else if (measured.push(cells) === MEASURED_ROWS) {
      yield begin(measured);
      measured = undefined;
    }
  }
  if (measured !== undefined && measured.length > 0) yield begin(measured);
}

/** Yields the same columns for programs: separated by tabs, without a header, never truncated. */
export async function* toTabbedLines(
  listings: AsyncIterable<object>,
  names: readonly string[],
): AsyncGenerator<string> {
  for await (const listing of listings) {
    yield `${toCells(listing, names, (_name, value) => toText(value)).join('\t')}\n`;
  }
}

function toCells(listing: object, names: readonly string[], format: typeof toCell): string[] {
  const members = new Map<string, unknown>(Object.entries(listing));
  return names.map((name) => toLine(format(name, members.get(name))));
}

function terminalWidth(): number {
  return process.stdout.columns || 80;
}

const SHORT_HEADINGS = new Map([
  ['listPrice', 'PRICE'],
  ['currency', 'CUR'],
]);

function toColumn(name: string): Column {
  return {
    heading: SHORT_HEADINGS.get(name) ?? name.replace(/[A-Z]/g, ' $&').toUpperCase(),
    isNumber: isNumberField(name),
    isWhole: name === 'id',
  };
}

/** Shown with thousands separators. */
const AMOUNTS = new Set(['listPrice', 'livingArea', 'lotSizeArea']);
const AMOUNT_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

function toCell(name: string, value: unknown): string {
  if (typeof value === 'number' && AMOUNTS.has(name)) return AMOUNT_FORMAT.format(value);
  return toText(value);
}

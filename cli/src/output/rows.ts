import { NUMBER_FIELDS } from '../fields.ts';
import { toJsonArray } from '../listings.ts';
import { page } from './pager.ts';
import { type RecordOptions, toText } from './record.ts';
import { gather, writeAll } from './standard-output.ts';
import { fit, pad, paint, toLine, widthOf } from './terminal.ts';

/**
 * Writes a JSON array, a table for a terminal, or lines for programs. The JSON contains the values
 * themselves, not the rows from `toRow`.
 * @returns the number of rows if a terminal has shown all of them
 */
export async function writeRows<T extends object>(
  values: Iterable<T> | AsyncIterable<T>,
  columns: readonly string[],
  { json }: RecordOptions,
  toRow: (value: T) => object = (value) => value,
): Promise<number | undefined> {
  let count = 0;
  async function* rows() {
    for await (const value of values) {
      count += 1;
      yield toRow(value);
    }
  }
  if (process.stdout.isTTY && !json) return (await page(gather(toTable(rows(), columns)))) ? count : undefined;
  await writeAll(json ? toJsonArray(values) : gather(toTabbedLines(rows(), columns)));
  return undefined;
}

interface Column {
  heading: string;
  isNumber: boolean;
  /** False for numbers and the column `id`, which must not be truncated. */
  canShrink: boolean;
}

const GAP = '  ';
/** A column is not truncated to less than this width. */
const WIDTH_MIN = 6;
/** The first rows set the column widths, so that a table of a million rows appears at once. */
const MEASURED_ROWS = 100;

/** Yields a table that fits the terminal, or nothing if there are no rows. */
async function* toTable(rows: AsyncIterable<object>, names: readonly string[]): AsyncGenerator<string> {
  const columns = names.map(toColumn);
  let measured: string[][] | undefined = [];
  let widths: number[] = [];
  const toTextLine = (cells: readonly string[]) => toTableLine(cells, columns, widths);
  const begin = (first: string[][]) => {
    widths = fitColumns(columns, first);
    const headings = toTextLine(columns.map(({ heading }) => heading));
    const lines = [paint(process.stdout, 'bold', headings), ...first.map(toTextLine)];
    return `${lines.join('\n')}\n`;
  };
  for await (const row of rows) {
    const cells = toCells(row, names, toCell);
    if (measured === undefined) yield `${toTextLine(cells)}\n`;
    else if (measured.push(cells) === MEASURED_ROWS) {
      yield begin(measured);
      measured = undefined;
    }
  }
  if (measured !== undefined && measured.length > 0) yield begin(measured);
}

/** Like `toTable`, but for programs: columns are separated by tabs and never truncated, and there is no header. */
async function* toTabbedLines(rows: AsyncIterable<object>, names: readonly string[]): AsyncGenerator<string> {
  for await (const row of rows) yield `${toCells(row, names, (_name, value) => toText(value)).join('\t')}\n`;
}

function toCells(row: object, names: readonly string[], format: typeof toCell): string[] {
  const members = new Map<string, unknown>(Object.entries(row));
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
    isNumber: NUMBER_FIELDS.has(name),
    canShrink: name !== 'id' && !NUMBER_FIELDS.has(name),
  };
}

/** Fields that are shown with thousands separators. */
const AMOUNTS = new Set(['listPrice', 'closePrice', 'livingArea', 'lotSizeArea', 'distance']);
const AMOUNT_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

function toCell(name: string, value: unknown): string {
  if (typeof value === 'number' && AMOUNTS.has(name)) return AMOUNT_FORMAT.format(value);
  return toText(value);
}

/** Computes column widths that fit the terminal, shrinking the widest text column first. */
function fitColumns(columns: readonly Column[], rows: readonly string[][]): number[] {
  const widths = columns.map(({ heading }, index) =>
    Math.max(widthOf(heading), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  for (let excess = totalWidth(widths) - terminalWidth(); excess > 0; excess -= 1) {
    const widest = Math.max(WIDTH_MIN, ...widths.filter((_, index) => columns[index]?.canShrink));
    const index = widths.findIndex((width, at) => width === widest && columns[at]?.canShrink);
    if (index < 0 || widest === WIDTH_MIN) break;
    widths[index] = widest - 1;
  }
  return widths;
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, GAP.length * (widths.length - 1));
}

/** Formats a row. In a very narrow terminal, it truncates the line instead of wrapping it. */
function toTableLine(cells: readonly string[], columns: readonly Column[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    return pad(fit(cell, width), width, columns[index]?.isNumber);
  });
  const line = padded.join(GAP).trimEnd();
  return totalWidth(widths) > terminalWidth() ? fit(line, terminalWidth()) : line;
}

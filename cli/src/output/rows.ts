import { toJsonArray } from '../listings.ts';
import { toTabbedLines, toTable } from './listing-table.ts';
import { page } from './pager.ts';
import type { RecordOptions } from './record.ts';
import { gather, writeAll } from './standard-output.ts';

/**
 * Writes a JSON array, a table for a terminal, or lines for programs. The JSON contains the values
 * themselves, not the rows from `toRow`.
 * @returns whether a terminal has shown the whole table
 */
export async function writeRows<T extends object>(
  values: Iterable<T> | AsyncIterable<T>,
  columns: readonly string[],
  { json }: RecordOptions,
  toRow: (value: T) => object = (value) => value,
): Promise<boolean> {
  async function* rows() {
    for await (const value of values) yield toRow(value);
  }
  if (process.stdout.isTTY && !json) return page(gather(toTable(rows(), columns)));
  await writeAll(json ? toJsonArray(values) : gather(toTabbedLines(rows(), columns)));
  return false;
}

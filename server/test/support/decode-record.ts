import { decodeCell, withoutGuards } from '../../src/http/contract/schemas/listing-csv.ts';

/** Decodes the cells of a CSV record, by field. */
export function decodeRecord(record: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([field, cell]) => [field, decodeCell(field, withoutGuards(cell))]),
  );
}

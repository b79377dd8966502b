import { decodeCell, withoutGuards } from '../../src/http/contract/schemas/listing-csv.ts';
import type { ParsedJson } from '../../src/lib/json.ts';

/** Decodes the cells of a CSV record, by field. */
export function decodeRecord(record: Record<string, string>): ParsedJson {
  const inexactNumbers: ParsedJson['inexactNumbers'] = [];
  const members = Object.entries(record).map(([field, cell]) => {
    const decoded = decodeCell(field, withoutGuards(cell));
    for (const path of decoded.inexactNumbers) inexactNumbers.push([field, ...path]);
    return [field, decoded.value];
  });
  return { value: Object.fromEntries(members), inexactNumbers };
}

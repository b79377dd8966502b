import type { ImportRow } from '../../domain/import-rows.ts';
import { fromPlainError } from '../../model/errors.ts';
import type { Listing, ListingInput } from '../../model/listings.ts';
import { applyChanges } from './csv-rows.ts';
import type { ReadGoodRow, ReadRow } from './reading.ts';

/** A row that a thread has read, as it is imported. */
export function toImportRow(row: ReadRow): ImportRow {
  if ('issue' in row) return row;
  const { line, id, externalId } = row;
  return { line, id, externalId, makeInput: (current) => makeInput(row, current) };
}

/** @throws {AppError} `validation_failed` */
function makeInput({ input, changes }: ReadGoodRow, current: Listing | undefined): ListingInput {
  if (current !== undefined && changes !== undefined) return applyChanges(current, changes);
  if (typeof input !== 'string') throw fromPlainError(input);
  return JSON.parse(input);
}

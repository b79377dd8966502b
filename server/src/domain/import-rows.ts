import { AppError, type ErrorCode, type PlainError } from '../model/errors.ts';
import type { Listing, ListingInput } from '../model/listings.ts';
import { findListing, findListingByExternalId } from '../storage/listings.ts';
import { readStored, requireFreeExternalId, type SavedListing, saveChanged, saveNew } from './save-listing.ts';
import type { Writing } from './writing.ts';

/** A row of a file that is to become a listing, or to change one. */
export interface GoodRow {
  /** Where it stands, for whoever looks for it. */
  line: number;
  /** The listing it means; without it and without an external id that exists, it is a new one. */
  id: string | undefined;
  /** The one that `makeInput` gives, unless that is the listing's own. */
  externalId: string | undefined;
  /** What the listing is to be, if it is `current` now. @throws {AppError} `validation_failed` */
  makeInput: (current: Listing | undefined) => ListingInput;
}

/** A row that cannot be imported, whatever there is already. */
interface FaultyRow {
  line: number;
  issue: PlainError;
}

export type ImportRow = GoodRow | FaultyRow;

/** What came of a row. */
export interface RowOutcome {
  line: number;
  result: SavedListing['type'] | PlainError;
}

/** Saves rows until the time is over, one at least. @returns what came of each */
export async function saveRows(writing: Writing, rows: ImportRow[], workMs: number): Promise<RowOutcome[]> {
  const endTimeMs = performance.now() + workMs;
  const outcomes: RowOutcome[] = [];
  for (const row of rows) {
    outcomes.push({ line: row.line, result: 'issue' in row ? row.issue : await saveRow(writing, row) });
    if (performance.now() > endTimeMs) break;
  }
  return outcomes;
}

/** What may be wrong with a row; any other error is one of the database, and of all rows. */
const ROW_CODES = new Set<ErrorCode>(['not_found', 'external_id_taken', 'validation_failed', 'quota_exceeded']);

async function saveRow(writing: Writing, row: GoodRow): Promise<RowOutcome['result']> {
  try {
    const { type } = await (row.id === undefined ? saveByExternalId(writing, row) : saveById(writing, row, row.id));
    return type;
  } catch (error) {
    if (error instanceof AppError && ROW_CODES.has(error.code)) return error;
    throw error;
  }
}

async function saveById(writing: Writing, row: GoodRow, id: string): Promise<SavedListing> {
  const stored = await findListing(writing.transaction, writing.account.id, id);
  if (stored === undefined) throw noSuchRow();
  const current = readStored(stored);
  const input = row.makeInput(current.listing);
  await requireFreeExternalId(writing, input.externalId, current);
  return saveChanged(writing, current, input);
}

/** Nor does another account's listing exist. */
export function noSuchRow(): AppError {
  return new AppError(
    'not_found',
    'There is no listing with this id in the account; leave the id out, and the row creates one or is found by its externalId.',
  );
}

async function saveByExternalId(writing: Writing, { externalId, makeInput }: GoodRow): Promise<SavedListing> {
  const { transaction, account } = writing;
  const stored = externalId && (await findListingByExternalId(transaction, account.id, externalId));
  if (!stored) return saveNew(writing, makeInput(undefined));
  const current = readStored(stored);
  return saveChanged(writing, current, makeInput(current.listing));
}

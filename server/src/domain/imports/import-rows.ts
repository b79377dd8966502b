import { AppError, type ErrorCode, type PlainError } from '../../model/errors.ts';
import type { Listing, ListingInput } from '../../model/listings.ts';
import { findListing, findListingByExternalId } from '../../storage/listings.ts';
import { readStored, requireFreeExternalId, type SavedListing, saveChanged, saveNew } from '../writing/save-listing.ts';
import type { Writing } from '../writing/writing.ts';

interface AnyRow {
  line: number;
  /** Whether an earlier row of the file has the same external id. */
  isRepeated?: boolean;
  /** The row's own values, as the JSON text of an object, if they were requested. */
  values?: string | undefined;
}

export interface ValidRow extends AnyRow {
  /** The listing to change. Without an id, the row changes the listing with `externalId` or creates one. */
  id: string | undefined;
  /** The row's external id; if undefined, `makeInput` returns the listing's own. */
  externalId: string | undefined;
  /** @throws {AppError} `validation_failed` */
  makeInput: (current: Listing | undefined) => ListingInput;
  /** The number of values that were cleaned. */
  cleaned?: number;
}

/** A row that is invalid by itself, regardless of the account's listings. */
interface InvalidRow extends AnyRow {
  externalId?: string | undefined;
  issue: PlainError;
}

export type ImportRow = ValidRow | InvalidRow;

export interface RowOutcome {
  row: ImportRow;
  result: SavedListing['type'] | PlainError;
}

/** Saves at least one row, and further rows until the time is up. */
export async function saveRows(writing: Writing, rows: ImportRow[], workMs: number): Promise<RowOutcome[]> {
  const endTimeMs = performance.now() + workMs;
  const outcomes: RowOutcome[] = [];
  for (const row of rows) {
    outcomes.push({ row, result: 'issue' in row ? row.issue : await saveRow(writing, row) });
    if (performance.now() > endTimeMs) break;
  }
  return outcomes;
}

/** Errors that concern a single row. Any other error stops the import. */
const ROW_CODES = new Set<ErrorCode>(['not_found', 'external_id_taken', 'validation_failed', 'quota_exceeded']);

async function saveRow(writing: Writing, row: ValidRow): Promise<RowOutcome['result']> {
  try {
    const { type } = await (row.id === undefined ? saveByExternalId(writing, row) : saveById(writing, row, row.id));
    return type;
  } catch (error) {
    if (error instanceof AppError && ROW_CODES.has(error.code)) return error;
    throw error;
  }
}

async function saveById(writing: Writing, row: ValidRow, id: string): Promise<SavedListing> {
  const stored = await findListing(writing.transaction, writing.account.id, id);
  if (stored === undefined) throw noSuchRow();
  const current = readStored(stored);
  const input = row.makeInput(current.listing);
  await requireFreeExternalId(writing, input.externalId, current);
  return saveChanged(writing, current, input);
}

/** The error for an id that is not in the account, even if another account has a listing with it. */
export function noSuchRow(): AppError {
  return new AppError(
    'not_found',
    'There is no listing with this id in the account; omit the id to create a listing or to find it by its externalId.',
  );
}

async function saveByExternalId(writing: Writing, { externalId, makeInput }: ValidRow): Promise<SavedListing> {
  const { transaction, account } = writing;
  const stored = externalId && (await findListingByExternalId(transaction, account.id, externalId));
  if (!stored) return saveNew(writing, makeInput(undefined));
  const current = readStored(stored);
  return saveChanged(writing, current, makeInput(current.listing));
}

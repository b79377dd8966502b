import { AppError, type PlainError } from '../../model/errors.ts';
import type { Listing, ListingInput } from '../../model/listings.ts';
import type { KeepText } from '../../storage/open.ts';
import type { SavedListing } from '../writing/save-listing.ts';

interface AnyRow {
  line: number;
  /** Whether an earlier row of the file has the same external id. */
  isRepeated?: boolean;
  /** The row's values as JSON, unchanged from the file, if they were requested. */
  values?: string | undefined;
}

export interface ValidRow extends AnyRow {
  /** The id of the listing to change. Without it, the row changes the listing with `externalId` or creates one. */
  id: string | undefined;
  /** The row's external id; undefined if the row has none, or has an empty or invalid value. */
  externalId: string | undefined;
  /** @throws {AppError} `validation_failed` */
  makeInput(current: Listing | undefined): ListingInput;
  /** Passes the row's values to `keep`. @returns their length as JSON */
  stage?(keep: KeepText): number;
  cleaned?: number;
}

/** A row that is invalid regardless of the account's listings. */
interface InvalidRow extends AnyRow {
  externalId?: string | undefined;
  issue: PlainError;
}

export type ImportRow = ValidRow | InvalidRow;

export interface RowOutcome {
  row: ImportRow;
  result: SavedListing['type'] | PlainError;
}

/** The error for an id that is not in the account, even if another account has a listing with this id. */
export function noSuchRow(): AppError {
  return new AppError(
    'not_found',
    'There is no listing with this id in the account; omit the id to create a listing or to find it by its externalId.',
  );
}

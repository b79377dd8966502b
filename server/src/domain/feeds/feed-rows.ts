import type { Separator } from '../../lib/csv-separator.ts';
import type { Account } from '../../model/accounts.ts';
import { AppError, type PlainError } from '../../model/errors.ts';
import type { FeedColumn, FeedSettings, MissingMode } from '../../model/feeds.ts';
import type { FieldChange, Listing, ListingInput } from '../../model/listings.ts';
import type { FeedListing } from '../../storage/feed-listings.ts';
import type { KeyedListing } from '../../storage/listings.ts';
import { makeChanged, makeNew, readStored } from '../writing/save-listing.ts';
import type { CurrentListing } from '../writing/write-path.ts';
import type { Writing } from '../writing/writing.ts';

export interface FeedRow {
  line: number;
  externalId: string | undefined;
  /** The external ids that a row which is not valid CSV or JSON can have; undefined for other rows. */
  possibleIds: string[] | undefined;
  /** The row's values as JSON, unchanged from the file. */
  values: string | undefined;
  /** The number of values that were not in the API's format; 0 if the row was not read. */
  cleaned: number;
  /** Why the row is invalid on its own, or what `RestoreRow` needs; undefined if the row was not read. */
  content: PlainError | string | undefined;
  /** A hash that identifies the row; if undefined, the row's content identifies it. */
  hash: string | undefined;
  /** Whether the file ends in the middle of this row. */
  isCut: boolean;
}

/** Restores a row. The returned function makes the listing's input, or throws an `AppError` (`validation_failed`). */
export type RestoreRow = (content: string) => (current: Listing | undefined) => ListingInput;

/** The account's defaults for prices without a currency and areas without a unit. */
export type AccountUnits = Pick<Account, 'currency' | 'areaUnits'>;

/** A feed's file. */
export interface FeedSource {
  /**
   * Reads the file's rows. A row whose hash is in `known` is valid and need not be read.
   * @param lastColumns the columns of the feed's earlier CSV files
   * @throws {AppError} `feed_guard` if the file is empty or cut short, or another code if it is not readable
   */
  read(
    settings: FeedSettings,
    account: AccountUnits,
    known: AsyncIterable<string[]>,
    lastColumns: FeedColumn[],
  ): AsyncIterable<FeedRow[]>;
  /** The columns that the next file is compared with; undefined if this file is not CSV. */
  readonly columns: FeedColumn[] | undefined;
  /** The separator of a CSV file. */
  readonly separator: Separator | undefined;
  /** Reads a row that `read` did not read because its hash was known. */
  readKnown(values: string): Pick<FeedRow, 'content' | 'cleaned'>;
  restore: RestoreRow;
  /** A row's values and their names as JSON; null if the JSON is longer than `lengthMax`. */
  describeValues(values: string, lengthMax: number): string | null;
}

/** Marks of listings that were missing from the previous file. All other marks come from `markOf`. */
const MISSING_MARKS = { keep: 'kept', withdraw: 'withdrawn' } as const;

/** A row that a listing matches, as described by the listing's mark. */
interface KnownRow {
  hash: string;
  cleaned: number;
}

/** The mark of a listing that matches a row. While the listing has this version, the same row changes nothing. */
export function markOf(version: number, { hash, cleaned }: KnownRow): string {
  return cleaned === 0 ? `${version}.${hash}` : `${version}.${hash}~${cleaned}`;
}

/** The row that a listing matches; undefined if there is none, or if the listing has changed since. */
export function readMark({ mark, version }: Pick<FeedListing, 'mark' | 'version'>): KnownRow | undefined {
  const start = `${version}.`;
  if (!mark?.startsWith(start)) return undefined;
  const [hash = '', cleaned = '0'] = mark.slice(start.length).split('~');
  return { hash, cleaned: Number(cleaned) };
}

export function missingMark(mode: Exclude<MissingMode, 'delete'>): string {
  return MISSING_MARKS[mode];
}

/** Whether a run in this mode has nothing more to do for a missing listing. */
export function isSettled({ mark, status }: Pick<FeedListing, 'mark' | 'status'>, mode: MissingMode): boolean {
  if (mode === 'keep') return mark === MISSING_MARKS.keep || mark === MISSING_MARKS.withdraw;
  return mode === 'withdraw' && mark === MISSING_MARKS.withdraw && status === 'withdrawn';
}

export interface FeedChange {
  listing: Listing;
  /** The fields that differ; empty if the row changes nothing, or if the listing is new. */
  changes: Record<string, FieldChange>;
  /** The listing before the change; undefined for a new one. */
  before: (CurrentListing & { stored: KeyedListing }) | undefined;
}

/** @throws {AppError} `belongs_to_feed` or `validation_failed` */
export function makeFeedChange(
  context: Pick<Writing, 'account' | 'versionFloor'>,
  feed: string,
  makeInput: ReturnType<RestoreRow>,
  stored: KeyedListing | undefined,
): FeedChange {
  if (stored === undefined) {
    return { listing: makeNew(context.account, makeInput(undefined), feed), changes: {}, before: undefined };
  }
  if (stored.feed !== null && stored.feed !== feed) throw belongsToFeed(stored.id, stored.feed);
  const before = readStored(stored);
  const { listing } = before;
  // A listing that the feed has withdrawn becomes active again, unless the row has a status.
  const isBack = stored.feedMark === MISSING_MARKS.withdraw && listing.status === 'withdrawn';
  const input = makeInput(isBack ? { ...listing, status: 'active' } : listing);
  return { ...makeChanged(context, listing, input, feed), before };
}

function belongsToFeed(listingId: string, feed: string): AppError {
  const message = `The listing ${listingId} belongs to the feed ${feed}; remove the row, or use another externalId.`;
  return new AppError('belongs_to_feed', message, { members: { feed, listingId } });
}

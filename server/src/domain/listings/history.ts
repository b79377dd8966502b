import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import { findEvent } from '../../storage/events.ts';
import {
  findCurrentEntry,
  findFirstFormer,
  findFormer,
  findFormerEntries,
  type HistoryEntry,
} from '../../storage/history.ts';
import { findListing, type StoredListing } from '../../storage/listings.ts';
import type { Principal } from '../access/principals.ts';
import { noListing } from './listings.ts';

/** A page ends early once its entries reach this size in bytes. */
const PAGE_BYTES_MAX = 256 * 1024;
const AFTER_EVERY_SEQUENCE = Number.MAX_SAFE_INTEGER;

export interface HistoryPage {
  /** Newest first. */
  entries: HistoryEntry[];
  /** The sequence before which the next page starts; undefined on the last page. */
  nextBefore: number | undefined;
}

/**
 * The changes to a listing, even if it was deleted in the last 30 days. `before` is the sequence before which
 * the page starts; undefined for the newest changes.
 * @throws {AppError} `not_found`
 */
export async function readHistory(
  database: Database,
  { accountId }: Principal,
  id: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<HistoryPage> {
  const current = before === undefined ? await findCurrentEntry(database, accountId, id) : undefined;
  const entries: HistoryEntry[] = [];
  if (current !== undefined) {
    entries.push({ ...current, type: current.version === 1 ? 'listing.created' : 'listing.updated' });
  }
  // A change between the reads may copy the current entry to the former ones, so the second read excludes it.
  const { rows, isCut } = await findFormerEntries(database, accountId, id, {
    before: current?.sequence ?? before ?? AFTER_EVERY_SEQUENCE,
    limit: limit + 1 - entries.length,
    bytesMax: PAGE_BYTES_MAX,
  });
  entries.push(...rows);
  if (entries.length === 0 && before === undefined) throw noListing();
  const page = entries.slice(0, limit);
  return { entries: page, nextBefore: isCut || entries.length > limit ? page.at(-1)?.sequence : undefined };
}

/**
 * A listing as it was at a sequence of the account.
 * @throws {AppError} `not_found` if it did not exist then, or `events_expired` if the sequence is not from
 * the last 30 days, or greater than the account's current sequence
 */
export async function getListingAt(
  database: Database,
  { accountId, sequence }: Principal,
  id: string,
  at: number,
): Promise<StoredListing> {
  const current = await findListing(database, accountId, id);
  if (current === undefined && (await findFirstFormer(database, accountId, id)) === undefined) throw noListing();
  if (at > sequence) throw expired(`The sequence is greater than the account's current sequence, which is ${sequence}`);
  const next = at < sequence ? await findEvent(database, accountId, at + 1) : undefined;
  if (at < sequence && next === undefined) throw expired('Events after this sequence have expired');
  if (current !== undefined && current.sequence <= at) return current;
  const former = await findFormer(database, accountId, id, at);
  if (former === undefined) return rejectEarlier(database, accountId, id, current);
  if (former.type === 'listing.deleted') {
    throw new AppError('not_found', 'The listing had been deleted at this sequence; request an earlier one.');
  }
  if (former.doc === null) throw expired('The version of the listing at this sequence has expired');
  return { ...former, id, doc: former.doc };
}

/**
 * Rejects a sequence for which no version is stored. Earlier releases kept a replaced version for only 30
 * days after the change, so the version may have existed.
 */
async function rejectEarlier(
  database: Database,
  accountId: string,
  id: string,
  current: StoredListing | undefined,
): Promise<never> {
  const first = (await findFirstFormer(database, accountId, id)) ?? current;
  if (first === undefined) throw noListing();
  if (first.version === 1) {
    throw new AppError('not_found', 'The listing was created after this sequence; request a later one.');
  }
  throw expired('The version of the listing at this sequence has expired');
}

function expired(reason: string): AppError {
  return new AppError(
    'events_expired',
    `${reason}. Request a sequence from the last 30 days, or omit the parameter at.`,
  );
}

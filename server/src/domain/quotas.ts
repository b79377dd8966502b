import type { AccountHead } from '../model/accounts.ts';
import { AppError } from '../model/errors.ts';
import type { Listing } from '../model/listings.ts';
import type { StoredListing } from '../storage/listings.ts';

/**
 * A listing may be made smaller above the quota, as its events keep what it was: up to twice the quota, or making it
 * smaller by a byte at a time could store its square. Deleting always works.
 */
const SHRINKING_FACTOR = 2;

/**
 * Takes the room that a listing needs of its account's quotas, within the transaction that is open. Without quotas it
 * looks at nothing.
 * @throws {AppError} `quota_exceeded`; nothing is taken then
 */
export function takeRoom(account: AccountHead, listing: Listing, current?: StoredListing): void {
  const { listingsMax, bytesMax } = account;
  const isNew = current === undefined;
  if (isNew && listingsMax !== null && account.listingCount >= listingsMax) {
    const words = `The account may have ${listingsMax} listings, and has ${account.listingCount}: delete some`;
    throw exceeded(words, 'listings', listingsMax);
  }
  if (bytesMax !== null) takeBytes(account, bytesMax, Buffer.byteLength(JSON.stringify(listing)), current);
  if (isNew) account.listingCount += 1;
}

/** What the listing was stays stored, in its event, so all of what it becomes is added. */
function takeBytes(account: AccountHead, bytesMax: number, bytes: number, current: StoredListing | undefined): void {
  const isSmaller = current !== undefined && bytes < Buffer.byteLength(current.doc);
  const limit = isSmaller ? bytesMax * SHRINKING_FACTOR : bytesMax;
  if (account.storedBytes + bytes > limit) {
    const words = `The account may store ${bytesMax} bytes, and stores ${account.storedBytes}: delete or shorten listings`;
    throw exceeded(words, 'bytes', bytesMax);
  }
  account.storedBytes += bytes;
}

function exceeded(words: string, quota: 'listings' | 'bytes', limit: number): AppError {
  const message = `${words}, or ask the operator of the service for more. Nothing was written.`;
  return new AppError('quota_exceeded', message, { members: { quota, limit } });
}

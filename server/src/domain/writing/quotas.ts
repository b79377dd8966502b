import type { AccountHead } from '../../model/accounts.ts';
import { AppError } from '../../model/errors.ts';
import { countBytes } from '../../model/history.ts';

/**
 * Above the quota, listings can still be shortened until the account stores twice the quota. Each
 * version is stored for 30 days, so shortening a listing byte by byte would store the square of its
 * length. Deleting always works.
 */
const SHRINKING_FACTOR = 2;

/** A listing's version, as functions that return JSON texts. */
interface Version {
  doc: () => string;
  changes: (() => string) | null;
}

/**
 * Adds a listing to the counts of `account`.
 * @throws {AppError} `quota_exceeded`, without adding it
 */
export function takeQuota(account: AccountHead, version: Version, current?: Pick<Version, 'doc'>): void {
  const { listingsMax, bytesMax } = account;
  const isNew = current === undefined;
  if (isNew && listingsMax !== null && account.listingCount >= listingsMax) {
    const words = `The account has ${account.listingCount} of at most ${listingsMax} listings: delete some`;
    throw exceeded(words, 'listings', listingsMax);
  }
  if (bytesMax !== null) takeBytes(account, bytesMax, version, current);
  if (isNew) account.listingCount += 1;
}

/** Adds all of the new version's bytes, since the history keeps the previous version. */
function takeBytes(
  account: AccountHead,
  bytesMax: number,
  version: Version,
  current: Pick<Version, 'doc'> | undefined,
): void {
  const doc = version.doc();
  const bytes = countBytes(doc, version.changes?.() ?? null);
  const isSmaller = current !== undefined && Buffer.byteLength(doc) < Buffer.byteLength(current.doc());
  const limit = isSmaller ? bytesMax * SHRINKING_FACTOR : bytesMax;
  if (account.storedBytes + bytes > limit) {
    const words = `The account stores ${account.storedBytes} of at most ${bytesMax} bytes: delete or shorten listings`;
    throw exceeded(words, 'bytes', bytesMax);
  }
  account.storedBytes += bytes;
}

function exceeded(words: string, quota: 'listings' | 'bytes', limit: number): AppError {
  const message = `${words}, or ask the operator of the service for a higher limit. Nothing was written.`;
  return new AppError('quota_exceeded', message, { members: { quota, limit } });
}

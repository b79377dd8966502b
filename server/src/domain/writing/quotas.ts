import type { AccountHead } from '../../model/accounts.ts';
import { AppError } from '../../model/errors.ts';
import { countBytes } from '../../model/history.ts';

/**
 * Above the quota, listings can still be shortened until the account stores twice the quota. Each version is
 * stored for 30 days, so shortening a listing byte by byte would otherwise store bytes in proportion to the
 * square of its length. Deleting always works.
 */
const SHRINKING_FACTOR = 2;

export interface VersionSize {
  docBytes: number;
  /** The number of bytes that the version adds to the account's stored bytes. */
  countedBytes: number;
}

/** Both parameters are JSON strings; `changes` is null for a new listing. */
export function measureVersion(doc: string, changes: string | null): VersionSize {
  return { docBytes: Buffer.byteLength(doc), countedBytes: countBytes(doc, changes) };
}

/**
 * Adds a listing to the counts of `account`. Sizes are measured only if the account has a quota for bytes.
 * @param measureCurrent returns the bytes of the stored document; undefined for a new listing
 * @throws {AppError} `quota_exceeded`; the counts then stay unchanged
 */
export function takeQuota(account: AccountHead, measure: () => VersionSize, measureCurrent?: () => number): void {
  const { listingsMax, bytesMax } = account;
  const isNew = measureCurrent === undefined;
  if (isNew && listingsMax !== null && account.listingCount >= listingsMax) {
    throw exceeded(`${listingsMax} listings: delete some`, 'listings', listingsMax);
  }
  if (bytesMax !== null) takeBytes(account, bytesMax, measure(), measureCurrent?.());
  if (isNew) account.listingCount += 1;
}

/** Adds all of the new version's bytes, because the history keeps the previous version. */
function takeBytes(
  account: AccountHead,
  bytesMax: number,
  { docBytes, countedBytes }: VersionSize,
  currentBytes: number | undefined,
): void {
  const isSmaller = currentBytes !== undefined && docBytes < currentBytes;
  const limit = isSmaller ? bytesMax * SHRINKING_FACTOR : bytesMax;
  if (account.storedBytes + countedBytes > limit) {
    throw exceeded(`${bytesMax} stored bytes: delete or shorten listings`, 'bytes', bytesMax);
  }
  account.storedBytes += countedBytes;
}

function exceeded(words: string, quota: 'listings' | 'bytes', limit: number): AppError {
  const message =
    `This change was not saved, because it would exceed the account's limit of ${words}, or ask the operator of the ` +
    'service for a higher limit.';
  return new AppError('quota_exceeded', message, { members: { quota, limit } });
}

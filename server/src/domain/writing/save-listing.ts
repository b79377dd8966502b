import { createId } from '../../lib/ids.ts';
import type { AccountHead } from '../../model/accounts.ts';
import { AppError } from '../../model/errors.ts';
import {
  type FieldChange,
  findChanges,
  LISTING_ID_PREFIX,
  type Listing,
  type ListingInput,
  toListing,
} from '../../model/listings.ts';
import { isOlderThan } from '../../storage/database-info.ts';
import { findListingByExternalId, type StoredListing } from '../../storage/listings.ts';
import { measureVersion, takeQuota } from './quotas.ts';
import { type CurrentListing, storeCreated, storeUpdated } from './write-path.ts';
import type { Writing } from './writing.ts';

/** `doc` is the JSON string that GET returns. */
export interface SavedListing extends StoredListing {
  type: 'created' | 'updated' | 'unchanged';
}

export function readStored<S extends StoredListing>(stored: S): CurrentListing & { stored: S } {
  return { stored, listing: JSON.parse(stored.doc) };
}

/**
 * Stores a new listing. The caller must have checked that its external id is free.
 * @throws {AppError} `quota_exceeded`, before anything is written
 */
export async function saveNew(writing: Writing, input: ListingInput): Promise<SavedListing> {
  const listing = makeNew(writing.account, input);
  takeQuota(writing.account, () => measureVersion(JSON.stringify(listing), null));
  const stored = await storeCreated(writing, listing);
  return { type: 'created', ...stored };
}

/** Makes the account's newest listing. Even with several processes, later listings have greater ids. */
export function makeNew(account: AccountHead, input: ListingInput, feed?: string): Listing {
  const now = new Date().toISOString();
  const id = createId(LISTING_ID_PREFIX, account.newestId);
  account.newestId = id;
  return toListing(input, account, { id, feed, version: 1, createdAt: now, updatedAt: now });
}

/** Like `saveNew`, but for an existing listing. */
export async function saveChanged(
  writing: Writing,
  current: CurrentListing,
  input: ListingInput,
): Promise<SavedListing> {
  const { stored, listing: before } = current;
  const { listing, changes: found } = makeChanged(writing, before, input);
  const changed = Object.keys(found);
  if (changed.length === 0) return { type: 'unchanged', ...stored };
  const changes = JSON.stringify(found);
  const measure = () => measureVersion(JSON.stringify(listing), changes);
  takeQuota(writing.account, measure, () => Buffer.byteLength(stored.doc));
  const updated = await storeUpdated(writing, { current, listing, changed, changes });
  return { type: 'updated', ...updated };
}

/**
 * Makes a listing's new version. `changes` has the fields that differ.
 * @param feed null removes the listing from its feed; by default, the listing stays in it
 */
export function makeChanged(
  { account, versionFloor }: Pick<Writing, 'account' | 'versionFloor'>,
  before: Listing,
  input: ListingInput,
  feed: string | null | undefined = before.feed,
): { listing: Listing; changes: Record<string, FieldChange> } {
  const { id, createdAt, externalId } = before;
  // A restore can have undone versions of the same listing, or of another one with its external id, which is in its path.
  const hadOthers = externalId !== undefined || isOlderThan(versionFloor, id);
  const version = Math.max(before.version + 1, hadOthers ? versionFloor : 0);
  const now = new Date().toISOString();
  // Even if the clock was set back, `updatedAt` must not be earlier than `createdAt`.
  const updatedAt = now < createdAt ? createdAt : now;
  const listing = toListing(input, account, { id, feed: feed ?? undefined, version, createdAt, updatedAt });
  return { listing, changes: findChanges(before, listing) };
}

/** @throws {AppError} `external_id_taken` if a listing other than `current` has the external id */
export async function requireFreeExternalId(
  { transaction, account }: Writing,
  externalId: string | undefined,
  current?: CurrentListing,
): Promise<void> {
  if (externalId === undefined || externalId === current?.listing.externalId) return;
  const taken = await findListingByExternalId(transaction, account.id, externalId);
  if (taken !== undefined) throw externalIdTaken(taken.id);
}

export function externalIdTaken(listingId: string): AppError {
  return new AppError(
    'external_id_taken',
    `Listing ${listingId} already has this externalId; change that listing or use a different externalId.`,
    { members: { listingId } },
  );
}

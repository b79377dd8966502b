import { createId } from '../lib/ids.ts';
import type { Account } from '../model/accounts.ts';
import { AppError } from '../model/errors.ts';
import { changedFields, LISTING_ID_PREFIX, type Listing, type ListingInput, toListing } from '../model/listings.ts';
import { findListingByExternalId, type StoredListing } from '../storage/listings.ts';
import { takeRoom } from './quotas.ts';
import { storeCreated, storeUpdated } from './write-path.ts';
import type { Writing } from './writing.ts';

/** What became of a listing: its JSON text `doc` is what GET gives. */
export interface SavedListing extends StoredListing {
  type: 'created' | 'updated' | 'unchanged';
}

/** A listing that is to be changed. */
export interface CurrentListing {
  stored: StoredListing;
  /** What it says. */
  listing: Listing;
}

export function readStored(stored: StoredListing): CurrentListing {
  return { stored, listing: JSON.parse(stored.doc) };
}

/** Creates a listing; no other one may have its external id. @throws {AppError} `quota_exceeded`; nothing is written then */
export async function saveNew(writing: Writing, input: ListingInput): Promise<SavedListing> {
  const listing = makeNew(writing.account, input);
  takeRoom(writing.account, listing);
  const stored = await storeCreated(writing, listing);
  return { type: 'created', ...stored };
}

/** What a new listing says. */
export function makeNew(account: Account, input: ListingInput): Listing {
  const now = new Date().toISOString();
  const id = createId(LISTING_ID_PREFIX);
  return toListing(input, account, { id, version: 1, createdAt: now, updatedAt: now });
}

/** Replaces what `current` says; otherwise as `saveNew`. */
export async function saveChanged(
  writing: Writing,
  current: CurrentListing,
  input: ListingInput,
): Promise<SavedListing> {
  const { stored, listing: before } = current;
  const { listing, changed } = makeChanged(writing, before, input);
  if (changed.length === 0) return { type: 'unchanged', ...stored };
  takeRoom(writing.account, listing, stored);
  const updated = await storeUpdated(writing, { current: stored, listing, changed });
  return { type: 'updated', ...updated };
}

/** What a listing says after a change, and the names of the fields in which that differs. */
export function makeChanged(
  { account, versionFloor }: Pick<Writing, 'account' | 'versionFloor'>,
  before: Listing,
  input: ListingInput,
): { listing: Listing; changed: string[] } {
  const { id, createdAt } = before;
  const version = Math.max(before.version + 1, versionFloor);
  const now = new Date().toISOString();
  // The clock may have been set back.
  const updatedAt = now < createdAt ? createdAt : now;
  const listing = toListing(input, account, { id, version, createdAt, updatedAt });
  return { listing, changed: changedFields(before, listing) };
}

/** @throws {AppError} `external_id_taken` if a listing other than `current` has it */
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
  const message = `The listing ${listingId} has this externalId; change that one or use another.`;
  return new AppError('external_id_taken', message, { members: { listingId } });
}

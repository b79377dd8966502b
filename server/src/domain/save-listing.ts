import { createId } from '../lib/ids.ts';
import { AppError } from '../model/errors.ts';
import { changedFields, LISTING_ID_PREFIX, type Listing, type ListingInput, toListing } from '../model/listings.ts';
import { findListingByExternalId, type StoredListing } from '../storage/listings.ts';
import { storeCreated, storeUpdated } from './write-path.ts';
import type { Writing } from './writing.ts';

/** What became of a listing: its JSON text `doc` is what GET gives. */
export interface SavedListing {
  type: 'created' | 'updated' | 'unchanged';
  id: string;
  version: number;
  doc: string;
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

/**
 * Creates a listing, or replaces what `current` says, within a write that is under way.
 * @throws {AppError} `external_id_taken`; nothing has been written then
 */
export async function saveListing(
  writing: Writing,
  current: CurrentListing | undefined,
  input: ListingInput,
): Promise<SavedListing> {
  if (input.externalId !== current?.listing.externalId) await refuseTakenExternalId(writing, input.externalId);
  return saveUnchecked(writing, current, input);
}

/** As `saveListing`, for who knows that no other listing has the external id. */
export function saveUnchecked(
  writing: Writing,
  current: CurrentListing | undefined,
  input: ListingInput,
): Promise<SavedListing> {
  return current === undefined ? saveNew(writing, input) : saveChanged(writing, current, input);
}

async function saveNew(writing: Writing, input: ListingInput): Promise<SavedListing> {
  const now = new Date().toISOString();
  const id = createId(LISTING_ID_PREFIX);
  const listing = toListing(input, writing.account, { id, version: 1, createdAt: now, updatedAt: now });
  const doc = await storeCreated(writing, listing);
  return { type: 'created', id, version: listing.version, doc };
}

async function saveChanged(
  writing: Writing,
  { stored, listing: before }: CurrentListing,
  input: ListingInput,
): Promise<SavedListing> {
  const { id, createdAt } = before;
  const version = Math.max(before.version + 1, writing.versionFloor);
  const now = new Date().toISOString();
  // The clock may have been set back.
  const updatedAt = now < createdAt ? createdAt : now;
  const listing = toListing(input, writing.account, { id, version, createdAt, updatedAt });
  const changed = changedFields(before, listing);
  if (changed.length === 0) return { type: 'unchanged', id, version: before.version, doc: stored.doc };
  const doc = await storeUpdated(writing, { current: stored, listing, changed });
  return { type: 'updated', id, version, doc };
}

async function refuseTakenExternalId({ session, account }: Writing, externalId: string | undefined): Promise<void> {
  if (externalId === undefined) return;
  const taken = await findListingByExternalId(session, account.id, externalId);
  if (taken === undefined) return;
  throw new AppError(
    'external_id_taken',
    `The listing ${taken.id} has this externalId; change that one or use another.`,
    { members: { listingId: taken.id } },
  );
}

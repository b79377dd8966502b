import { createId } from '../lib/ids.ts';
import { AppError } from '../model/errors.ts';
import { changedFields, LISTING_ID_PREFIX, type Listing, type ListingInput, toListing } from '../model/listings.ts';
import type { Database } from '../storage/database.ts';
import { findListing, findListingByExternalId, type StoredListing } from '../storage/listings.ts';
import { auditListing } from './by-hand.ts';
import { storeCreated, storeDeleted, storeUpdated } from './write-path.ts';
import { type Actor, type Retry, type Writing, type Written, write } from './writing.ts';

/** What became of a listing: its JSON text `doc` is what GET gives. */
export interface SavedListing {
  type: 'created' | 'updated' | 'unchanged';
  id: string;
  version: number;
  doc: string;
}

/**
 * Whether a listing of this version (undefined: there is none) may be changed.
 * @throws {AppError} `version_mismatch` or `precondition_failed` if not
 */
export type Precondition = (version: number | undefined) => void;

/** What a change needs besides its content. */
export interface ChangeOptions {
  retry?: Retry | undefined;
  precondition?: Precondition | undefined;
}

/**
 * Creates a listing and resolves once it is on disk.
 * @throws {AppError} what `makeInput` throws; `external_id_taken` with the `listingId` that has it; what `write` throws
 */
export function createListing(
  database: Database,
  actor: Actor,
  makeInput: () => ListingInput,
  { retry }: ChangeOptions = {},
): Promise<Written<SavedListing>> {
  return writeListing(database, actor, retry, (writing) => saveListing(writing, undefined, makeInput()));
}

/**
 * Changes the listing with this id; one that stays as it was keeps its version and makes no event.
 * @throws {AppError} `not_found`, and then what the precondition, `change` and `createListing` throw
 */
export function updateListing(
  database: Database,
  actor: Actor,
  id: string,
  change: (current: Listing) => ListingInput,
  { retry, precondition }: ChangeOptions = {},
): Promise<Written<SavedListing>> {
  return writeListing(database, actor, retry, async (writing) => {
    const stored = await findListing(writing.session, writing.account.id, id);
    if (stored === undefined) throw noListing();
    precondition?.(stored.version);
    const current = readStored(stored);
    return saveListing(writing, current, change(current.listing));
  });
}

/** Creates the listing with the caller's own id, or replaces it. @throws {AppError} as `updateListing`, but for `not_found` */
export function putListing(
  database: Database,
  actor: Actor,
  externalId: string,
  makeInput: () => ListingInput,
  { retry, precondition }: ChangeOptions = {},
): Promise<Written<SavedListing>> {
  return writeListing(database, actor, retry, async (writing) => {
    const stored = await findListingByExternalId(writing.session, writing.account.id, externalId);
    precondition?.(stored?.version);
    return storeListing(writing, stored && readStored(stored), makeInput());
  });
}

/** Which listing is meant: by its own id or by the caller's. */
export type ListingKey = { id: string } | { externalId: string };

/** Deletes a listing; a tombstone stays in the events. @throws {AppError} `not_found`; what the precondition and `write` throw */
export function deleteListing(
  database: Database,
  actor: Actor,
  key: ListingKey,
  { retry, precondition }: ChangeOptions = {},
): Promise<Written<{ type: 'deleted' }>> {
  return write(database, actor, retry, async ({ session, account }) => {
    const current =
      'id' in key
        ? await findListing(session, account.id, key.id)
        : await findListingByExternalId(session, account.id, key.externalId);
    if (current === undefined) throw noListing();
    precondition?.(current.version);
    await storeDeleted(session, account.id, current);
    await auditListing(session, actor.administrator, { ...current, type: 'deleted' });
    return { type: 'deleted' };
  });
}

/** Writes one listing, and tells of it in the audit log if it is by hand. */
function writeListing(
  database: Database,
  actor: Actor,
  retry: Retry | undefined,
  save: (writing: Writing) => Promise<SavedListing>,
): Promise<Written<SavedListing>> {
  return write(database, actor, retry, async (writing) => {
    const saved = await save(writing);
    await auditListing(writing.session, actor.administrator, saved);
    return saved;
  });
}

/** Nor does another account's listing exist. */
export function noListing(): AppError {
  return new AppError('not_found', 'There is no listing with this id in the account.');
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
  return storeListing(writing, current, input);
}

/** As `saveListing`, where no other listing can have the external id. */
export function storeListing(
  writing: Writing,
  current: CurrentListing | undefined,
  input: ListingInput,
): Promise<SavedListing> {
  return current === undefined ? saveNew(writing, input) : saveChanged(writing, current, input);
}

async function saveNew({ session, account }: Writing, input: ListingInput): Promise<SavedListing> {
  const now = new Date().toISOString();
  const id = createId(LISTING_ID_PREFIX);
  const listing = toListing(input, account, { id, version: 1, createdAt: now, updatedAt: now });
  const doc = await storeCreated(session, account.id, listing);
  return { type: 'created', id, version: listing.version, doc };
}

async function saveChanged(
  { session, account }: Writing,
  { stored, listing: before }: CurrentListing,
  input: ListingInput,
): Promise<SavedListing> {
  const { id, version, createdAt } = before;
  const now = new Date().toISOString();
  const listing = toListing(input, account, { id, version: version + 1, createdAt, updatedAt: now });
  const changed = changedFields(before, listing);
  if (changed.length === 0) return { type: 'unchanged', id, version, doc: stored.doc };
  const doc = await storeUpdated(session, account.id, { current: stored, listing, changed });
  return { type: 'updated', id, version: listing.version, doc };
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

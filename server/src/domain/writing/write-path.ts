import type { AccountHead } from '../../model/accounts.ts';
import { countBytes, VERSION_BYTES } from '../../model/history.ts';
import type { EventType, Listing } from '../../model/listings.ts';
import { changedParts, toSearchRow } from '../../model/search-terms.ts';
import { advanceSequence, type Growth } from '../../storage/account-heads.ts';
import type { Executor } from '../../storage/database.ts';
import { insertEvent } from '../../storage/events.ts';
import { growFeed } from '../../storage/feeds.ts';
import { insertFormer, keepVersions } from '../../storage/history.ts';
import { insertListing, removeListing, replaceListing, type StoredListing } from '../../storage/listings.ts';
import type { Writing } from './writing.ts';

// Each change increments the account's sequence, appends an event, and writes the listing and its history, in
// one transaction.

export interface CurrentListing {
  stored: StoredListing;
  listing: Listing;
}

export async function storeCreated(
  { transaction, account, changedBy }: Writing,
  listing: Listing,
): Promise<StoredListing> {
  const { id, version } = listing;
  const doc = JSON.stringify(listing);
  const growth = { listings: 1, bytes: countBytes(doc, null) };
  const sequence = await appendEvent(transaction, account, { type: 'listing.created', listing }, growth);
  const stored = { id, version, sequence, doc };
  const entry = { actor: JSON.stringify(changedBy), changes: null };
  await insertListing(transaction, account.id, { ...stored, ...entry }, toSearchRow(listing));
  await moveToFeed(transaction, account, undefined, listing.feed);
  return stored;
}

interface Update {
  current: CurrentListing;
  listing: Listing;
  /** The names of the fields that differ. */
  changed: string[];
  /** How the fields differ, as JSON. */
  changes: string;
}

export async function storeUpdated(
  { transaction, account, changedBy }: Writing,
  { current, listing, changed, changes }: Update,
): Promise<StoredListing> {
  const { id, version } = listing;
  const doc = JSON.stringify(listing);
  await keepVersions(transaction, account.id, [current.listing]);
  const growth = { listings: 0, bytes: countBytes(doc, changes) };
  const event = { type: 'listing.updated', listing, changed: JSON.stringify(changed) } as const;
  const sequence = await appendEvent(transaction, account, event, growth);
  const stored = { id, version, sequence, doc };
  const entry = { actor: JSON.stringify(changedBy), changes };
  const search = { row: toSearchRow(listing), parts: changedParts(changed) };
  await replaceListing(transaction, account.id, { ...stored, ...entry }, search);
  await moveToFeed(transaction, account, current.listing.feed, listing.feed);
  return stored;
}

/** Updates the feeds' counts of listings. */
async function moveToFeed(
  transaction: Executor,
  { id: accountId }: AccountHead,
  before: string | undefined,
  after: string | undefined,
): Promise<void> {
  if (before === after) return;
  if (before !== undefined) await growFeed(transaction, accountId, before, -1);
  if (after !== undefined) await growFeed(transaction, accountId, after, 1);
}

export async function storeDeleted(
  { transaction, account, changedBy }: Writing,
  current: CurrentListing,
): Promise<void> {
  const { listing } = current;
  await keepVersions(transaction, account.id, [listing]);
  const type = 'listing.deleted';
  const growth = { listings: -1, bytes: VERSION_BYTES };
  const sequence = await appendEvent(transaction, account, { type, listing }, growth);
  const entry = { sequence, version: listing.version, type, at: new Date().toISOString() } as const;
  const actor = JSON.stringify(changedBy);
  await insertFormer(transaction, account.id, [{ listingId: listing.id, ...entry, actor, changes: null, doc: null }]);
  await removeListing(transaction, account.id, listing.id);
  await moveToFeed(transaction, account, listing.feed, undefined);
}

interface Change {
  type: EventType;
  /** The listing after the change, or before its deletion. */
  listing: Listing;
  changed?: string;
}

/** Returns the sequence of the new event. */
async function appendEvent(
  transaction: Executor,
  account: AccountHead,
  { type, listing, changed }: Change,
  growth: Growth,
): Promise<number> {
  const sequence = await advanceSequence(transaction, account, growth);
  const { id: listingId, feed } = listing;
  const externalId = type === 'listing.deleted' ? (listing.externalId ?? null) : null;
  const event = { sequence, type, listingId, changed: changed ?? null, createdAt: Date.now() };
  await insertEvent(transaction, account.id, { ...event, feed: feed ?? null, externalId });
  return sequence;
}

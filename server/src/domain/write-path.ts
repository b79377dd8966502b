import type { AccountHead } from '../model/accounts.ts';
import type { EventType, Listing } from '../model/listings.ts';
import { changedParts, toSearchRow } from '../model/search-terms.ts';
import { advanceSequence, type Growth } from '../storage/account-heads.ts';
import type { Executor } from '../storage/database.ts';
import { insertEvent, keepEventDoc } from '../storage/events.ts';
import { growFeed } from '../storage/feeds.ts';
import { insertListing, removeListing, replaceListing, type StoredListing } from '../storage/listings.ts';
import type { Writing } from './writing.ts';

// Each change increments the account's sequence, appends an event, and writes the listing, in one transaction.

export async function storeCreated({ transaction, account }: Writing, listing: Listing): Promise<StoredListing> {
  const { id, version } = listing;
  const doc = JSON.stringify(listing);
  const growth = { listings: 1, bytes: Buffer.byteLength(doc) };
  const event = { type: 'listing.created', listingId: id, changed: null } as const;
  const sequence = await appendEvent(transaction, account, event, growth);
  await insertListing(transaction, account.id, { id, version, sequence, doc }, toSearchRow(listing));
  if (listing.feed !== undefined) await growFeed(transaction, account.id, listing.feed, 1);
  return { id, version, sequence, doc };
}

interface Update {
  current: StoredListing;
  listing: Listing;
  /** The names of the fields that differ. */
  changed: string[];
}

export async function storeUpdated({ transaction, account }: Writing, update: Update): Promise<StoredListing> {
  const { current, listing, changed } = update;
  const { id, version } = listing;
  const doc = JSON.stringify(listing);
  await keepEventDoc(transaction, account.id, current.sequence, current.doc);
  const event = { type: 'listing.updated', listingId: id, changed: JSON.stringify(changed) } as const;
  const growth = { listings: 0, bytes: Buffer.byteLength(doc) };
  const sequence = await appendEvent(transaction, account, event, growth, current);
  const stored = { id, version, sequence, doc };
  await replaceListing(transaction, account.id, stored, { row: toSearchRow(listing), parts: changedParts(changed) });
  if (changed.includes('feed')) await moveToFeed({ transaction, account }, current, listing.feed);
  return stored;
}

async function moveToFeed(
  { transaction, account }: Pick<Writing, 'transaction' | 'account'>,
  current: StoredListing,
  feed: string | undefined,
): Promise<void> {
  const before: Listing = JSON.parse(current.doc);
  if (before.feed !== undefined) await growFeed(transaction, account.id, before.feed, -1);
  if (feed !== undefined) await growFeed(transaction, account.id, feed, 1);
}

export async function storeDeleted({ transaction, account }: Writing, current: StoredListing): Promise<void> {
  await keepEventDoc(transaction, account.id, current.sequence, current.doc);
  const event = { type: 'listing.deleted', listingId: current.id, changed: null } as const;
  await appendEvent(transaction, account, event, { listings: -1, bytes: 0 }, current);
  await removeListing(transaction, account.id, current.id);
  const { feed }: Listing = JSON.parse(current.doc);
  if (feed !== undefined) await growFeed(transaction, account.id, feed, -1);
}

interface Change {
  type: EventType;
  listingId: string;
  changed: string | null;
}

/** Returns the sequence of the new event. */
async function appendEvent(
  transaction: Executor,
  account: AccountHead,
  change: Change,
  growth: Growth,
  current?: StoredListing,
): Promise<number> {
  const superseded = current && { sequence: current.sequence, bytes: Buffer.byteLength(current.doc) };
  const sequence = await advanceSequence(transaction, account, growth, superseded);
  await insertEvent(transaction, account.id, { sequence, ...change, createdAt: Date.now() });
  return sequence;
}

import { createId } from '../lib/ids.ts';
import { AppError } from '../model/errors.ts';
import { firstVersion, LISTING_ID_PREFIX, type Listing, type ListingInput } from '../model/listings.ts';
import { advanceSequence, findAccount } from '../storage/accounts.ts';
import type { Database, Session } from '../storage/database.ts';
import { insertEvent } from '../storage/events.ts';
import { findIdByExternalId, insertListing, type ServedListing } from '../storage/listings.ts';

export interface CreatedListing extends ServedListing {
  id: string;
}

/**
 * Creates a listing and resolves once it is on disk.
 * @throws {AppError} `external_id_taken` with the `listingId` that has it; `unauthorized` if the account has just been
 * deleted; what `Database.write` throws
 */
export function createListing(database: Database, accountId: string, input: ListingInput): Promise<CreatedListing> {
  return database.write(async (session) => {
    const account = await findAccount(session, accountId);
    if (account === undefined) throw accountGone();
    await refuseTakenExternalId(session, accountId, input.externalId);
    const listing = firstVersion(createId(LISTING_ID_PREFIX), input, account, new Date());
    const doc = await storeCreated(session, accountId, listing);
    return { id: listing.id, version: listing.version, doc };
  });
}

/** An account that is gone took its keys with it. */
export function accountGone(): AppError {
  return new AppError('unauthorized', 'Invalid or missing API key');
}

async function refuseTakenExternalId(session: Session, accountId: string, externalId?: string): Promise<void> {
  if (externalId === undefined) return;
  const listingId = await findIdByExternalId(session, accountId, externalId);
  if (listingId === undefined) return;
  throw new AppError(
    'external_id_taken',
    `The listing ${listingId} has this externalId; change that one or use another.`,
    { members: { listingId } },
  );
}

/** The write path: in one transaction the account's sequence grows by one, the listing is written, the event appended. */
async function storeCreated(session: Session, accountId: string, listing: Listing): Promise<string> {
  const doc = JSON.stringify(listing);
  const sequence = await advanceSequence(session, accountId, 1);
  await insertListing(session, accountId, { id: listing.id, version: listing.version, sequence, doc });
  await insertEvent(session, accountId, {
    sequence,
    type: 'listing.created',
    listingId: listing.id,
    doc,
    createdAt: Date.parse(listing.createdAt),
  });
  return doc;
}

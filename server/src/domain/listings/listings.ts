import { AppError } from '../../model/errors.ts';
import type { Listing, ListingInput } from '../../model/listings.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import type { Database } from '../../storage/database.ts';
import { findKeyedListings, findListing, findListingByExternalId, type StoredListing } from '../../storage/listings.ts';
import { auditListing } from '../access/audit.ts';
import { readStored, requireFreeExternalId, type SavedListing, saveChanged, saveNew } from '../writing/save-listing.ts';
import { storeDeleted } from '../writing/write-path.ts';
import { type Actor, type IdempotentRequest, type WriteResult, type Writing, write } from '../writing/writing.ts';

/** `version` is undefined if there is no listing. @throws {AppError} `version_mismatch` or `precondition_failed` */
export type Precondition = (version: number | undefined) => void;

export interface ChangeOptions {
  idempotency?: IdempotentRequest | undefined;
  precondition?: Precondition | undefined;
}

export type ListingKey = { id: string } | { externalId: string };

function findByKey({ transaction, account }: Writing, key: ListingKey): Promise<StoredListing | undefined> {
  return 'id' in key
    ? findListing(transaction, account.id, key.id)
    : findListingByExternalId(transaction, account.id, key.externalId);
}

/** Input that was parsed before the transaction, which throws a parsing error only after the check for a replay. */
export type ParsedInput = ListingInput | AppError;

/**
 * Creates a listing, and resolves once the listing is on disk.
 * @throws {AppError} the input's error, `external_id_taken` with the `listingId` of the other listing,
 * `quota_exceeded`, or what `write` throws
 */
export function createListing(
  database: Database,
  actor: Actor,
  input: ParsedInput,
  { idempotency }: Pick<ChangeOptions, 'idempotency'> = {},
): Promise<WriteResult<SavedListing>> {
  return write(database, actor, idempotency, async (writing) => {
    if (input instanceof AppError) throw input;
    await requireFreeExternalId(writing, input.externalId);
    const saved = await saveNew(writing, input);
    await auditListing(writing.transaction, actor.user, saved);
    return saved;
  });
}

/**
 * Changes a listing. If nothing differs, the listing keeps its version and gets no event.
 * @throws {AppError} `not_found`, or what the precondition, `change`, and `createListing` throw
 */
export function updateListing(
  database: Database,
  actor: Actor,
  key: ListingKey,
  change: (current: Listing) => ListingInput,
  { idempotency, precondition }: ChangeOptions = {},
): Promise<WriteResult<SavedListing>> {
  return write(database, actor, idempotency, async (writing) => {
    const stored = await findByKey(writing, key);
    if (stored === undefined) throw noListing();
    precondition?.(stored.version);
    const current = readStored(stored);
    const input = change(current.listing);
    await requireFreeExternalId(writing, input.externalId, current);
    const saved = await saveChanged(writing, current, input);
    await auditListing(writing.transaction, actor.user, saved);
    return saved;
  });
}

/**
 * Creates or replaces a listing.
 * @throws {AppError} the input's error, `quota_exceeded`, or what the precondition and `write` throw
 */
export function putListing(
  database: Database,
  actor: Actor,
  externalId: string,
  input: ParsedInput,
  { idempotency, precondition }: ChangeOptions = {},
): Promise<WriteResult<SavedListing>> {
  return write(database, actor, idempotency, async (writing) => {
    const stored = await findByKey(writing, { externalId });
    precondition?.(stored?.version);
    if (input instanceof AppError) throw input;
    const saved = stored ? await saveChanged(writing, readStored(stored), input) : await saveNew(writing, input);
    await auditListing(writing.transaction, actor.user, saved);
    return saved;
  });
}

/** Deletes a listing. @throws {AppError} `not_found`, or what the precondition and `write` throw */
export function deleteListing(
  database: Database,
  actor: Actor,
  key: ListingKey,
  { idempotency, precondition }: ChangeOptions = {},
): Promise<WriteResult<{ type: 'deleted' }>> {
  return write(database, actor, idempotency, async (writing) => {
    const current = await findByKey(writing, key);
    if (current === undefined) throw noListing();
    precondition?.(current.version);
    await storeDeleted(writing, readStored(current));
    await auditListing(writing.transaction, actor.user, { ...current, type: 'deleted' });
    return { type: 'deleted' };
  });
}

/**
 * Deletes those of the listings that exist, one batch per transaction, so other writes get their turn.
 * @returns how many were deleted, and the account's sequence after the last deletion
 * @throws {AppError} what `write` throws; earlier batches stay deleted
 */
export async function deleteListings(
  database: Database,
  actor: Actor,
  ids: readonly string[],
): Promise<{ deleted: number; sequence: number | undefined }> {
  let rest = [...new Set(ids)];
  let deleted = 0;
  let lastSequence: number | undefined;
  while (rest.length > 0) {
    const some = rest.slice(0, BATCH_LENGTH);
    const { outcome, sequence = lastSequence } = await write(database, actor, undefined, (writing) =>
      deleteSome(writing, actor, some),
    );
    const { found, isCut } = outcome;
    deleted += found.size;
    lastSequence = sequence;
    rest = rest.filter((id, index) => (isCut ? !found.has(id) : index >= some.length));
  }
  return { deleted, sequence: lastSequence };
}

/** Deletes the listings, or only some of them if they cannot all be read at once. */
async function deleteSome(writing: Writing, { user }: Actor, ids: readonly string[]) {
  const { transaction, account } = writing;
  const { rows, isCut } = await findKeyedListings(transaction, account.id, 'id', ids);
  for (const stored of rows) {
    await storeDeleted(writing, readStored(stored));
    await auditListing(transaction, user, { ...stored, type: 'deleted' });
  }
  return { found: new Set(rows.map(({ id }) => id)), isCut };
}

/** The error for an id or external id that is not in the account, even if another account has a listing with it. */
export function noListing(): AppError {
  return new AppError('not_found', 'There is no listing with this id or externalId in the account.');
}

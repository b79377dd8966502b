import { trustedNow } from '../../lib/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findFormer } from '../../storage/history.ts';
import {
  findIdempotencyRecord,
  type IdempotencyRecord,
  insertIdempotencyRecord,
  removeExpiredRecords,
} from '../../storage/idempotency-records.ts';
import { findListing, type StoredListing } from '../../storage/listings.ts';

export interface IdempotentRequest {
  key: string;
  /** A hash of everything that the outcome depends on. */
  fingerprint: string;
}

/** How long records are valid, as documented in the API's contract. */
const RECORD_KEPT_MS = 24 * 60 * 60 * 1000;

/** Stores a listing's sequence instead of its document; otherwise, a request of a few bytes could store a document. */
export async function recordOutcome(
  transaction: Executor,
  accountId: string,
  { key, fingerprint }: IdempotentRequest,
  outcome: unknown,
): Promise<void> {
  const expiresAt = Date.now() + RECORD_KEPT_MS;
  const listing = isSavedListing(outcome) ? outcome : undefined;
  const recorded = JSON.stringify(listing ? { ...listing, doc: undefined } : outcome);
  await insertIdempotencyRecord(transaction, accountId, { key, fingerprint, outcome: recorded, expiresAt });
}

function isSavedListing(outcome: unknown): outcome is StoredListing {
  return typeof outcome === 'object' && outcome !== null && 'doc' in outcome;
}

/**
 * Finds the outcome of an earlier request with this key.
 * @throws {AppError} `idempotency_key_reused`, or `not_found` if the outcome was a listing that is no longer stored
 */
export async function findOutcome<T>(
  transaction: Executor,
  accountId: string,
  idempotency: IdempotentRequest,
): Promise<T | undefined> {
  const earlier = await findLiveRecord(transaction, accountId, idempotency.key);
  if (earlier === undefined) return undefined;
  if (earlier.fingerprint === idempotency.fingerprint)
    return readOutcome(transaction, accountId, JSON.parse(earlier.outcome));
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used for a different request; use a new key for each new request.',
  );
}

async function findLiveRecord(
  transaction: Executor,
  accountId: string,
  key: string,
): Promise<IdempotencyRecord | undefined> {
  const row = await findIdempotencyRecord(transaction, accountId, key);
  return row !== undefined && (row.expiresAt > Date.now() || trustedNow() === undefined) ? row : undefined;
}

/** A listing's `sequence` identifies its document. Earlier releases stored the document instead. */
async function readOutcome(transaction: Executor, accountId: string, outcome: ReturnType<typeof JSON.parse>) {
  const { id, sequence } = outcome;
  if (sequence === undefined) return outcome;
  const current = await findListing(transaction, accountId, id);
  if (current !== undefined && current.sequence === sequence) return { ...outcome, doc: current.doc };
  const former = await findFormer(transaction, accountId, id, sequence);
  if (former !== undefined && former.sequence === sequence && former.doc !== null)
    return { ...outcome, doc: former.doc };
  // The version was purged early. Because the change must not be repeated, the current version is returned.
  if (current !== undefined) return { ...outcome, version: current.version, doc: current.doc };
  throw new AppError('not_found', 'This request was already processed, and its listing has since been deleted.');
}

/** Records per transaction. A record from an earlier release contains a listing, which may be large. */
const PURGE_LENGTH = 20;

export async function purgeIdempotencyRecords(database: Database, now: number, signal: AbortSignal): Promise<void> {
  let removed = PURGE_LENGTH;
  while (removed === PURGE_LENGTH && !signal.aborted) {
    removed = await database.write((transaction) => removeExpiredRecords(transaction, now, PURGE_LENGTH));
  }
}

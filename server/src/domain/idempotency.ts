import { hasClockJumped } from '../lib/clock.ts';
import { AppError } from '../model/errors.ts';
import type { Database, Executor } from '../storage/database.ts';
import { findEvent } from '../storage/events.ts';
import {
  findIdempotencyRecord,
  type IdempotencyRecord,
  insertIdempotencyRecord,
  removeExpiredRecords,
} from '../storage/idempotency-records.ts';
import { findListing, type StoredListing } from '../storage/listings.ts';
import { EVENTS_KEPT_MS } from './event-purge.ts';

/** What marks a request that may be sent twice (Idempotency-Key). */
export interface IdempotentRequest {
  key: string;
  /** A hash of everything that makes the request what it is. */
  fingerprint: string;
}

/** How long a retry is recognised. */
const RETRY_KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Remembers what came of a request. A listing is remembered by the sequence of its version, whose document stands in
 * `listings` or `events` in any case: a copy would let a few bytes sent store a whole listing.
 */
export async function recordOutcome(
  transaction: Executor,
  accountId: string,
  { key, fingerprint }: IdempotentRequest,
  outcome: unknown,
): Promise<void> {
  const expiresAt = Date.now() + RETRY_KEPT_MS;
  if (!isSavedListing(outcome)) {
    await insertIdempotencyRecord(transaction, accountId, {
      key,
      fingerprint,
      outcome: JSON.stringify(outcome),
      expiresAt,
    });
    return;
  }
  const { doc, ...reference } = outcome;
  await insertIdempotencyRecord(transaction, accountId, {
    key,
    fingerprint,
    outcome: JSON.stringify(reference),
    expiresAt,
  });
  if (outcome.type === 'unchanged') await keepOldDoc(transaction, accountId, outcome.sequence, doc, expiresAt);
}

function isSavedListing(outcome: unknown): outcome is StoredListing & { type: string } {
  return typeof outcome === 'object' && outcome !== null && 'doc' in outcome;
}

/** A record of no request: keys that are sent have no spaces. */
function keptKey(sequence: number): string {
  return `version ${sequence}`;
}

/**
 * A request that changes nothing may refer to a version whose event is about to be purged, or is gone. A later change
 * would lose that document: it is kept beside the records, once for all that refer to it, and written once a day.
 */
async function keepOldDoc(transaction: Executor, accountId: string, sequence: number, doc: string, expiresAt: number) {
  const event = await findEvent(transaction, accountId, sequence);
  if (event !== undefined && event.createdAt > Date.now() - (EVENTS_KEPT_MS - 2 * RETRY_KEPT_MS)) return;
  const key = keptKey(sequence);
  const kept = await findIdempotencyRecord(transaction, accountId, key);
  if (kept !== undefined && kept.expiresAt >= expiresAt) return;
  await insertIdempotencyRecord(transaction, accountId, {
    key,
    fingerprint: '',
    outcome: doc,
    expiresAt: expiresAt + RETRY_KEPT_MS,
  });
}

/**
 * What came of an earlier request with this key, if there was one in the last 24 hours.
 * @throws {AppError} `idempotency_key_reused` if that was another request
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
    'This Idempotency-Key came with another request before; use a new one for each new request.',
  );
}

async function findLiveRecord(
  transaction: Executor,
  accountId: string,
  key: string,
): Promise<IdempotencyRecord | undefined> {
  const row = await findIdempotencyRecord(transaction, accountId, key);
  return row !== undefined && (row.expiresAt > Date.now() || hasClockJumped()) ? row : undefined;
}

/** Records of the first edition hold the document; a deletion and an import's report refer to none. */
async function readOutcome(transaction: Executor, accountId: string, outcome: ReturnType<typeof JSON.parse>) {
  const { id, sequence } = outcome;
  if (sequence === undefined) return outcome;
  const current = await findListing(transaction, accountId, id);
  if (current !== undefined && current.sequence === sequence) return { ...outcome, doc: current.doc };
  const event = await findEvent(transaction, accountId, sequence);
  const doc = event?.doc ?? (await findKeptDoc(transaction, accountId, sequence));
  if (doc !== undefined) return { ...outcome, doc };
  // Its event was purged before its time. The change is done and must not be done again: what it led to is told.
  if (current !== undefined) return { ...outcome, version: current.version, doc: current.doc };
  throw new AppError('not_found', 'This request was done before, and its listing has been deleted since.');
}

async function findKeptDoc(transaction: Executor, accountId: string, sequence: number): Promise<string | undefined> {
  return (await findIdempotencyRecord(transaction, accountId, keptKey(sequence)))?.outcome;
}

/** So many are removed in one transaction: those of the first edition hold a listing each, which may be large. */
const PURGE_LENGTH = 20;

/** Removes the records of requests that cannot be repeated any more, until `signal` aborts. */
export async function purgeIdempotencyRecords(database: Database, signal: AbortSignal): Promise<void> {
  const now = Date.now();
  let removed = PURGE_LENGTH;
  while (removed === PURGE_LENGTH && !signal.aborted) {
    removed = await database.write((transaction) => removeExpiredRecords(transaction, now, PURGE_LENGTH));
  }
}

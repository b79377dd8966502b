import { hasClockJumped } from '../lib/clock.ts';
import type { AccountHead } from '../model/accounts.ts';
import type { Person } from '../model/administrators.ts';
import { AppError } from '../model/errors.ts';
import { findAccountHead } from '../storage/accounts.ts';
import { findKeyAccount } from '../storage/api-keys.ts';
import type { Database, LongSession, Session } from '../storage/database.ts';
import { versionFloorOf } from '../storage/database-info.ts';
import { findRetry, putRetry, type RetryRow, removeExpiredRetries } from '../storage/retries.ts';
import { findStanding } from '../storage/standings.ts';
import { accountWrites } from './event-hub.ts';
import { holderGone } from './holders.ts';

/** On whose behalf something is changed. */
export interface Actor {
  accountId: string;
  /** The key in use: it must still be one when the change is made. */
  keyId?: string;
  /** Who uses the dashboard: their session must still be one. */
  person?: Person;
  /** The database's when they were let in. */
  epoch?: string;
}

/** What a change is made with: an open transaction, and the account that it belongs to. */
export interface Writing<S extends Session = Session> {
  session: S;
  account: AccountHead;
  /** The least version that a change gives a listing. */
  versionFloor: number;
}

/** What marks a request that may be sent twice (Idempotency-Key). */
export interface Retry {
  key: string;
  /** A hash of everything that makes the request what it is. */
  fingerprint: string;
}

export interface Written<T> {
  outcome: T;
  /** Whether this is what came of an earlier request with the same Idempotency-Key. */
  isReplayed: boolean;
}

/** How long a retry is recognised. */
const RETRY_KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Runs `work` in one transaction on behalf of an actor, and remembers the outcome under the retry's key
 * in the same transaction: a crash can neither lose nor double it. Whatever `work` throws is not remembered.
 * @throws {AppError} `unauthorized` when the actor is out meanwhile; `idempotency_key_reused`; what `Database.write` and
 * `work` throw
 */
export async function write<T>(
  database: Database,
  actor: Actor,
  retry: Retry | undefined,
  work: (writing: Writing) => Promise<T>,
): Promise<Written<T>> {
  if (actor.keyId !== undefined) database.requireRoom(actor.accountId);
  const written = await database.write((session) => runOnce(session, actor, retry, work), actor.accountId);
  accountWrites.emit('written', actor.accountId);
  return written;
}

/** As `write`, for work that takes many turns of the event loop: nobody else writes meanwhile. */
export async function writeLong<T>(
  database: Database,
  actor: Actor,
  retry: Retry | undefined,
  work: (writing: Writing<LongSession>) => Promise<T>,
): Promise<Written<T>> {
  if (actor.keyId !== undefined) database.requireRoom(actor.accountId);
  const written = await database.writeLong((session) => runOnce(session, actor, retry, work), actor.accountId);
  accountWrites.emit('written', actor.accountId);
  return written;
}

/**
 * What came of an earlier request with this Idempotency-Key; undefined if there was none. `write` looks again.
 * @throws {AppError} `unauthorized`; `idempotency_key_reused`
 */
export async function findOutcome<T>(session: Session, actor: Actor, retry: Retry): Promise<Written<T> | undefined> {
  const { id } = await getActingAccount(session, actor);
  const found = await findLiveRetry(session, id, retry.key);
  return found && { outcome: replay<T>(found, retry), isReplayed: true };
}

async function runOnce<T, S extends Session>(
  session: S,
  actor: Actor,
  retry: Retry | undefined,
  work: (writing: Writing<S>) => Promise<T>,
): Promise<Written<T>> {
  const account = await getActingAccount(session, actor);
  const writing = { session, account, versionFloor: versionFloorOf(actor.epoch ?? '') };
  if (retry === undefined) return { outcome: await work(writing), isReplayed: false };
  const earlier = await findLiveRetry(session, account.id, retry.key);
  if (earlier !== undefined) return { outcome: replay<T>(earlier, retry), isReplayed: true };
  const outcome = await work(writing);
  const expiresAt = Date.now() + RETRY_KEPT_MS;
  await putRetry(session, account.id, { ...retry, outcome: JSON.stringify(outcome), expiresAt });
  return { outcome, isReplayed: false };
}

/** The actor's account. @throws {AppError} `unauthorized` when the actor is out */
export async function getActingAccount(session: Session, actor: Actor): Promise<AccountHead> {
  const account = await findActingAccount(session, actor);
  if (account === undefined) throw holderGone(actor);
  return account;
}

async function findActingAccount(session: Session, actor: Actor): Promise<AccountHead | undefined> {
  const { accountId, keyId, person } = actor;
  if (keyId !== undefined) return findKeyAccount(session, accountId, keyId, Date.now());
  if (person === undefined) return findAccountHead(session, accountId);
  const standing = await findStanding(session, accountId, person.sessionId);
  return standing && findAccountHead(session, accountId);
}

async function findLiveRetry(session: Session, accountId: string, key: string): Promise<RetryRow | undefined> {
  const row = await findRetry(session, accountId, key);
  return row !== undefined && (row.expiresAt > Date.now() || hasClockJumped()) ? row : undefined;
}

function replay<T>(earlier: RetryRow, { fingerprint }: Retry): T {
  if (earlier.fingerprint === fingerprint) return JSON.parse(earlier.outcome);
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key came with another request before; use a new one for each new request.',
  );
}

/** So many are removed in one transaction: each holds a listing, which may be large. */
const PURGE_LENGTH = 20;

/** Removes the records of requests that nobody can repeat any more, until `signal` aborts. */
export async function purgeRetries(database: Database, signal: AbortSignal): Promise<void> {
  const now = Date.now();
  let removed = PURGE_LENGTH;
  while (removed === PURGE_LENGTH && !signal.aborted) {
    removed = await database.write((session) => removeExpiredRetries(session, now, PURGE_LENGTH));
  }
}

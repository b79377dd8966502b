import type { AccountHead } from '../model/accounts.ts';
import type { AccountUser } from '../model/users.ts';
import { findAccountHead } from '../storage/accounts.ts';
import { findKeyAccount } from '../storage/api-keys.ts';
import type { Database, Executor, LongTransaction } from '../storage/database.ts';
import { versionFloorOf } from '../storage/database-info.ts';
import { findSessionMembership } from '../storage/session-memberships.ts';
import { accountWrites } from './event-hub.ts';
import { findOutcome, type IdempotentRequest, recordOutcome } from './idempotency.ts';
import { principalGone } from './principals.ts';

export type { IdempotentRequest };

/** On whose behalf something is changed. */
export interface Actor {
  accountId: string;
  /** The key in use: it must still be one when the change is made. */
  keyId?: string;
  /** Who uses the dashboard: their session must still be one. */
  user?: AccountUser;
  /** The database's when they were let in. */
  epoch?: string;
}

/** What a change is made with: an open transaction, and the account that it belongs to. */
export interface Writing<S extends Executor = Executor> {
  transaction: S;
  account: AccountHead;
  /** The least version that a change gives a listing. */
  versionFloor: number;
}

export interface Written<T> {
  outcome: T;
  /** Whether this is what came of an earlier request with the same Idempotency-Key. */
  isReplayed: boolean;
}

/**
 * Runs `work` in one transaction on behalf of an actor, and remembers the outcome under the retry's key
 * in the same transaction: a crash can neither lose nor double it. Whatever `work` throws is not remembered.
 * @throws {AppError} `unauthorized` when the actor is out meanwhile; `idempotency_key_reused`; what `Database.write` and
 * `work` throw
 */
export async function write<T>(
  database: Database,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  work: (writing: Writing) => Promise<T>,
): Promise<Written<T>> {
  if (actor.keyId !== undefined) database.requireRoom(actor.accountId);
  const written = await database.write(
    (transaction) => runOnce(transaction, actor, idempotency, work),
    actor.accountId,
  );
  accountWrites.emit('written', actor.accountId);
  return written;
}

/** As `write`, for work that takes many turns of the event loop: nobody else writes meanwhile. */
export async function writeLong<T>(
  database: Database,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  work: (writing: Writing<LongTransaction>) => Promise<T>,
): Promise<Written<T>> {
  if (actor.keyId !== undefined) database.requireRoom(actor.accountId);
  const written = await database.writeLong(
    (transaction) => runOnce(transaction, actor, idempotency, work),
    actor.accountId,
  );
  accountWrites.emit('written', actor.accountId);
  return written;
}

/**
 * What came of an earlier request with this Idempotency-Key; undefined if there was none. `write` looks again.
 * @throws {AppError} `unauthorized`; `idempotency_key_reused`
 */
export async function findWritten<T>(
  transaction: Executor,
  actor: Actor,
  idempotency: IdempotentRequest,
): Promise<Written<T> | undefined> {
  const { id } = await getActingAccount(transaction, actor);
  const outcome = await findOutcome<T>(transaction, id, idempotency);
  return outcome === undefined ? undefined : { outcome, isReplayed: true };
}

async function runOnce<T, S extends Executor>(
  transaction: S,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  work: (writing: Writing<S>) => Promise<T>,
): Promise<Written<T>> {
  const account = await getActingAccount(transaction, actor);
  const writing = { transaction, account, versionFloor: versionFloorOf(actor.epoch ?? '') };
  if (idempotency === undefined) return { outcome: await work(writing), isReplayed: false };
  const earlier = await findOutcome<T>(transaction, account.id, idempotency);
  if (earlier !== undefined) return { outcome: earlier, isReplayed: true };
  const outcome = await work(writing);
  await recordOutcome(transaction, account.id, idempotency, outcome);
  return { outcome, isReplayed: false };
}

/** The actor's account. @throws {AppError} `unauthorized` when the actor is out */
export async function getActingAccount(transaction: Executor, actor: Actor): Promise<AccountHead> {
  const account = await findActingAccount(transaction, actor);
  if (account === undefined) throw principalGone(actor);
  return account;
}

async function findActingAccount(transaction: Executor, actor: Actor): Promise<AccountHead | undefined> {
  const { accountId, keyId, user } = actor;
  if (keyId !== undefined) return findKeyAccount(transaction, accountId, keyId, Date.now());
  if (user === undefined) return findAccountHead(transaction, accountId);
  const membership = await findSessionMembership(transaction, accountId, user.sessionId);
  return membership && findAccountHead(transaction, accountId);
}

import type { AccountHead } from '../../model/accounts.ts';
import { type ChangeActor, OPERATOR_ACTOR } from '../../model/history.ts';
import type { AccountUser } from '../../model/users.ts';
import { findAccountHead } from '../../storage/accounts.ts';
import { findKeyAccount } from '../../storage/api-keys.ts';
import type { Database, Executor, LongTransaction } from '../../storage/database.ts';
import { versionFloorOf } from '../../storage/database-info.ts';
import { findSessionMembership } from '../../storage/memberships.ts';
import { principalGone } from '../access/principals.ts';
import { noteWritten } from './event-hub.ts';
import { findOutcome, type IdempotentRequest, recordOutcome } from './idempotency.ts';

export type { IdempotentRequest };

/** The parts of a principal that identify it. With neither a key nor a user, access is not checked. */
export interface Reader {
  accountId: string;
  /** The principal's key, checked again in the transaction. */
  keyId?: string;
  /** The principal's user, whose session is checked again in the transaction. */
  user?: AccountUser;
  /** The epoch when the request began. */
  epoch?: string;
}

/** A principal that changes data. Passing a principal with read-only access does not compile. */
export interface Actor extends Reader {
  access?: 'full';
  /** The feed whose run makes the changes; histories then name the feed instead of the key or user. */
  feed?: { name: string; runId: string };
}

/** An open transaction and the account that it changes. */
export interface Writing<S extends Executor = Executor> {
  transaction: S;
  account: AccountHead;
  /** Recorded in the histories of changed listings. */
  changedBy: ChangeActor;
  /** A changed listing that was created before this epoch, or has an external id, gets at least this version. */
  versionFloor: number;
}

export interface WriteResult<T> {
  outcome: T;
  /** Whether the outcome is that of an earlier request with the same Idempotency-Key. */
  isReplayed: boolean;
  /** The account's sequence after the changes; undefined without changes. */
  sequence?: number;
}

/**
 * Runs `work` in one transaction, which also records the outcome under the Idempotency-Key, so a crash
 * neither loses nor repeats the change. Errors that `work` throws are not recorded.
 * @throws {AppError} `unauthorized` if the actor has lost access, or what `findOutcome`, `Database.write`, and
 * `work` throw
 */
export async function write<T>(
  database: Database,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  work: (writing: Writing) => Promise<T>,
): Promise<WriteResult<T>> {
  return submit(database, actor, () =>
    database.write((transaction) => runOnce(transaction, actor, idempotency, work), actor.accountId),
  );
}

/**
 * Like `write`, but for work that takes many event-loop turns. Until it is done, the account's other writes wait,
 * and on SQLite all other writes.
 */
export async function writeLong<T>(
  database: Database,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  work: (writing: Writing<LongTransaction>) => Promise<T>,
): Promise<WriteResult<T>> {
  return submit(database, actor, () =>
    database.writeLong((transaction) => runOnce(transaction, actor, idempotency, work), actor.accountId),
  );
}

/**
 * Returns the result of an earlier request with this Idempotency-Key. `write` repeats this check.
 * @throws {AppError} `unauthorized`, or what `findOutcome` throws
 */
export async function findEarlierResult<T>(
  transaction: Executor,
  actor: Actor,
  idempotency: IdempotentRequest,
): Promise<WriteResult<T> | undefined> {
  const { id } = await getActingAccount(transaction, actor);
  const outcome = await findOutcome<T>(transaction, id, idempotency);
  return outcome === undefined ? undefined : { outcome, isReplayed: true };
}

async function submit<T>(database: Database, actor: Actor, run: () => Promise<Ran<T>>): Promise<WriteResult<T>> {
  if (actor.keyId !== undefined) database.requireRoom(actor.accountId);
  const { events, ...written } = await run();
  noteWritten(actor.accountId, events);
  return written;
}

type Ran<T> = WriteResult<T> & { events: number };

async function runOnce<T, S extends Executor>(
  transaction: S,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  work: (writing: Writing<S>) => Promise<T>,
): Promise<Ran<T>> {
  const account = await getActingAccount(transaction, actor);
  const { sequence } = account;
  const changedBy = describeActor(actor, account);
  const writing = { transaction, account, changedBy, versionFloor: versionFloorOf(actor.epoch ?? '') };
  const earlier = idempotency && (await findOutcome<T>(transaction, account.id, idempotency));
  if (earlier !== undefined) return { outcome: earlier, isReplayed: true, events: 0 };
  const outcome = await work(writing);
  if (idempotency !== undefined) await recordOutcome(transaction, account.id, idempotency, outcome);
  const events = account.sequence - sequence;
  return { outcome, isReplayed: false, events, ...(events > 0 && { sequence: account.sequence }) };
}

function describeActor({ keyId, user, feed }: Actor, { keyName }: ActingAccount): ChangeActor {
  if (feed !== undefined) return { type: 'feed', ...feed };
  if (keyId !== undefined) return { type: 'key', id: keyId, name: keyName ?? '' };
  if (user !== undefined) return { type: 'user', id: user.userId, name: user.userName };
  return OPERATOR_ACTOR;
}

/** @throws {AppError} `unauthorized` if the actor has lost access */
export async function getActingAccount(transaction: Executor, actor: Reader): Promise<ActingAccount> {
  const account = await findActingAccount(transaction, actor);
  if (account === undefined) throw principalGone(actor);
  return account;
}

type ActingAccount = AccountHead & { keyName?: string };

async function findActingAccount(transaction: Executor, actor: Reader): Promise<ActingAccount | undefined> {
  const { accountId, keyId, user } = actor;
  if (keyId !== undefined) return findKeyAccount(transaction, accountId, keyId, Date.now());
  if (user === undefined) return findAccountHead(transaction, accountId);
  const membership = await findSessionMembership(transaction, accountId, user.sessionId);
  return membership && findAccountHead(transaction, accountId);
}

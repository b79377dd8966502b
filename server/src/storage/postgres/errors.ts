import pg from 'pg';
import { AppError } from '../../model/errors.ts';
import { unavailable } from '../fair-semaphore.ts';

/** Conditions of SQLSTATE (PostgreSQL's documentation, appendix A). */
const DISK_FULL = '53100';
const READ_ONLY_TRANSACTION = '25006';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const LOCK_NOT_AVAILABLE = '55P03';
const TOO_MANY_CONNECTIONS = '53300';
const UNIQUE_VIOLATION = '23505';
/** Said of a commit by servers that are made of several (CockroachDB). */
const COMPLETION_UNKNOWN = '40003';
const QUERY_CANCELED = '57014';
/** Of an operator who ends a connection, or a server that stops or starts. */
const INTERVENTION_CLASS = '57P';
const CONNECTION_CLASS = '08';
const RESOURCES_CLASS = '53';
/** What a statement meets once another one of its transaction has failed. */
const IN_FAILED_TRANSACTION = '25P02';

/** Citus puts a shard's number behind it. */
const EVENTS_KEY = 'events_pkey';

/** Marks what the driver and the network say: they have many words and no common class. */
export class ConnectionError extends Error {}

/** A transaction that was not committed; `cause` says why. */
export class TransactionError extends Error {}

function reasonOf(error: unknown): unknown {
  return error instanceof TransactionError ? error.cause : error;
}

/** What PostgreSQL calls an error that it has told. */
function stateOf(error: unknown): string | undefined {
  const reason = reasonOf(error);
  return reason instanceof pg.DatabaseError ? reason.code : undefined;
}

/** Whether the connection is of no use any more, or leads to a server that cannot be written. */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionDead(error) || isReadOnly(error);
}

export function isConnectionDead(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return isSilent(error);
  return state.startsWith(INTERVENTION_CLASS) || state.startsWith(CONNECTION_CLASS);
}

/** Whether the connection leads to a server that cannot be written: before a failover it was another one. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === READ_ONLY_TRANSACTION;
}

/** Whether the server has not said why. Others of its connections may be dead too, and say nothing until they are used. */
export function isSilent(error: unknown): boolean {
  return reasonOf(error) instanceof ConnectionError;
}

/** Whether the server gives no more connections. */
export function isFull(error: unknown): boolean {
  return stateOf(error) === TOO_MANY_CONNECTIONS;
}

/** Whether the server cannot be reached, or takes nobody in now. */
export function isAway(error: unknown): boolean {
  return isConnectionLost(error) || stateOf(error)?.startsWith(RESOURCES_CLASS) === true;
}

/** Whether the same transaction can succeed the next time. */
export function isRepeatable(error: unknown): boolean {
  const state = stateOf(error);
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED || isSequenceTaken(error);
}

/**
 * Whether an account's next event is there already. Under the account's lock that cannot be, but while Citus moves the
 * account to another machine: a change that waited for that grows the sequence where the account was, and reads it where it is.
 */
function isSequenceTaken(error: unknown): boolean {
  const reason = reasonOf(error);
  if (!(reason instanceof pg.DatabaseError) || reason.code !== UNIQUE_VIOLATION) return false;
  return reason.constraint?.startsWith(EVENTS_KEY) === true;
}

/** Whether a statement, or its wait for a lock, was given up after the time that it had. */
export function isOverdue(error: unknown): boolean {
  const state = stateOf(error);
  return state === LOCK_NOT_AVAILABLE || state === QUERY_CANCELED;
}

/** Whether the server has told that a statement failed, or only that the connection did or an earlier statement. */
export function isVerdict(error: unknown): boolean {
  const state = stateOf(error);
  return state !== undefined && state !== IN_FAILED_TRANSACTION && state !== COMPLETION_UNKNOWN;
}

export const NOTHING_WRITTEN = 'The database is not available and nothing was written; try again.';

/** PostgreSQL's words stay in `cause`, for the log: the customer reads ours. */
export function translateError(error: unknown): unknown {
  const state = stateOf(error);
  if (state === DISK_FULL) {
    return new AppError('storage_full', 'The disk is full and nothing was written; try again later.', { cause: error });
  }
  return isUnavailable(error) ? unavailable(NOTHING_WRITTEN, error) : error;
}

/** A commit whose answer was lost. */
export function outcomeUnknown(error: unknown): AppError {
  return new AppError(
    'outcome_unknown',
    'The database failed during the commit, so the change may or may not be stored; check before you send it again.',
    { cause: error },
  );
}

function isUnavailable(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return isSilent(error);
  return isAway(error) || isRepeatable(error) || isOverdue(error);
}

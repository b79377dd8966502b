import pg from 'pg';
import { diskFull, NOTHING_WRITTEN, unavailable } from '../errors.ts';

/** SQLSTATE codes (PostgreSQL's documentation, appendix A). */
const DISK_FULL = '53100';
const READ_ONLY_TRANSACTION = '25006';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const LOCK_NOT_AVAILABLE = '55P03';
const TOO_MANY_CONNECTIONS = '53300';
const UNIQUE_VIOLATION = '23505';
/** A distributed server (CockroachDB) does not know the outcome of a commit. */
const COMPLETION_UNKNOWN = '40003';
const QUERY_CANCELED = '57014';
/** The operator has ended the connection, or the server is stopping or starting. */
const INTERVENTION_CLASS = '57P';
const CONNECTION_CLASS = '08';
const RESOURCES_CLASS = '53';
/** An earlier statement of the transaction has failed. */
const IN_FAILED_TRANSACTION = '25P02';

/** The primary key of `events`. Citus appends a shard number to the name. */
const EVENTS_KEY = 'events_pkey';

/** Wraps an error from the driver or the network, whose own errors do not have a common class. */
export class ConnectionError extends Error {}

/** A transaction that was not committed, with the error in `cause`. */
export class TransactionError extends Error {}

function reasonOf(error: unknown): unknown {
  return error instanceof TransactionError ? error.cause : error;
}

function stateOf(error: unknown): string | undefined {
  const reason = reasonOf(error);
  return reason instanceof pg.DatabaseError ? reason.code : undefined;
}

export function isConnectionLost(error: unknown): boolean {
  return isConnectionDead(error) || isReadOnly(error);
}

export function isConnectionDead(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return isSilent(error);
  return state.startsWith(INTERVENTION_CLASS) || state.startsWith(CONNECTION_CLASS);
}

/** Whether the connection leads to a read-only server, as after a failover. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === READ_ONLY_TRANSACTION;
}

/** Whether the server did not respond. Other connections may also be dead without having reported an error. */
export function isSilent(error: unknown): boolean {
  return reasonOf(error) instanceof ConnectionError;
}

/** Whether the server does not accept more connections. */
export function isFull(error: unknown): boolean {
  return stateOf(error) === TOO_MANY_CONNECTIONS;
}

/** Whether the server is unreachable or does not accept work. */
export function isAway(error: unknown): boolean {
  return isConnectionLost(error) || stateOf(error)?.startsWith(RESOURCES_CLASS) === true;
}

/** Whether the same transaction may succeed if it runs again. */
export function isRepeatable(error: unknown): boolean {
  const state = stateOf(error);
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED || isSequenceTaken(error);
}

/**
 * Whether an account's next event already exists. Despite the account's lock, this happens while Citus moves
 * the account to another machine: a change that waited for the move increments the sequence on the old
 * machine, but reads it on the new machine.
 */
function isSequenceTaken(error: unknown): boolean {
  const reason = reasonOf(error);
  if (!(reason instanceof pg.DatabaseError) || reason.code !== UNIQUE_VIOLATION) return false;
  return reason.constraint?.startsWith(EVENTS_KEY) === true;
}

/** Whether a statement, or its wait for a lock, has timed out. */
export function isOverdue(error: unknown): boolean {
  const state = stateOf(error);
  return state === LOCK_NOT_AVAILABLE || state === QUERY_CANCELED;
}

/** Whether the server reports that this statement failed, rather than the connection or an earlier statement. */
export function isVerdict(error: unknown): boolean {
  const state = stateOf(error);
  return state !== undefined && state !== IN_FAILED_TRANSACTION && state !== COMPLETION_UNKNOWN;
}

/** Keeps PostgreSQL's error in `cause`, which is only logged. */
export function translateError(error: unknown): unknown {
  if (stateOf(error) === DISK_FULL) return diskFull(error);
  return isUnavailable(error) ? unavailable(NOTHING_WRITTEN, error) : error;
}

function isUnavailable(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return isSilent(error);
  return isAway(error) || isRepeatable(error) || isOverdue(error);
}

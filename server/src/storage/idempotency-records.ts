import type { Executor } from './database.ts';
import { findRow, putRow, type RowOf, removeSomeRows } from './rows.ts';

/** The stored outcome of a request with an Idempotency-Key. */
export type IdempotencyRecord = Omit<RowOf<'idempotency_keys'>, 'accountId'>;

const VALUES = ['fingerprint', 'outcome', 'expiresAt'] as const;

const put = putRow('idempotency_keys', ['accountId', 'key'], VALUES);

/** Stores a record, replacing an expired record with the same key. */
export async function insertIdempotencyRecord(
  executor: Executor,
  accountId: string,
  row: IdempotencyRecord,
): Promise<void> {
  await put(executor, { accountId, ...row });
}

/** Finds a record even if it has expired. */
export const findIdempotencyRecord = findRow('idempotency_keys', ['accountId', 'key'], ['key', ...VALUES]);

export const removeIdempotencyRecords = removeSomeRows('idempotency_keys', ['accountId'], ['key']);

/** Removes up to `limit` records, of all accounts, that expired by a time (UTC milliseconds). @returns how many */
export const removeExpiredRecords = removeSomeRows('idempotency_keys', ['expiresAt <='], ['accountId', 'key'], []);

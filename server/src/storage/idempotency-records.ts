import type { Executor, Parameter } from './database.ts';
import { countRows } from './functions.ts';
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

type Purge = { now: number; limit: number };

/** Removes up to `limit` expired records, of all accounts. `now` is in UTC milliseconds. @returns how many */
export const removeExpiredRecords = countRows(['now', 'limit'], (query, parameter: Parameter<Purge>) =>
  query
    .deleteFrom('idempotency_keys')
    // Checked again, because on PostgreSQL, a record can be replaced after it was selected and before it is removed.
    .where('expires_at', '<=', parameter('now'))
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('account_id', 'key'),
        'in',
        selectFrom('idempotency_keys')
          .select(['account_id', 'key'])
          .where('expires_at', '<=', parameter('now'))
          .limit(parameter('limit'))
          .$asTuple('account_id', 'key'),
      ),
    )
    .returning('key'),
);

import { type Executor, type Parameter, statement } from './database.ts';
import { countRows, firstRow, rowOf } from './functions.ts';
import { removeSomeRows } from './rows.ts';

/** The stored outcome of a request with an Idempotency-Key. */
export interface IdempotencyRecord {
  key: string;
  /** A hash of the request. */
  fingerprint: string;
  /** JSON text. */
  outcome: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

const put = statement<IdempotencyRecord & { accountId: string }>((query, parameter) =>
  query
    .insertInto('idempotency_keys')
    .values(rowOf(parameter, ['accountId', 'key', 'fingerprint', 'outcome', 'expiresAt']))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key']).doUpdateSet(rowOf(parameter, ['fingerprint', 'outcome', 'expiresAt'])),
    ),
);

/** Stores a record, replacing an expired record with the same key. */
export async function insertIdempotencyRecord(
  executor: Executor,
  accountId: string,
  row: IdempotencyRecord,
): Promise<void> {
  await executor.execute(put, { accountId, ...row });
}

type RecordKey = { accountId: string; key: string };

/** Finds a record even if it has expired. */
export const findIdempotencyRecord = firstRow(['accountId', 'key'], (query, parameter: Parameter<RecordKey>) =>
  query
    .selectFrom('idempotency_keys')
    .select(['key', 'fingerprint', 'outcome', 'expires_at as expiresAt'])
    .where('account_id', '=', parameter('accountId'))
    .where('key', '=', parameter('key')),
);

/** Removes up to `limit` records of an account that is being deleted. @returns how many */
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

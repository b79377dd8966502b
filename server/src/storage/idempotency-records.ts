import { type Executor, statement } from './database.ts';

/** What is remembered of a request that carried an Idempotency-Key. */
export interface IdempotencyRecord {
  key: string;
  /** A hash of what the request was. */
  fingerprint: string;
  /** What came of it: JSON text. */
  outcome: string;
  /** UTC milliseconds. */
  expiresAt: number;
}

const put = statement<IdempotencyRecord & { accountId: string }>((query, parameter) =>
  query
    .insertInto('idempotency_keys')
    .values({
      account_id: parameter('accountId'),
      key: parameter('key'),
      fingerprint: parameter('fingerprint'),
      outcome: parameter('outcome'),
      expires_at: parameter('expiresAt'),
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key']).doUpdateSet({
        fingerprint: parameter('fingerprint'),
        outcome: parameter('outcome'),
        expires_at: parameter('expiresAt'),
      }),
    ),
);

/** Remembers a request, in place of an expired one with its key. */
export async function insertIdempotencyRecord(
  executor: Executor,
  accountId: string,
  row: IdempotencyRecord,
): Promise<void> {
  await executor.execute(put, { accountId, ...row });
}

const selectByKey = statement<{ accountId: string; key: string }, IdempotencyRecord>((query, parameter) =>
  query
    .selectFrom('idempotency_keys')
    .select(['key', 'fingerprint', 'outcome', 'expires_at as expiresAt'])
    .where('account_id', '=', parameter('accountId'))
    .where('key', '=', parameter('key')),
);

/** The account's record of this Idempotency-Key; it may have expired. */
export async function findIdempotencyRecord(
  executor: Executor,
  accountId: string,
  key: string,
): Promise<IdempotencyRecord | undefined> {
  const [row] = await executor.execute(selectByKey, { accountId, key });
  return row;
}

const removeSome = statement<{ accountId: string; limit: number }, { key: string }>((query, parameter) =>
  query
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', parameter('accountId'))
    .where('key', 'in', ({ selectFrom }) =>
      selectFrom('idempotency_keys')
        .select('key')
        .where('account_id', '=', parameter('accountId'))
        .limit(parameter('limit')),
    )
    .returning('key'),
);

/** Removes up to `limit` records of an account that is to go. @returns how many */
export async function removeIdempotencyRecords(executor: Executor, accountId: string, limit: number): Promise<number> {
  const rows = await executor.execute(removeSome, { accountId, limit });
  return rows.length;
}

const removeExpired = statement<{ now: number; limit: number }, { key: string }>((query, parameter) =>
  query
    .deleteFrom('idempotency_keys')
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

/** Removes up to `limit` records that expired before `now` (UTC milliseconds), of all accounts. @returns how many */
export async function removeExpiredRecords(executor: Executor, now: number, limit: number): Promise<number> {
  const rows = await executor.execute(removeExpired, { now, limit });
  return rows.length;
}

import { sql } from 'kysely';
import { type Executor, type Scans, statement } from './database.ts';

/** How often a key was used in an hour. */
export interface KeyHour {
  keyId: string;
  /** When the hour began, in UTC milliseconds. */
  hour: number;
  requests: number;
  /** How many of them were answered with an error. */
  errors: number;
}

const add = statement<KeyHour & { accountId: string }>((query, parameter) =>
  query
    .insertInto('key_hours')
    .columns(['account_id', 'hour', 'key_id', 'requests', 'errors'])
    .expression(({ selectFrom }) =>
      // An account that is gone is used no more.
      selectFrom('accounts')
        .select([
          'id',
          parameter('hour').as('hour'),
          parameter('keyId').as('key_id'),
          parameter('requests').as('requests'),
          parameter('errors').as('errors'),
        ])
        .where('id', '=', parameter('accountId')),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'hour', 'key_id']).doUpdateSet({
        requests: sql`key_hours.requests + excluded.requests`,
        errors: sql`key_hours.errors + excluded.errors`,
      }),
    ),
);

/** Adds to what is known of a key in an hour, also after the key was deleted. */
export async function addKeyHour(executor: Executor, accountId: string, hour: KeyHour): Promise<void> {
  await executor.execute(add, { accountId, ...hour });
}

/** Which of a process's batches of counts is written, and when, in UTC milliseconds. */
export interface KeyUseBatch {
  process: string;
  /** Above that of the batch before. */
  number: number;
  writtenAt: number;
}

const begin = statement<KeyUseBatch, { number: number }>((query, parameter) =>
  query
    .insertInto('key_use_batches')
    .values({ process: parameter('process'), number: parameter('number'), written_at: parameter('writtenAt') })
    .onConflict((conflict) =>
      conflict
        .column('process')
        .doUpdateSet({ number: sql`excluded.number`, written_at: sql`excluded.written_at` })
        .whereRef('key_use_batches.number', '<', sql`excluded.number`),
    )
    .returning('number'),
);

/** Notes a batch in the transaction that writes it. @returns false if it was written before */
export async function beginKeyUseBatch(executor: Executor, batch: KeyUseBatch): Promise<boolean> {
  const rows = await executor.execute(begin, { ...batch });
  return rows.length > 0;
}

const removeBatches = statement<{ before: number }>((query, parameter) =>
  query.deleteFrom('key_use_batches').where('written_at', '<', parameter('before')),
);

/** Forgets what processes wrote last before a time (UTC milliseconds): they are gone. */
export async function removeKeyUseBatches(executor: Executor, before: number): Promise<void> {
  await executor.execute(removeBatches, { before });
}

/** How the account's keys were used since an hour, key by key in the order of time. */
export async function findKeyHours(scans: Scans, accountId: string, since: number): Promise<KeyHour[]> {
  const { rows } = await scans.query<KeyHour>(accountId, (query) =>
    query
      .selectFrom('key_hours')
      .select(['key_id as keyId', 'hour', 'requests', 'errors'])
      .where('account_id', '=', accountId)
      .where('hour', '>=', since)
      .orderBy('hour')
      .orderBy('key_id'),
  );
  return rows;
}

const removeSome = statement<{ before: number; limit: number }, { hour: number }>((query, parameter) =>
  query
    .deleteFrom('key_hours')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('account_id', 'hour', 'key_id'),
        'in',
        selectFrom('key_hours')
          .select(['account_id', 'hour', 'key_id'])
          .where('hour', '<', parameter('before'))
          .limit(parameter('limit'))
          .$asTuple('account_id', 'hour', 'key_id'),
      ),
    )
    .returning('hour'),
);

/** Removes up to `limit` hours that began before another one (UTC milliseconds), of all accounts. @returns how many */
export async function removeKeyHours(executor: Executor, before: number, limit: number): Promise<number> {
  const rows = await executor.execute(removeSome, { before, limit });
  return rows.length;
}

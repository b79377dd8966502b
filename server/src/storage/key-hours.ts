import { sql } from 'kysely';
import { type Executor, type Scans, statement } from './database.ts';
import { rowOf } from './functions.ts';
import { discardRows, type RowOf, removeSomeRows } from './rows.ts';

export type KeyHour = Omit<RowOf<'key_hours'>, 'accountId'>;

const add = statement<KeyHour & { accountId: string }>((query, parameter) =>
  query
    .insertInto('key_hours')
    .columns(['account_id', 'hour', 'key_id', 'requests', 'errors'])
    .expression(({ selectFrom }) =>
      // Selects no row if the account has been deleted.
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

/** Adds to a key's counts for an hour, even if the key has been deleted. */
export async function addKeyHour(executor: Executor, accountId: string, hour: KeyHour): Promise<void> {
  await executor.execute(add, { accountId, ...hour });
}

type KeyUseBatch = RowOf<'key_use_batches'>;

const begin = statement<KeyUseBatch, { number: number }>((query, parameter) =>
  query
    .insertInto('key_use_batches')
    .values(rowOf(parameter, ['process', 'number', 'writtenAt']))
    .onConflict((conflict) =>
      conflict
        .column('process')
        .doUpdateSet({ number: sql`excluded.number`, written_at: sql`excluded.written_at` })
        .whereRef('key_use_batches.number', '<', sql`excluded.number`),
    )
    .returning('number'),
);

/** Records a batch in the transaction that writes it. @returns false if the batch has been written before */
export async function beginKeyUseBatch(executor: Executor, batch: KeyUseBatch): Promise<boolean> {
  const rows = await executor.execute(begin, { ...batch });
  return rows.length > 0;
}

/** Removes the batches of processes that last wrote before a time (UTC milliseconds). */
export const removeKeyUseBatches = discardRows('key_use_batches', ['writtenAt <']);

export function findKeyHours(scans: Scans, accountId: string, since: number): Promise<KeyHour[]> {
  return scans.query<KeyHour>(accountId, (query) =>
    query
      .selectFrom('key_hours')
      .select(['key_id as keyId', 'hour', 'requests', 'errors'])
      .where('account_id', '=', accountId)
      .where('hour', '>=', since)
      .orderBy('hour')
      .orderBy('key_id'),
  );
}

/** Removes up to `limit` key hours, of all accounts, that began before a time (UTC milliseconds). @returns how many */
export const removeKeyHours = removeSomeRows('key_hours', ['hour <'], ['accountId', 'hour', 'keyId'], []);

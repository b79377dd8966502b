import type { Parameter } from './database.ts';
import { allRows, hasRow, rowOf } from './functions.ts';
import { discardRows, type RowOf, updateRows } from './rows.ts';

/** For a shard, the right to send its accounts' webhooks; for a process, evidence that the process is running. */
export type Lease = RowOf<'webhook_leases'>;

export const listLeases = allRows([], (query) => query.selectFrom('webhook_leases').select(['name', 'owner', 'beat']));

export const insertLease = hasRow(['name', 'owner'], (query, parameter: Parameter<Omit<Lease, 'beat'>>) =>
  query
    .insertInto('webhook_leases')
    .values({ ...rowOf(parameter, ['name', 'owner']), beat: 0 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name'),
);

/** Removes a lease, unless it has changed since it was read. */
export const removeLease = discardRows('webhook_leases', ['name', 'owner', 'beat']);

export const renewLeases = updateRows('webhook_leases', ['owner'], ['beat']);

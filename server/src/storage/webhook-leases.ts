import type { Parameter } from './database.ts';
import { allRows, command, hasRow, rowOf } from './functions.ts';

/** For a shard, the right to send its accounts' webhooks; for a process, evidence that the process is running. */
export interface Lease {
  name: string;
  owner: string;
  /** Grows while the owner runs. */
  beat: number;
}

export const listLeases = allRows([], (query) => query.selectFrom('webhook_leases').select(['name', 'owner', 'beat']));

export const insertLease = hasRow(['name', 'owner'], (query, parameter: Parameter<Omit<Lease, 'beat'>>) =>
  query
    .insertInto('webhook_leases')
    .values({ ...rowOf(parameter, ['name', 'owner']), beat: 0 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name'),
);

/** Removes a lease, unless it has changed since it was read. @returns whether it was removed */
export const removeLease = hasRow(['name', 'owner', 'beat'], (query, parameter: Parameter<Lease>) =>
  query
    .deleteFrom('webhook_leases')
    .where('name', '=', parameter('name'))
    .where('owner', '=', parameter('owner'))
    .where('beat', '=', parameter('beat'))
    .returning('name'),
);

export const renewLeases = command(['owner', 'beat'], (query, parameter: Parameter<Omit<Lease, 'name'>>) =>
  query
    .updateTable('webhook_leases')
    .set({ beat: parameter('beat') })
    .where('owner', '=', parameter('owner')),
);

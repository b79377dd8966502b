import { sql } from 'kysely';
import { DAY_MS } from '../lib/times.ts';
import type { Parameter } from './database.ts';
import { allRows } from './functions.ts';

/** Counts an account's events since a time, by type and by UTC day. `day` is the number of days since 1970. */
export const countEventsByDay = allRows(
  ['accountId', 'since'],
  (query, parameter: Parameter<{ accountId: string; since: number }>) =>
    query
      .selectFrom('events')
      .select(({ fn }) => [
        sql<number>`created_at / ${sql.lit(DAY_MS)}`.as('day'),
        'type',
        fn.countAll<number>().as('events'),
      ])
      .where('account_id', '=', parameter('accountId'))
      .where('created_at', '>=', parameter('since'))
      .groupBy(['day', 'type']),
);

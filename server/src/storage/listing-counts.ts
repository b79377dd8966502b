import { sql } from 'kysely';
import type { Executor, Parameter } from './database.ts';
import { command, rowOf } from './functions.ts';

// SQLite counts an account's listings with the same values in `listing_counts`. Triggers count each changed row, unless
// the transaction holds them.

/** A part of the listings' values, by which most searches count. */
export interface CountedValues {
  status: string;
  beds: number;
  /** Empty without one. */
  propertyType: string;
  baths: number;
}

/** What `by` listings more have these values. */
export interface CountChange extends CountedValues {
  by: number;
}

/** Sums up how many listings more or fewer have each combination of values. */
export function sumCountChanges(changes: readonly { before: CountedValues; after: CountedValues }[]): CountChange[] {
  const sums = new Map<string, CountChange>();
  const count = ({ status, beds, propertyType, baths }: CountedValues, by: number) => {
    const key = JSON.stringify([status, beds, propertyType, baths]);
    const sum = sums.get(key) ?? { status, beds, propertyType, baths, by: 0 };
    sum.by += by;
    sums.set(key, sum);
  };
  for (const { before, after } of changes) {
    count(before, -1);
    count(after, 1);
  }
  return [...sums.values()].filter(({ by }) => by !== 0);
}

/** The account of the marker, which is none. */
const MARKER = sql<string>`0`;
const EMPTY = { status: '', beds: 0, property_type: '', baths: 0, count: 0 };

/** Holds the triggers until `releaseCounts` in the same transaction. */
export const holdCounts = command([], (query) =>
  query.insertInto('listing_counts').values({ account_id: MARKER, ...EMPTY }),
);

export const releaseCounts = command([], (query) =>
  query.deleteFrom('listing_counts').where('account_id', '=', MARKER),
);

type Change = Required<CountChange> & { accountId: string };

const add = command(
  ['accountId', 'status', 'beds', 'propertyType', 'baths', 'by'],
  (query, parameter: Parameter<Change>, engine) =>
    query
      .insertInto('listing_counts')
      .values({
        account_id: engine.accountKey(parameter('accountId')),
        ...rowOf(parameter, ['status', 'beds', 'propertyType', 'baths']),
        count: parameter('by'),
      })
      .onConflict((conflict) => conflict.doUpdateSet({ count: sql`count + excluded.count` })),
);

/** Adds to the number of listings with these values. */
export async function changeCount(executor: Executor, accountId: string, change: CountChange): Promise<void> {
  const { status, beds, propertyType, baths, by } = change;
  await add(executor, accountId, status, beds, propertyType, baths, by);
}

/** Removes the combinations that no listing has any more. */
export const removeEmptyCounts = command(['accountId'], (query, parameter: Parameter<{ accountId: string }>, engine) =>
  query
    .deleteFrom('listing_counts')
    .where('account_id', '=', engine.accountKey(parameter('accountId')))
    .where('count', '=', 0),
);

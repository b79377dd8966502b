import { sql } from 'kysely';
import type { Executor, Parameter } from './database.ts';
import { command, rowOf } from './functions.ts';

// On SQLite, `listing_counts` counts an account's listings with the same values. Triggers update these counts for each
// inserted, changed, or removed row. A transaction can suspend the trigger for changed rows.

/** A listing's values in the columns that most counts filter by. */
export interface CountedValues {
  status: string;
  beds: number;
  /** Empty if the listing has no property type. */
  propertyType: string;
  baths: number;
}

/** The number of listings with these values changes by `by`. */
export interface CountChange extends CountedValues {
  by: number;
}

/** The change in the number of listings for each combination of values. */
export class CountChanges {
  readonly #byKey = new Map<string, CountChange>();

  add({ status, beds, propertyType, baths }: CountedValues, by: number): void {
    const key = `${status} ${beds} ${propertyType} ${baths}`;
    const change = this.#byKey.get(key);
    if (change === undefined) this.#byKey.set(key, { status, beds, propertyType, baths, by });
    else change.by += by;
  }

  list(): CountChange[] {
    return [...this.#byKey.values()].filter(({ by }) => by !== 0);
  }
}

/** The account number of the row that suspends the trigger. Account numbers begin with 1. */
const MARKER = sql<string>`0`;
const EMPTY = { status: '', beds: 0, property_type: '', baths: 0, count: 0 };

/** Suspends the trigger until `resumeCounting` in the same transaction. */
export const suspendCounting = command([], (query) =>
  query.insertInto('listing_counts').values({ account_id: MARKER, ...EMPTY }),
);

export const resumeCounting = command([], (query) =>
  query.deleteFrom('listing_counts').where('account_id', '=', MARKER),
);

type Values = CountedValues & { accountId: string };

const add = command(
  ['accountId', 'status', 'beds', 'propertyType', 'baths', 'by'],
  (query, parameter: Parameter<Values & { by: number }>, engine) =>
    query
      .insertInto('listing_counts')
      .values({
        account_id: engine.accountKey(parameter('accountId')),
        ...rowOf(parameter, ['status', 'beds', 'propertyType', 'baths']),
        count: parameter('by'),
      })
      .onConflict((conflict) => conflict.doUpdateSet({ count: sql`count + excluded.count` })),
);

const removeEmpty = command(
  ['accountId', 'status', 'beds', 'propertyType', 'baths'],
  (query, parameter: Parameter<Values>, engine) =>
    query
      .deleteFrom('listing_counts')
      .where('account_id', '=', engine.accountKey(parameter('accountId')))
      .where('status', '=', parameter('status'))
      .where('beds', '=', parameter('beds'))
      .where('property_type', '=', parameter('propertyType'))
      .where('baths', '=', parameter('baths'))
      .where('count', '=', 0),
);

export async function changeCount(executor: Executor, accountId: string, change: CountChange): Promise<void> {
  const { status, beds, propertyType, baths, by } = change;
  await add(executor, accountId, status, beds, propertyType, baths, by);
  if (by < 0) await removeEmpty(executor, accountId, status, beds, propertyType, baths);
}

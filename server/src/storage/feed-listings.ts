import { type RawBuilder, sql } from 'kysely';
import { type BatchValues, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows } from './functions.ts';

/** The part of a stored listing that a run compares with a row of its file. */
export interface FeedListing {
  id: string;
  externalId: string | null;
  version: number;
  status: string;
  mark: string | null;
}

type Page = { accountId: string; feed: string; after: string; limit: number };

/**
 * The limit is in the subquery, before the join: PostgreSQL cannot estimate how many rows the join finds, and
 * would otherwise read and sort the whole feed for each page.
 */
const selectPage = (hasExternalId: boolean) => {
  const key = hasExternalId ? 'external_id' : 'id';
  return statement<Page, FeedListing>((query, parameter, engine) =>
    query
      .selectFrom((from) =>
        from
          .selectFrom('listing_facets')
          .select(['id', 'external_id', 'status'])
          .where('account_id', '=', engine.accountKey(parameter('accountId')))
          .where('feed', '=', parameter('feed'))
          .where(key, '>', parameter('after'))
          .$if(!hasExternalId, (without) => without.where('external_id', 'is', null))
          .orderBy(key)
          .limit(parameter('limit'))
          .as('page'),
      )
      .crossJoin(engine.lookUp('listings', parameter('accountId'), 'id', sql.ref('page.id')).as('listings'))
      .select(['listings.id', 'page.external_id as externalId', 'version', 'page.status', 'feed_mark as mark'])
      .where('listings.account_id', '=', parameter('accountId'))
      .whereRef('listings.id', '=', 'page.id')
      .orderBy(`page.${key}`),
  );
};

const PAGES = { byExternalId: selectPage(true), withoutExternalId: selectPage(false) };

/** The next listings of a feed: those with an external id, ordered by it, or those without one, ordered by id. */
export function findFeedPage(
  executor: Executor,
  accountId: string,
  feed: string,
  by: keyof typeof PAGES,
  after: string,
  limit: number,
): Promise<FeedListing[]> {
  return executor.execute(PAGES[by], { accountId, feed, after, limit });
}

const setMarks = batchStatement((length) =>
  statement<BatchValues>((query, parameter) => {
    const at = (index: number) => parameter(String(index)) as RawBuilder<string>;
    const ids = Array.from({ length }, (_, row) => at(2 * row));
    const marks = ids.map((id, row) => sql`when ${id} then ${at(2 * row + 1)}`);
    // If the update used a list of values instead, PostgreSQL would read all rows of an account that is not
    // in its statistics yet.
    return query
      .updateTable('listings')
      .set({ feed_mark: sql<string>`case id ${sql.join(marks, sql` `)} end` })
      .where('account_id', '=', at(2 * length))
      .where('id', 'in', ids);
  }),
);

export async function setFeedMarks(
  executor: Executor,
  accountId: string,
  marks: readonly [id: string, mark: string][],
): Promise<void> {
  await executeBatch(executor, setMarks, marks, accountId);
}

type Some = { accountId: string; feed: string; limit: number };

export const findSomeOfFeed = allRows(['accountId', 'feed', 'limit'], (query, parameter: Parameter<Some>, engine) =>
  query
    .selectFrom((from) =>
      from
        .selectFrom('listing_facets')
        .select('id')
        .where('account_id', '=', engine.accountKey(parameter('accountId')))
        .where('feed', '=', parameter('feed'))
        .limit(parameter('limit'))
        .as('some'),
    )
    .crossJoin(engine.lookUp('listings', parameter('accountId'), 'id', sql.ref('some.id')).as('listings'))
    .select(['listings.id', 'version', 'sequence', 'doc'])
    .where('listings.account_id', '=', parameter('accountId'))
    .whereRef('listings.id', '=', 'some.id'),
);

import { type RawBuilder, sql } from 'kysely';
import { type BatchValues, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows } from './functions.ts';

/** What a run compares with a row of the file, without the listing's document. */
export interface FeedListing {
  id: string;
  externalId: string | null;
  version: number;
  status: string;
  mark: string | null;
}

type Page = { accountId: string; feed: string; after: string; limit: number };

const selectPage = (hasExternalId: boolean) =>
  statement<Page, FeedListing>((query, parameter, engine) =>
    query
      .selectFrom('listing_facets as facets')
      .crossJoin(engine.lookUp('listings', parameter('accountId'), 'id', sql.ref('facets.id')).as('listings'))
      .select(['listings.id', 'external_id as externalId', 'version', 'status', 'feed_mark as mark'])
      .where('facets.account_id', '=', engine.accountKey(parameter('accountId')))
      .where('facets.feed', '=', parameter('feed'))
      .where(hasExternalId ? 'facets.external_id' : 'facets.id', '>', parameter('after'))
      .$if(!hasExternalId, (without) => without.where('facets.external_id', 'is', null))
      .where('listings.account_id', '=', parameter('accountId'))
      .whereRef('listings.id', '=', 'facets.id')
      .orderBy(hasExternalId ? 'facets.external_id' : 'facets.id')
      .limit(parameter('limit')),
  );

const PAGES = { byExternalId: selectPage(true), withoutExternalId: selectPage(false) };

/** The next listings of a feed in the order of their external ids, or of their ids for those without one. */
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
    const rows = Array.from({ length }, (_, row) => sql`(${at(2 * row)}, ${at(2 * row + 1)})`);
    return query
      .updateTable('listings')
      .from(sql<{ column1: string; column2: string }>`(values ${sql.join(rows)})`.as('marks'))
      .set({ feed_mark: sql.ref<string>('marks.column2') })
      .where('account_id', '=', at(2 * length))
      .whereRef('id', '=', 'marks.column1');
  }),
);

/** Stores the marks of listings, by id. */
export async function setFeedMarks(
  executor: Executor,
  accountId: string,
  marks: readonly [id: string, mark: string][],
): Promise<void> {
  await executeBatch(executor, setMarks, marks, accountId);
}

type Some = { accountId: string; feed: string; limit: number };

/** Some listings of a feed, with their documents. */
export const findSomeOfFeed = allRows(['accountId', 'feed', 'limit'], (query, parameter: Parameter<Some>, engine) =>
  query
    .selectFrom('listing_facets as facets')
    .crossJoin(engine.lookUp('listings', parameter('accountId'), 'id', sql.ref('facets.id')).as('listings'))
    .select(['listings.id', 'version', 'sequence', 'doc'])
    .where('facets.account_id', '=', engine.accountKey(parameter('accountId')))
    .where('facets.feed', '=', parameter('feed'))
    .where('listings.account_id', '=', parameter('accountId'))
    .whereRef('listings.id', '=', 'facets.id')
    .limit(parameter('limit')),
);

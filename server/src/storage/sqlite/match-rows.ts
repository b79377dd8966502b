import sql, { raw, type Sql } from 'sql-template-tag';
import type { Search } from '../../model/search.ts';
import type { Run } from '../runs.ts';
import {
  all,
  CLUSTER,
  comesAfter,
  inOrder,
  isWithin,
  mayMeet,
  meets,
  sortValue,
  squaresFrom,
} from '../search-conditions.ts';
import type { Wanted } from '../searches.ts';
import type { PreparedQueries } from './prepared-queries.ts';
import type { FoundRow } from './walk.ts';

/** Exceeds the number of rows of squares in any grid. */
const ROWS_MAX = 2 ** 31;

export interface AccountSearch {
  queries: PreparedQueries;
  /** The account's number. */
  account: number;
  accountId: string;
  search: Search;
  wanted: Wanted;
  /**
   * Whether the index has shown that each candidate has all of the search's words, unless the candidate has
   * changed since it was indexed.
   */
  hasWords?: boolean;
}

// These functions check candidates, and read those that match: rows of id, sort value, and JSON text if `bytesMax` is
// given.

/** The first `limit` matches among the candidates, in the candidates' order. */
export function readMatching(context: AccountSearch, candidates: Sql, limit: number): Run<unknown[]> {
  return runFound(context, sql`${matches(context, candidates)} limit ${limit}`);
}

/** The rows of the first `limit` matches in `found`, in the same order. */
export function readMatches(context: AccountSearch, found: readonly FoundRow[], limit: number): Run<unknown[]> {
  const { accountId } = context;
  const first = found.slice(0, limit);
  const { rows, isCut } = runDocs(
    context,
    (doc) => sql`select listings.id, null, ${doc} from ${listed(first.map(([number]) => number))} as found
      cross join listings on listings.number = found.number where account_id = ${accountId}`,
  );
  return { rows: rows.map(([id, , doc], index) => [id, first[index]?.[1], doc]), isCut };
}

/** The wanted matches among the candidates, in the order of the list. */
export function readSorted(context: AccountSearch, candidates: Sql): Run<unknown[]> {
  return runFound(context, sorted(context, candidates), sql`order by ${inOrder(context.search)}`);
}

/** The numbers of the wanted matches among the candidates, in the order of the list. */
export function findSorted(context: AccountSearch, numbers: readonly number[]): number[] {
  return context.queries.all(sorted(context, listed(numbers))).map(([number]) => Number(number));
}

export function countMatching(context: AccountSearch, candidates: Sql): number {
  return Number(context.queries.all(sql`select count(*) from (${matches(context, candidates)})`)[0]?.[0]);
}

/** The matches per square of a grid: rows of count, mean latitude and longitude, and newest id. */
export function clusterMatching(context: AccountSearch, candidates: Sql, sideDegrees: number): unknown[][] {
  const places = selectFrom(context, candidates, raw('facets.id, latitude, longitude'));
  const { column, row } = squaresFrom(sideDegrees);
  // Grouping by one integer takes two thirds of the time of grouping by two.
  return context.queries.all(sql`select ${CLUSTER} from (${places} and ${meets(context.search)})
    group by cast(${column} as integer) * ${raw(String(ROWS_MAX))} + cast(${row} as integer)`);
}

function runFound(context: AccountSearch, found: Sql, order = raw('')): Run<unknown[]> {
  const { accountId, wanted } = context;
  const select = (doc: Sql) => sql`select id, value, ${doc} from (${found}) as found ${order}`;
  const docOf = (doc: Sql) =>
    sql`(select ${doc} from listings where listings.number = found.number and account_id = ${accountId})`;
  return runDocs(context, (doc) => select(wanted.bytesMax === undefined ? doc : docOf(doc)));
}

/** @param select builds a query with the given expression for the JSON text */
function runDocs({ queries, wanted }: AccountSearch, select: (doc: Sql) => Sql): Run<unknown[]> {
  const { bytesMax, limit } = wanted;
  if (bytesMax === undefined) return { rows: queries.all(select(raw('null'))), isCut: false };
  const docBytesMax = Math.floor(bytesMax / limit);
  // Reading takes a fifth less time if the bytes do not have to be counted.
  const rows = queries.all(select(sql`case when octet_length(doc) <= ${docBytesMax} then doc end`));
  if (rows.every(([, , doc]) => doc !== null)) return { rows, isCut: false };
  return queries.run(select(raw('doc')), bytesMax);
}

function sorted(context: AccountSearch, candidates: Sql): Sql {
  const { search, wanted } = context;
  return sql`select number, id, value from (${sortable(context, candidates)})
    order by ${inOrder(search)} limit ${wanted.limit}`;
}

function sortable(context: AccountSearch, candidates: Sql): Sql {
  const { search, wanted } = context;
  const { circle, order } = search;
  if (order.by !== 'distance' || circle === undefined) {
    return sql`${matches(context, candidates)} and ${comesAfter(wanted.after, search)}`;
  }
  // The limit keeps SQLite from flattening the subquery, which would compute each distance up to five times.
  const value = raw('measured.value');
  return sql`select number, id, value
    from (${selectFrom(context, candidates)} and ${mayMeet(search)} limit -1) as measured
    where ${isWithin(circle, value)} and ${comesAfter(wanted.after, search, value)}`;
}

function matches(context: AccountSearch, candidates: Sql): Sql {
  return sql`${selectFrom(context, candidates)} and ${meets(context.search)}`;
}

function selectFrom(
  { account, accountId, search, hasWords = false }: AccountSearch,
  candidates: Sql,
  columns = sql`facets.number, facets.id, ${sortValue(search)} as value`,
): Sql {
  const words = meetsWords(accountId, search);
  // Words are stored next to the documents, so reading them takes longer than reading all other columns.
  const isUnchanged = sql`not exists (select 1 from unindexed_listings as changed
    where changed.number = facets.number and changed.account_id = ${account})`;
  return sql`select ${columns}
    from ${candidates} as candidates cross join listing_facets as facets on facets.number = candidates.number
    where facets.account_id = ${account} and ${hasWords && search.words.length > 0 ? sql`(${isUnchanged} or ${words})` : words}`;
}

/** Whether the listing of a row of `facets` has all words of a search, or words that begin with them. */
export function meetsWords(accountId: string, { words }: Search): Sql {
  if (words.length === 0) return sql`true`;
  const tests = words.map((word) => sql`instr(terms, ${` ${word}`}) > 0`);
  // In a where clause, a test runs only if those before it were met.
  return sql`(select true from listings
    where listings.number = facets.number and account_id = ${accountId} and ${all(tests)})`;
}

/** Numbers as a table, in their order. */
export function listed(numbers: readonly number[]): Sql {
  return sql`(select value as number from json_each(${`[${numbers.join()}]`}))`;
}

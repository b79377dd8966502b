import sql, { type Sql } from 'sql-template-tag';
import type { Search, SearchColumn } from '../../model/search.ts';
import { meets } from '../search-conditions.ts';
import { countRowsOf, findFew, INDEXED_COLUMNS, selectAll, selectByColumn } from './candidates.ts';
import { clusterMatching, countMatching, listed } from './match-rows.ts';
import { hasManyUnindexed, type SearchContext } from './search-context.ts';

/** The columns of `listing_counts`. */
const COUNTED_COLUMNS: ReadonlySet<SearchColumn> = new Set<SearchColumn>(['status', 'beds', 'propertyType', 'baths']);

/** Counts the matches. A quick count returns undefined if it would take longer than a few milliseconds. */
export function countMatches(context: SearchContext): number | undefined {
  const { queries, account, search } = context;
  if (isCounted(search)) {
    const counts = sql`select coalesce(sum(count), 0) from listing_counts as facets
      where account_id = ${account} and ${meets(search)}`;
    return Number(queries.all(counts)[0]?.[0]);
  }
  if (hasManyUnindexed(context)) return undefined;
  const few = findFew(context);
  if (few !== undefined) return countMatching({ ...context, hasWords: few.hasWords }, listed(few.numbers));
  if (context.isQuick) return undefined;
  const matches = selectMatches(context);
  if (matches !== undefined) return countRowsOf(context, matches);
  const { numbers, hasWords } = selectAll(context);
  return countMatching({ ...context, hasWords }, numbers);
}

export function clusterMatches(context: SearchContext, sideDegrees: number): unknown[][] {
  const few = findFew(context);
  const { numbers, hasWords } = few === undefined ? selectAll(context) : { ...few, numbers: listed(few.numbers) };
  return clusterMatching({ ...context, hasWords }, numbers, sideDegrees);
}

/** A query for the matches that reads only indexes; undefined if the candidates' rows must be checked. */
function selectMatches(context: SearchContext): Sql | undefined {
  const { index, account, search, terms, unindexed } = context;
  const { conditions, box, circle, words } = search;
  const [name] = INDEXED_COLUMNS.filter((each) => each === conditions[0]?.field);
  const isOnlyRange = conditions.every(({ field }) => field === name) && words.length === 0;
  if (name !== undefined && isOnlyRange && box === undefined && circle === undefined) {
    return selectByColumn(context, name);
  }
  if (unindexed.length > 0 || !index.isExact(account, search, terms)) return undefined;
  return sql`select 1 from listing_index where listing_index match ${index.matchAll(account, terms)}`;
}

function isCounted({ conditions, box, circle, words }: Search): boolean {
  if (box !== undefined || circle !== undefined || words.length > 0) return false;
  return conditions.every(({ field }) => COUNTED_COLUMNS.has(field));
}

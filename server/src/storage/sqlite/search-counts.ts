import sql, { type Sql } from 'sql-template-tag';
import type { Search, SearchColumn } from '../../model/search.ts';
import { meets } from '../search-conditions.ts';
import { type Candidates, INDEXED_COLUMNS } from './candidates.ts';
import type { ListingIndex } from './listing-index.ts';
import { listed, type MatchRows } from './match-rows.ts';
import type { PreparedQueries } from './prepared-queries.ts';
import { hasManyUnindexed, type SearchContext } from './search-context.ts';

/** The columns of `listing_counts`. */
const COUNTED_COLUMNS: ReadonlySet<SearchColumn> = new Set<SearchColumn>(['status', 'beds', 'propertyType', 'baths']);

export class SearchCounts {
  readonly #queries: PreparedQueries;
  readonly #index: ListingIndex;
  readonly #candidates: Candidates;
  readonly #rows: MatchRows;

  constructor(queries: PreparedQueries, index: ListingIndex, candidates: Candidates, rows: MatchRows) {
    this.#queries = queries;
    this.#index = index;
    this.#candidates = candidates;
    this.#rows = rows;
  }

  /** Counts the matches. A quick count returns undefined if it would take longer than a few milliseconds. */
  count(context: SearchContext): number | undefined {
    const { account, search } = context;
    if (isCounted(search)) {
      const counts = sql`select coalesce(sum(count), 0) from listing_counts as facets
        where account_id = ${account} and ${meets(search)}`;
      return Number(this.#queries.all(counts)[0]?.[0]);
    }
    if (hasManyUnindexed(context)) return undefined;
    const few = this.#candidates.findFew(context);
    if (few !== undefined) return this.#rows.count({ ...context, hasWords: few.hasWords }, listed(few.numbers));
    if (context.isQuick) return undefined;
    const matches = this.#selectMatches(context);
    if (matches !== undefined) return this.#candidates.count(matches);
    const { numbers, hasWords } = this.#candidates.selectAll(context);
    return this.#rows.count({ ...context, hasWords }, numbers);
  }

  cluster(context: SearchContext, sideDegrees: number): unknown[][] {
    const few = this.#candidates.findFew(context);
    const { numbers, hasWords } =
      few === undefined ? this.#candidates.selectAll(context) : { ...few, numbers: listed(few.numbers) };
    return this.#rows.cluster({ ...context, hasWords }, numbers, sideDegrees);
  }

  /** A query for the matches that reads only indexes; undefined if the candidates' rows must be checked. */
  #selectMatches(context: SearchContext): Sql | undefined {
    const { account, search, terms, unindexed } = context;
    const { conditions, box, circle, words } = search;
    const [name] = INDEXED_COLUMNS.filter((each) => each === conditions[0]?.field);
    const isOnlyRange = conditions.every(({ field }) => field === name) && words.length === 0;
    if (name !== undefined && isOnlyRange && box === undefined && circle === undefined) {
      return this.#candidates.selectByColumn(context, name);
    }
    if (unindexed.length > 0 || !this.#index.isExact(account, search, terms)) return undefined;
    return sql`select 1 from listing_index where listing_index match ${this.#index.matchAll(account, terms)}`;
  }
}

function isCounted({ conditions, box, circle, words }: Search): boolean {
  if (box !== undefined || circle !== undefined || words.length > 0) return false;
  return conditions.every(({ field }) => COUNTED_COLUMNS.has(field));
}

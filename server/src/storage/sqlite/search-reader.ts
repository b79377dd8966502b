import type { DatabaseSync } from 'node:sqlite';
import sql, { raw } from 'sql-template-tag';
import { type Condition, isUnfiltered, type Search } from '../../model/search.ts';
import { termConditions } from '../../model/search-terms.ts';
import type { Run } from '../runs.ts';
import type { Wanted } from '../searches.ts';
import { countAccount, findFew, selectAll } from './candidates.ts';
import { ListingIndex } from './listing-index.ts';
import { listed, readMatches, readMatching, readSorted } from './match-rows.ts';
import { findNearest } from './nearest.ts';
import { PreparedQueries } from './prepared-queries.ts';
import { beginSearch, hasManyUnindexed, hasManyWords, isOver, type SearchContext } from './search-context.ts';
import { clusterMatches, countMatches } from './search-counts.ts';
import { END, findNumberAfter, isWalked, walk } from './walk.ts';

// How a search uses indexes:
// 1. If a condition has few candidates, all of them are read, checked, and sorted.
// 2. Otherwise, listings are read in the order of the list and checked until the page is full. In a list by
//    id, only listings that meet the conditions on terms are read; in a list by distance, only listings in
//    circles around the center.
// 3. If too few of these listings match, all candidates are read, checked, and sorted. This step is left to a
//    reader thread.

/** A quick search in the order of beds or baths looks up at most this many numbers of beds or baths. */
const QUICK_COUNTS_MAX = 20;
/** A quick search looks up several terms together only among this many of the latest listing numbers, in about 1 ms. */
const QUICK_NUMBERS_MAX = 50_000;
/**
 * Before a thorough search reads and sorts all candidates, it reads listings in the order of the list: up to this
 * many times the square root of (page length × number of listings).
 */
const THOROUGH_FACTOR = 4;

export class SearchReader {
  readonly #queries: PreparedQueries;
  readonly #index: ListingIndex;

  constructor(database: DatabaseSync) {
    this.#queries = new PreparedQueries(database);
    this.#index = new ListingIndex(this.#queries);
  }

  /**
   * The first matches after a position: rows of id, sort value, and JSON text if `bytesMax` is given. A quick
   * search returns undefined if it has many words, or once it has read as much as it can in a few milliseconds
   * (`search-context.ts`).
   */
  find(accountId: string, search: Search, wanted: Wanted, isQuick: boolean): Run<unknown[]> | undefined {
    if (isQuick && hasManyWords(search)) return undefined;
    return this.#queries.onSnapshot(() => {
      const context = beginSearch(this.#queries, this.#index, { accountId, search, wanted, isQuick });
      if (hasManyUnindexed(context)) return undefined;
      const few = findFew(context);
      if (few?.numbers.length === 0) return { rows: [], isCut: false };
      if (few !== undefined) return readSorted({ ...context, hasWords: few.hasWords }, listed(few.numbers));
      return findInOrder(context) ?? (isQuick ? undefined : findAll(context));
    });
  }

  /** Counts the matches. A quick count returns undefined if it has many words, or once it has read too much. */
  count(accountId: string, search: Search, isQuick: boolean): number | undefined {
    if (isQuick && hasManyWords(search)) return undefined;
    return this.#queries.onSnapshot(() => countMatches(this.#beginCount(accountId, search, isQuick)));
  }

  cluster(accountId: string, search: Search, sideDegrees: number): unknown[][] {
    return this.#queries.onSnapshot(() => clusterMatches(this.#beginCount(accountId, search, false), sideDegrees));
  }

  #beginCount(accountId: string, search: Search, isQuick: boolean): SearchContext {
    const wanted = { after: undefined, limit: 0 };
    return beginSearch(this.#queries, this.#index, { accountId, search, wanted, isQuick });
  }
}

function findInOrder(context: SearchContext): Run<unknown[]> | undefined {
  const { by } = context.search.order;
  if (by === 'distance') return findNearest(context);
  if (by === 'beds' || by === 'baths') return readByCount(context, by);
  const match = by === 'id' ? context.index.matchAll(context.account, context.terms) : undefined;
  return match === undefined ? readWalk(context) : readByTerms(context, match);
}

/** Reads the listings with each number of beds or baths, newest first. */
function readByCount(context: SearchContext, by: 'beds' | 'baths'): Run<unknown[]> | undefined {
  const { queries, index, account, search, wanted } = context;
  const { isDescending } = search.order;
  const [column, direction] = [raw(by), raw(isDescending ? 'desc' : 'asc')];
  const rows = queries.all(sql`select distinct ${column} from listing_counts
    where account_id = ${account} order by ${column} ${direction}`);
  const isBefore = (count: number, last: number) => (isDescending ? count > last : count < last);
  const { after } = wanted;
  const counts = rows.map(([count]) => Number(count));
  const next = counts.filter((count) => after === undefined || !isBefore(count, Number(after.value)));
  const page = new Page(wanted);
  for (const [place, value] of next.entries()) {
    if (context.isQuick && place === QUICK_COUNTS_MAX) return undefined;
    const some = {
      ...search,
      conditions: [...search.conditions, { field: by, operator: 'is', value }] satisfies Condition[],
    };
    const rest = { ...wanted, after: value === after?.value ? after : undefined, limit: page.rest };
    const terms = termConditions(some);
    const match = index.matchAll(account, terms) ?? '';
    const run = readByTerms({ ...context, search: some, terms, wanted: rest }, match, value);
    if (run === undefined) return undefined;
    if (page.add(run)) return page.run;
  }
  return page.run;
}

function readWalk(context: SearchContext): Run<unknown[]> | undefined {
  const { queries, account, search, wanted, isQuick } = context;
  const isAll = isUnfiltered(search);
  const readMax = isAll || isQuick ? END : thoroughMax(context);
  const firstMax = search.order.isDescending && isAll ? wanted.limit : END;
  let read = 0;
  const page = new Page(wanted);
  for (const found of walk(queries, account, search, wanted.after, firstMax)) {
    const rows = isWalked(search)
      ? readMatches(context, found, page.rest)
      : readMatching(context, listed(found.map(([number]) => number)), page.rest);
    if (page.add(rows)) return page.run;
    read += found.length;
    if (read > readMax || isOver(context, read)) return undefined;
  }
  return page.run;
}

function thoroughMax(context: SearchContext): number {
  return THOROUGH_FACTOR * Math.sqrt(context.wanted.limit * countAccount(context));
}

/** Reads listings that meet all conditions on terms, newest first. `value` is their value in the sort column. */
function readByTerms(context: SearchContext, match: string, value: number | null = null): Run<unknown[]> | undefined {
  const { index, account, search, wanted, terms, unindexed, isQuick } = context;
  const end = endOf(context);
  const after = isQuick && terms.length > 1 ? findPart(context, end) : 0;
  const isExact = index.isExact(account, search, terms);
  const hasWords = index.hasAllWords(account, terms);
  const page = new Page(wanted);
  let before = end;
  let read = 0;
  for (let limit = isExact ? wanted.limit : 2 * wanted.limit; ; limit *= 2) {
    const found = index.findNewest(match, { after, before, limit });
    const isLast = found.length < limit;
    const from = isLast ? after : Number(found.at(-1));
    const changed = unindexed.filter((number) => number >= from && number < before);
    const numbers = [...new Set([...found, ...changed])].sort((one, other) => other - one);
    const rows =
      isExact && changed.length === 0
        ? readMatches(
            context,
            numbers.map((number) => [number, value]),
            page.rest,
          )
        : readMatching({ ...context, hasWords }, listed(numbers), page.rest);
    if (page.add(rows)) return page.run;
    if (isLast) return after === 0 ? page.run : undefined;
    read += numbers.length;
    if (isOver(context, read)) return undefined;
    before = from;
  }
}

/** In a list by id, the wanted listings have lower numbers than this. */
function endOf({ queries, account, wanted: { after } }: SearchContext): number {
  return after === undefined ? END : findNumberAfter(queries, account, after.id);
}

/** A quick search reads only listings with numbers above this; 0 if that covers all of the account's listings. */
function findPart({ queries, account }: SearchContext, end: number): number {
  const [[newest] = [], [oldest] = []] = [
    ...queries.all(sql`select max(number) from listing_facets`),
    ...queries.all(sql`select number from listing_facets indexed by listing_facets_id
      where account_id = ${account} order by id limit 1`),
  ];
  const after = Math.min(end, Number(newest)) - QUICK_NUMBERS_MAX;
  return after < Number(oldest) ? 0 : after;
}

function findAll(context: SearchContext): Run<unknown[]> {
  const { search, wanted } = context;
  const isById = search.order.by === 'id';
  const { numbers, hasWords } = selectAll(context, isById ? endOf(context) : END);
  if (!isById) return readSorted({ ...context, hasWords }, numbers);
  // Stops once the page is full, since the candidates are in the order of the list.
  return readMatching({ ...context, hasWords }, numbers, wanted.limit);
}

/** The rows of a page, read part by part. */
class Page {
  readonly run: Run<unknown[]> = { rows: [], isCut: false };
  readonly #limit: number;

  constructor({ limit }: Wanted) {
    this.#limit = limit;
  }

  /** How many rows the page still lacks. */
  get rest(): number {
    return this.#limit - this.run.rows.length;
  }

  /** @returns whether reading ends: the page is complete, or its rows are too long */
  add({ rows, isCut }: Run<unknown[]>): boolean {
    this.run.rows.push(...rows);
    this.run.isCut = isCut;
    return isCut || this.rest === 0;
  }
}

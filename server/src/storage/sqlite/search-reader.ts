import type { DatabaseSync } from 'node:sqlite';
import sql, { raw, type Sql } from 'sql-template-tag';
import { EARTH_RADIUS_METRES } from '../../model/geo.ts';
import { type Condition, isUnfiltered, type Search, type SearchColumn } from '../../model/search.ts';
import { areTermsExact, type TermCondition, termConditions } from '../../model/search-terms.ts';
import { columnOf } from '../functions.ts';
import type { Run } from '../runs.ts';
import { all, DISTANCE_STEPS, isMet, meets } from '../search-conditions.ts';
import type { Position, Wanted } from '../searches.ts';
import { ListingIndex } from './listing-index.ts';
import { type AccountSearch, listed, MatchRows } from './match-rows.ts';
import { PreparedQueries } from './prepared-queries.ts';
import { findNumberAfter, isWalked, walk } from './walk.ts';

// How a search is answered from indexes:
// 1. If a condition has few candidates, all of them are read, checked, and sorted.
// 2. Otherwise, listings are read in the order of the list and checked until the page is full. In a list by id, only
//    listings that meet the conditions on terms are read; in a list by distance, circles around the center.
// 3. If too few of these match, all candidates are read, checked, and sorted. This is left to a reader thread.

/** A condition with at most this many candidates is selective: a quick search reads them in about a millisecond. */
const FEW = { quick: 400, thorough: 5_000 };
/** Listings that a quick search reads in the order of the list, in one to two milliseconds. */
const QUICK_READ_MAX = 500;
/** A quick search in the order of beds or baths looks up this many numbers of these. */
const QUICK_COUNTS_MAX = 20;
/** Reading more than this part of the account's listings by their numbers takes longer than reading all in order. */
const MANY_SHARE = 0.2;
/** A quick search looks up several terms together only among the newest listings, in about a millisecond. */
const QUICK_NUMBERS_MAX = 50_000;
/** A thorough search reads this many times the square root of page length times listings before it sorts candidates. */
const THOROUGH_FACTOR = 4;

const NEAREST_METRES = 250;
/** How much larger the next circle is than one that would have enough matches. */
const CIRCLE_MARGIN = 1.5;
const CIRCLE_GROWTH_MAX = 6;
/** Candidates in all circles of a search. */
const CIRCLES_READ_MAX = 1_000;

/** Columns with an index of their own, besides `externalId`. */
const RANGE_COLUMNS = [
  'listPrice',
  'closePrice',
  'livingArea',
  'onMarketDate',
  'createdAt',
  'updatedAt',
] as const satisfies SearchColumn[];
/** The columns of `listing_counts`. */
const COUNTED_COLUMNS: ReadonlySet<SearchColumn> = new Set<SearchColumn>(['status', 'beds', 'propertyType', 'baths']);

interface Context extends AccountSearch {
  terms: TermCondition[];
  /** The account's listings that have changed since they were indexed, newest first. */
  unindexed: number[];
}

export class SearchReader {
  readonly #queries: PreparedQueries;
  readonly #index: ListingIndex;
  readonly #rows: MatchRows;

  constructor(database: DatabaseSync) {
    this.#queries = new PreparedQueries(database);
    this.#index = new ListingIndex(this.#queries);
    this.#rows = new MatchRows(this.#queries);
  }

  /**
   * The first matches after a position: rows of id, sort value, and JSON text if `bytesMax` is given. A quick search
   * returns undefined if it takes longer than a few milliseconds.
   */
  find(accountId: string, search: Search, wanted: Wanted, isQuick: boolean): Run<unknown[]> | undefined {
    return this.#queries.onSnapshot(() => {
      const context = this.#begin(accountId, search, wanted);
      if (isQuick && hasManyUnindexed(context)) return undefined;
      const few = this.#findFew(context, isQuick ? FEW.quick : FEW.thorough);
      if (few !== undefined) return this.#rows.readSorted(context, few);
      return this.#findInOrder(context, isQuick) ?? (isQuick ? undefined : this.#findAll(context));
    });
  }

  /** Counts the matches. A quick count returns undefined if it takes longer than a few milliseconds. */
  count(accountId: string, search: Search, isQuick: boolean): number | undefined {
    return this.#queries.onSnapshot(() => {
      const context = this.#begin(accountId, search, { after: undefined, limit: 0 });
      if (this.#isCounted(search)) return this.#countListings(context);
      if (isQuick && hasManyUnindexed(context)) return undefined;
      const few = this.#findFew(context, FEW.quick);
      if (few !== undefined) return this.#rows.count(context, listed(few));
      if (isQuick) return undefined;
      const count = this.#countInIndex(context);
      if (count !== undefined) return count;
      const candidates = this.#candidates(context);
      return candidates === undefined ? this.#countListings(context) : this.#rows.count(context, candidates);
    });
  }

  #begin(accountId: string, search: Search, wanted: Wanted): Context {
    const [row] = this.#queries.all(sql`select number from account_numbers where account_id = ${accountId}`);
    const account = Number(row?.[0] ?? 0);
    const terms = termConditions(search);
    // Searches by other conditions do not read the index.
    const usesIndex = terms.length > 0 || ['distance', 'beds', 'baths'].includes(search.order.by);
    const unindexed = usesIndex ? this.#index.findUnindexed(account) : [];
    return { account, accountId, search, wanted, terms, unindexed };
  }

  /** The candidates of a selective condition; undefined if there is none. */
  #findFew(context: Context, countMax: number): number[] | undefined {
    const { account, search, terms, unindexed } = context;
    for (const find of this.#leadsByColumn(context)) {
      const numbers = find(countMax + 1);
      if (numbers.length <= countMax) return numbers;
    }
    // Newest first, the index returns the matches of a single condition in order.
    const isOrdered = search.order.by === 'id' && terms.length === 1 && !('from' in (terms[0] ?? {}));
    for (const condition of isOrdered ? [] : terms) {
      if ('terms' in condition && !condition.isSelective) continue;
      const numbers = this.#index.findFew(account, condition, countMax);
      if (numbers !== undefined) return [...new Set([...numbers, ...unindexed])];
    }
    return undefined;
  }

  #leadsByColumn({ account, search: { conditions, order } }: Context): ((limit: number) => number[])[] {
    const columns = ['externalId', ...RANGE_COLUMNS.filter((name) => name !== order.by)] as const;
    return columns.flatMap((name) => {
      const tests = conditions.filter(({ field }) => field === name);
      if (tests.length === 0) return [];
      return [
        (limit) => this.#numbers(sql`${this.#fromIndex(account, name)} and ${all(tests.map(isMet))} limit ${limit}`),
      ];
    });
  }

  #fromIndex(account: number, name: SearchColumn): Sql {
    const index = raw(`listing_facets_${columnOf(name)}`);
    return sql`select number from listing_facets as facets indexed by ${index} where facets.account_id = ${account}`;
  }

  #findInOrder(context: Context, isQuick: boolean): Run<unknown[]> | undefined {
    const { search, terms } = context;
    const { by } = search.order;
    if (by === 'distance') return this.#findNearest(context);
    if (by === 'beds' || by === 'baths') return this.#readByCount(context, by, isQuick);
    const match = by === 'id' ? this.#index.matchAll(context.account, terms) : undefined;
    return match === undefined ? this.#readWalk(context, isQuick) : this.#readMatches(context, match, isQuick);
  }

  /** Reads the listings with each number of beds or baths, newest first. */
  #readByCount(context: Context, by: 'beds' | 'baths', isQuick: boolean): Run<unknown[]> | undefined {
    const { account, search, wanted } = context;
    const { isDescending } = search.order;
    const [column, direction] = [raw(by), raw(isDescending ? 'desc' : 'asc')];
    const counts = this.#numbers(sql`select distinct ${column} from listing_counts
      where account_id = ${account} order by ${column} ${direction}`);
    const isBefore = (count: number, last: number) => (isDescending ? count > last : count < last);
    const { after } = wanted;
    const next = counts.filter((count) => after === undefined || !isBefore(count, Number(after.value)));
    const page = new Page(wanted);
    for (const [index, value] of next.entries()) {
      if (isQuick && index === QUICK_COUNTS_MAX) return undefined;
      const some = {
        ...search,
        conditions: [...search.conditions, { field: by, operator: 'is', value }] satisfies Condition[],
      };
      const rest = { ...wanted, after: value === after?.value ? after : undefined, limit: page.rest };
      const terms = termConditions(some);
      const match = this.#index.matchAll(account, terms) ?? '';
      const run = this.#readMatches({ ...context, search: some, terms, wanted: rest }, match, isQuick, value);
      if (run === undefined) return undefined;
      if (page.add(run)) return page.run;
    }
    return page.run;
  }

  #readWalk(context: Context, isQuick: boolean): Run<unknown[]> | undefined {
    const { account, accountId, search, wanted } = context;
    const filteredMax = isQuick ? QUICK_READ_MAX : this.#thoroughMax(accountId, wanted.limit);
    const readMax = isUnfiltered(search) ? END : filteredMax;
    const firstMax = search.order.isDescending && isUnfiltered(search) ? wanted.limit : END;
    let read = 0;
    const page = new Page(wanted);
    for (const found of walk(this.#queries, account, search, wanted.after, firstMax)) {
      const rows = isWalked(search)
        ? this.#rows.readMatches(context, found, page.rest)
        : this.#rows.read(
            context,
            found.map(([number]) => number),
            page.rest,
          );
      if (page.add(rows)) return page.run;
      read += found.length;
      if (read > readMax) return undefined;
    }
    return page.run;
  }

  #thoroughMax(accountId: string, limit: number): number {
    return THOROUGH_FACTOR * Math.sqrt(limit * this.#countAll(accountId));
  }

  #countAll(accountId: string): number {
    const [row] = this.#queries.all(sql`select listing_count from account_heads where account_id = ${accountId}`);
    return Number(row?.[0] ?? 0);
  }

  /**
   * Reads listings that meet all conditions on terms, newest first.
   * @param value is their value in the sort column
   */
  #readMatches(
    context: Context,
    match: string,
    isQuick: boolean,
    value: number | null = null,
  ): Run<unknown[]> | undefined {
    const { account, wanted, terms, unindexed } = context;
    const end = wanted.after === undefined ? END : findNumberAfter(this.#queries, account, wanted.after.id);
    const after = isQuick && terms.length > 1 ? this.#findPart(account, end) : 0;
    const isExact = this.#isIndexExact(context);
    const page = new Page(wanted);
    let before = end;
    let read = 0;
    for (let limit = isExact ? wanted.limit : 2 * wanted.limit; ; limit *= 2) {
      const found = this.#index.findNewest(match, { after, before, limit });
      const isLast = found.length < limit;
      const from = isLast ? after : Number(found.at(-1));
      const changed = unindexed.filter((number) => number >= from && number < before);
      const numbers = [...new Set([...found, ...changed])].sort((one, other) => other - one);
      const rows =
        isExact && changed.length === 0
          ? this.#rows.readMatches(
              context,
              numbers.map((number) => [number, value]),
              page.rest,
            )
          : this.#rows.read(context, numbers, page.rest);
      if (page.add(rows)) return page.run;
      if (isLast) return after === 0 ? page.run : undefined;
      read += numbers.length;
      if (isQuick && read > QUICK_READ_MAX) return undefined;
      before = from;
    }
  }

  /** The number after which a quick search reads; 0 if the account has no listings before. */
  #findPart(account: number, end: number): number {
    const [[newest] = [], [oldest] = []] = [
      ...this.#queries.all(sql`select max(number) from listing_facets`),
      ...this.#queries.all(sql`select number from listing_facets indexed by listing_facets_id
        where account_id = ${account} order by id limit 1`),
    ];
    const after = Math.min(end, Number(newest)) - QUICK_NUMBERS_MAX;
    return after < Number(oldest) ? 0 : after;
  }

  /** Reads circles around the center until one has enough matches, but not too many candidates. */
  #findNearest(context: Context): Run<unknown[]> | undefined {
    const { account, search, wanted, unindexed } = context;
    const { circle, order } = search;
    if (circle === undefined || order.isDescending) return undefined;
    let tooSmall = Math.max(toMetres(wanted.after), NEAREST_METRES / 10);
    let tooLarge = Number.POSITIVE_INFINITY;
    let next = NEAREST_METRES + CIRCLE_MARGIN * tooSmall;
    for (let read = 0; read < CIRCLES_READ_MAX; ) {
      const radiusMetres = Math.min(next, circle.radiusMetres);
      const inside = { ...search, circle: { ...circle, radiusMetres } };
      const match = this.#index.matchAll(account, termConditions(inside));
      if (match === undefined) return undefined;
      const numbers = this.#index.findNewest(match, { after: 0, before: END, limit: QUICK_READ_MAX });
      read += numbers.length + 1;
      if (numbers.length === QUICK_READ_MAX) {
        tooLarge = radiusMetres;
        next = Math.sqrt(tooSmall * tooLarge);
        continue;
      }
      const candidates = [...new Set([...numbers, ...unindexed])];
      const found = this.#rows.findSorted({ ...context, search: inside }, candidates);
      if (found.length === wanted.limit || radiusMetres === circle.radiusMetres) {
        return this.#rows.read(context, found, wanted.limit);
      }
      tooSmall = radiusMetres;
      const growth = CIRCLE_MARGIN * Math.sqrt(wanted.limit / Math.max(found.length, 1));
      next = radiusMetres * Math.min(growth, CIRCLE_GROWTH_MAX);
      if (next >= tooLarge) next = Math.sqrt(tooSmall * tooLarge);
    }
    return undefined;
  }

  #findAll(context: Context): Run<unknown[]> {
    const candidates = this.#candidates(context);
    if (candidates !== undefined) return this.#rows.readSorted(context, candidates);
    const { account } = context;
    return this.#rows.readSorted(context, sql`(select number from listing_facets where account_id = ${account})`);
  }

  /** All candidates of the search's conditions, as a table; undefined if these are most of the account's listings. */
  #candidates(context: Context): Sql | undefined {
    const { account, accountId, search, terms } = context;
    const match = this.#index.matchAll(account, terms, true);
    if (match !== undefined) {
      return sql`(select rowid as number from listing_index where listing_index match ${match}
        union select number from unindexed_listings where account_id = ${account})`;
    }
    const tested = RANGE_COLUMNS.filter((name) => search.conditions.some(({ field }) => field === name));
    const inColumns = tested.map((name) => {
      const tests = search.conditions.filter(({ field }) => field === name);
      return sql`${this.#fromIndex(account, name)} and ${all(tests.map(isMet))}`;
    });
    const inRanges = terms.flatMap((condition) =>
      'from' in condition
        ? [
            sql`${this.#index.selectRange(account, condition)}
              union all select number from unindexed_listings where account_id = ${account}`,
          ]
        : [],
    );
    const counted = [...inColumns, ...inRanges].map((numbers) => ({ numbers, count: this.#count(numbers) }));
    const [fewest] = counted.sort((one, other) => one.count - other.count);
    if (fewest === undefined || fewest.count > MANY_SHARE * this.#countAll(accountId)) return undefined;
    return sql`(select distinct number from (${fewest.numbers}))`;
  }

  /** Counts matches without reading their rows; undefined if that is impossible. */
  #countInIndex(context: Context): number | undefined {
    const { account, search, terms, unindexed } = context;
    const { conditions, box, circle, words } = search;
    const [name] = RANGE_COLUMNS.filter((each) => each === conditions[0]?.field);
    const isOnlyRange = conditions.every(({ field }) => field === name) && words.length === 0;
    if (name !== undefined && isOnlyRange && box === undefined && circle === undefined) {
      return this.#count(sql`${this.#fromIndex(account, name)} and ${all(conditions.map(isMet))}`);
    }
    if (unindexed.length > 0 || !this.#isIndexExact(context)) return undefined;
    return this.#count(
      sql`select 1 from listing_index where listing_index match ${this.#index.matchAll(account, terms)}`,
    );
  }

  /** Whether `matchAll` finds only matches, except listings that have changed since they were indexed. */
  #isIndexExact({ account, search, terms }: Context): boolean {
    return areTermsExact(search) && terms.every((term) => this.#index.matchAll(account, [term]) !== undefined);
  }

  #count(rows: Sql): number {
    return Number(this.#queries.all(sql`select count(*) from (${rows})`)[0]?.[0]);
  }

  #isCounted({ conditions, box, circle, words }: Search): boolean {
    if (box !== undefined || circle !== undefined || words.length > 0) return false;
    return conditions.every(({ field }) => COUNTED_COLUMNS.has(field));
  }

  #countListings({ account, search }: Context): number {
    const query = this.#isCounted(search)
      ? sql`select coalesce(sum(count), 0) from listing_counts as facets`
      : sql`select count(*) from listing_facets as facets`;
    return Number(this.#queries.all(sql`${query} where account_id = ${account} and ${meets(search)}`)[0]?.[0]);
  }

  #numbers(query: Sql): number[] {
    return this.#queries.all(query).map(([number]) => Number(number));
  }
}

/** After a large import, a search by terms reads many listings that are not indexed yet. */
function hasManyUnindexed({ unindexed }: Context): boolean {
  return unindexed.length > QUICK_READ_MAX;
}

/** Above every number. */
const END = Number.MAX_SAFE_INTEGER;

/** The distance of a position in a list by distance. */
function toMetres(position: Position | undefined): number {
  if (position === undefined) return 0;
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Number(position.value) / DISTANCE_STEPS));
}

/** The rows of a page, read part by part. */
class Page {
  readonly run: Run<unknown[]> = { rows: [], isCut: false };
  readonly #limit: number;

  constructor({ limit }: Wanted) {
    this.#limit = limit;
  }

  /** How many rows are missing. */
  get rest(): number {
    return this.#limit - this.run.rows.length;
  }

  /** @returns whether the page is complete, or its texts are too long */
  add({ rows, isCut }: Run<unknown[]>): boolean {
    this.run.rows.push(...rows);
    this.run.isCut = isCut;
    return isCut || this.rest === 0;
  }
}

import sql, { join, raw, type Sql } from 'sql-template-tag';
import { ownTurn } from '../../lib/turns.ts';
import { isUnfiltered, type Search, type SearchColumn } from '../../model/search.ts';
import { hasTerms, type TermCondition, termConditions } from '../../model/search-terms.ts';
import type { Executor } from '../database.ts';
import { columnOf } from '../functions.ts';
import { type PackedRows, RUN_LENGTH, type Run } from '../runs.ts';
import {
  all,
  CLUSTER,
  comesAfter,
  hasNotMoved,
  inOrder,
  isMet,
  meets,
  sortValue,
  squaresFrom,
} from '../search-conditions.ts';
import {
  type Cluster,
  type DocsOptions,
  type FoundDoc,
  type ListingSearch,
  type PageOptions,
  type Position,
  type SearchOptions,
  type Totals,
  toCluster,
  toFoundDoc,
  toPosition,
  toTotals,
  type Wanted,
} from '../searches.ts';
import { type Query, type Result, withoutNul } from './connection.ts';
import type { Pool } from './pool.ts';
import { readPage } from './reads.ts';
import type { PostgresScans, ScanOptions } from './scans.ts';
import { TAG_LENGTH } from './sql.ts';

// How a search uses indexes:
// 1. Listings are read in the order of the list and checked. If no index has this order, as for a list by
//    distance, listings in a smaller circle are read.
// 2. If too few of these listings match, more are read in the same order, but only in a list by id, and only if
//    that would probably fill the page faster than step 3.
// 3. If the page is still not full, all listings that the conditions' indexes find are read and sorted.

/** Listings that the first query reads in the order of the list, in one to two milliseconds. */
const WALK_MAX = 500;
/**
 * Listings that the second query reads in the order of their ids. Fewer for a search with words, which are
 * compared with the words of each listing.
 */
const LONG_WALK_MAX = { withoutWords: 8_000, withWords: 2_000 };
/** The second query runs only if it is expected to find this many times the number of matches that the page needs. */
const LONG_WALK_MARGIN = 1.5;
/**
 * Reading a listing in the order of the ids takes this fraction of the time of reading one that the conditions'
 * indexes find: most listings with adjacent ids are on the same database page, and most others are not.
 */
const WALK_COST = 1 / 8;
/** Longer parts of a list are read in any order and then sorted, since reading in order takes longer per listing. */
const IN_ORDER_MAX = 1_001;
/** Positions that are packed per turn of the event loop, in about a millisecond. */
const PACKED_PER_TURN = 10 * RUN_LENGTH;
/** The first query of a list by distance reads a circle with this fraction of the radius. */
const NEAR_PART = 1 / 6;

/**
 * Makes the planner read an index in its order. Without statistics, as after fast growth, the planner would
 * otherwise read the whole account and sort it.
 */
const IN_INDEX_ORDER =
  '; set local enable_sort = off; set local enable_bitmapscan = off; set local enable_seqscan = off';

/**
 * The columns of the index `listing_facets_counts`. `count` does not check conditions on them by terms, because
 * terms would be compared for each match, which takes longer.
 */
const COUNTED: ReadonlySet<SearchColumn> = new Set<SearchColumn>(['status', 'beds', 'propertyType', 'baths']);

export class PostgresSearch implements ListingSearch<Executor> {
  readonly #pool: Pool;
  readonly #scans: PostgresScans;

  constructor(pool: Pool, scans: PostgresScans) {
    this.#pool = pool;
    this.#scans = scans;
  }

  async findPage(
    accountId: string,
    search: Search,
    wanted: Wanted & { bytesMax: number },
    { check, ...options }: PageOptions<Executor>,
  ): Promise<Run<FoundDoc>> {
    const read = (found: Sql) => withDocs(accountId, search, found, wanted.bytesMax);
    const first = firstMatches(accountId, search, wanted);
    if (first !== undefined) {
      const { rows } = await readPage(this.#pool, toQuery(read(first)), {
        accountId,
        settings: search.order.by === 'distance' ? '' : IN_INDEX_ORDER,
        limit: wanted.limit,
        signal: options.signal,
        check,
      });
      if (rows.length === wanted.limit || isUnfiltered(search) || isTooLong(rows)) return toRun(rows);
      const walkMax = LONG_WALK_MAX[search.words.length === 0 ? 'withoutWords' : 'withWords'];
      if (search.order.by === 'id' && (await this.#isWorthWalking(accountId, rows.length, wanted, walkMax))) {
        const more = () => read(firstInOrder(accountId, search, wanted, walkMax));
        const next = await this.#scan(accountId, more, { ...options, settings: IN_INDEX_ORDER });
        if (next.rows.length === wanted.limit || isTooLong(next.rows)) {
          await check?.();
          return toRun(next.rows);
        }
      }
    }
    const every = () => read(allMatches(accountId, search, wanted));
    const { rows } = await this.#scan(accountId, every, options);
    await check?.();
    return toRun(rows);
  }

  async findPositions(
    accountId: string,
    search: Search,
    wanted: Wanted,
    options: SearchOptions,
  ): Promise<PackedRows<Position>> {
    const isInOrder = isUnfiltered(search) && wanted.limit <= IN_ORDER_MAX;
    const found = () =>
      isInOrder
        ? sql`select id, value from (${inIndexOrder(accountId, search, wanted, WALK_MAX)}) as found order by ${inOrder(search)}`
        : allMatches(accountId, search, wanted);
    const settings = isInOrder ? IN_INDEX_ORDER : '';
    const { rows } = await this.#scan(accountId, found, { ...options, settings });
    const packs: (() => Position[])[] = [];
    for (let start = 0; start < rows.length; start += RUN_LENGTH) {
      if (start % PACKED_PER_TURN === 0 && start > 0) await ownTurn(accountId);
      const pack = Buffer.from(JSON.stringify(rows.slice(start, start + RUN_LENGTH)));
      packs.push(() => JSON.parse(pack.toString()).map(toPosition));
    }
    return { packs, count: rows.length };
  }

  async findDocs(
    accountId: string,
    search: Search,
    ids: readonly string[],
    { bytesMax, sequenceMax, ...options }: DocsOptions,
  ): Promise<{ docs: string[]; count: number }> {
    const find = () => sql`select place, case when coalesce(bytes_before, 0) <= ${bytesMax}::float8 then doc end from (
        select wanted.place, listings.doc, sum(octet_length(listings.doc))
          over (order by wanted.place rows between unbounded preceding and 1 preceding) as bytes_before
        from unnest(${ids}::text[]) with ordinality as wanted (id, place)
        cross join lateral (${byKey('listing_facets', accountId)}) as facets
        cross join lateral (${byKey('listings', accountId)}) as listings
        where ${meets(search)} and ${matchesTerms(accountId, wordsOf(search))} and ${hasNotMoved(accountId, search, sequenceMax)}
      ) as found order by place`;
    const { rows } = await this.#scan(accountId, find, options);
    const end = rows.findIndex(([, doc]) => doc === null);
    if (end === -1) return { docs: rows.map(([, doc]) => String(doc)), count: ids.length };
    return { docs: rows.slice(0, end).map(([, doc]) => String(doc)), count: Number(rows[end]?.[0]) - 1 };
  }

  async count(accountId: string, search: Search, options: SearchOptions): Promise<number> {
    const conditions = search.conditions.filter(({ field }) => !COUNTED.has(field));
    const count = () => sql`select count(*) from listing_facets as facets where account_id = ${accountId}
      and ${meets(search)} and ${matchesTerms(accountId, termConditions({ ...search, conditions }))}`;
    const { rows } = await this.#scan(accountId, count, options);
    return Number(rows[0]?.[0]);
  }

  async cluster(accountId: string, search: Search, sideDegrees: number, options: SearchOptions): Promise<Cluster[]> {
    const { column, row } = squaresFrom(sideDegrees);
    const group = () => sql`select ${CLUSTER} from listing_facets as facets where ${isMatch(accountId, search)}
      group by floor(${column}), floor(${row})`;
    const { rows } = await this.#scan(accountId, group, options);
    return rows.map(toCluster);
  }

  async countByStatus(accountId: string): Promise<Totals> {
    const counting = sql`select status, count(*) from listing_facets where account_id = ${accountId} group by status`;
    const newest = sql`select max(created_at) from listing_facets where account_id = ${accountId}`;
    const [counts, dates] = await Promise.all(
      [counting, newest].map((query) => this.#scan(accountId, () => query, {})),
    );
    return toTotals(counts?.rows ?? [], dates?.rows[0]);
  }

  /**
   * Whether reading more listings in order would probably fill the page, and in less time than reading all
   * matches. Estimates the share of matches from those that the first query found.
   */
  async #isWorthWalking(accountId: string, found: number, { limit }: Wanted, walkMax: number): Promise<boolean> {
    const share = found / WALK_MAX;
    if (share * walkMax < LONG_WALK_MARGIN * limit) return false;
    const count = sql`select listing_count from account_heads where account_id = ${accountId}`;
    const { rows } = await readPage(this.#pool, toQuery(count), { accountId, settings: '', limit: 1 });
    return (limit / share) * WALK_COST < share * Number(rows[0]?.[0]);
  }

  /** Builds the query only once it can run: the client may disconnect while the query waits. */
  #scan(accountId: string, build: () => Sql, options: ScanOptions): Promise<Result> {
    return this.#scans.run(accountId, () => toQuery(build()), options);
  }
}

/**
 * A query for the first matches, if they are near the beginning of the list; undefined for a list by distance
 * that is descending or starts after a position.
 */
function firstMatches(accountId: string, search: Search, wanted: Wanted): Sql | undefined {
  const { circle, order } = search;
  if (order.by !== 'distance') return firstInOrder(accountId, search, wanted, WALK_MAX);
  if (order.isDescending || circle === undefined || wanted.after !== undefined) return undefined;
  const inside = { ...search, circle: { ...circle, radiusMetres: circle.radiusMetres * NEAR_PART } };
  return allMatches(accountId, inside, wanted);
}

/** A query for the first matches among the first `readMax` listings of the list. */
function firstInOrder(accountId: string, search: Search, wanted: Wanted, readMax: number): Sql {
  const isMatching = sql`${meets(search)} and ${matchesTerms(accountId, wordsOf(search))}`;
  return sql`select id, value from (${inIndexOrder(accountId, search, wanted, readMax)}) as facets
    where ${isMatching} limit ${raw(String(wanted.limit))}`;
}

/** A query for the first listings of the list, matching or not, in parts that are each in the order of an index. */
function inIndexOrder(accountId: string, search: Search, { after, limit }: Wanted, readMax: number): Sql {
  const { order, conditions } = search;
  // Not a parameter: with one, the planner would expect to read a tenth of the account, and would not keep a
  // plan for all values.
  const firstMax = raw(String(isUnfiltered(search) ? limit : readMax));
  const value = sortValue(search);
  const isOlder = after === undefined ? sql`true` : sql`id < ${after.id}`;
  const select = (isWanted: Sql, sorting: string) =>
    sql`(select facets.*, ${value} as value from listing_facets as facets
      where account_id = ${accountId} and ${isWanted} order by ${raw(sorting)} limit ${firstMax})`;
  if (order.by === 'id') return select(isOlder, 'id desc');
  const name = columnOf(order.by as 'listPrice');
  const column = raw(name);
  // Ordered by the column as well, since the planner does not recognize that the index contains these listings
  // in the order of their ids.
  const newestFirst = `${name} desc, id desc`;
  const missing = select(sql`${column} is null and ${after?.value === null ? isOlder : sql`true`}`, newestFirst);
  if (after?.value === null) return missing;
  const bounds = conditions.filter(({ field, operator }) => field === order.by && operator !== 'in').map(isMet);
  const parts = bounds.length > 0 ? [] : [missing];
  if (order.isDescending) {
    const isAfter =
      after === undefined ? sql`${column} is not null` : sql`(${column}, id) < (${after.value}, ${after.id})`;
    parts.unshift(select(all([isAfter, ...bounds]), newestFirst));
  } else {
    const isBeyond = all([
      after === undefined ? sql`${column} is not null` : sql`${column} > ${after.value}`,
      ...bounds,
    ]);
    // No index has ties newest first in ascending order, so listings with the last value are read separately.
    const last = sql`(select max(${column}) from ${select(isBeyond, `${name}, id`)} as next)`;
    parts.unshift(
      ...(after === undefined ? [] : [select(sql`${column} = ${after.value} and ${isOlder}`, newestFirst)]),
      select(sql`${isBeyond} and ${column} < ${last}`, `${name}, id desc`),
      select(sql`${column} = ${last}`, newestFirst),
    );
  }
  // Without this limit, listings of one part could follow a part that was not read to its end.
  return sql`select * from (${join(parts, ' union all ')}) as listed limit ${firstMax}`;
}

/** A query that finds all matches and returns the first ones. */
function allMatches(accountId: string, search: Search, wanted: Wanted): Sql {
  // Materialized: otherwise, the planner may read the whole account in the order of the list, hoping for
  // early matches.
  return sql`with matches as materialized (
      select facets.id, ${sortValue(search)} as value from listing_facets as facets
      where ${isMatch(accountId, search)} and ${comesAfter(wanted.after, search)}
    ) select id, value from matches order by ${inOrder(search)} limit ${wanted.limit}`;
}

function isMatch(accountId: string, search: Search): Sql {
  const withTerms = search.conditions.filter(hasTerms);
  const conditions = search.conditions.filter((condition) => !hasTerms(condition));
  // `is true` changes no result, but keeps the planner from reading the indexes of columns whose terms it looks up.
  return sql`facets.account_id = ${accountId} and ${meets({ ...search, conditions })}
    and (${all(withTerms.map(isMet))}) is true and ${matchesTerms(accountId, termConditions(search))}`;
}

function wordsOf(search: Search): TermCondition[] {
  return termConditions(search).filter((condition) => 'prefix' in condition);
}

/** The only ASCII characters in terms are letters and digits, which are not special within quotes. */
function matchesTerms(accountId: string, conditions: TermCondition[]): Sql {
  const tag = accountId.slice(-TAG_LENGTH);
  const parts = conditions.flatMap((condition) => {
    if ('terms' in condition) return [`(${condition.terms.map((term) => `'${tag}${term}'`).join(' | ')})`];
    return 'prefix' in condition ? [`'${tag}${condition.prefix}':*`] : [];
  });
  return parts.length === 0 ? sql`true` : sql`facets.terms @@ cast(${parts.join(' & ')} as tsquery)`;
}

/** The limit makes the planner look up each id. Without statistics, it would read the whole account instead. */
function byKey(table: 'listings' | 'listing_facets', accountId: string): Sql {
  return sql`select * from ${raw(table)} where account_id = ${accountId} and id between wanted.id and wanted.id
    order by id limit 1`;
}

/** If the documents have more than `bytesMax` bytes in total, they are not read, and are null in the result. */
function withDocs(accountId: string, search: Search, found: Sql, bytesMax: number): Sql {
  return sql`with page as materialized (
      select id, value, (select doc from listings where account_id = ${accountId} and listings.id = found.id) as doc
      from (${found}) as found
    ) select id, value, case when sum(octet_length(doc)) over () <= ${bytesMax}::float8 then doc end
    from page order by ${inOrder(search)}`;
}

function isTooLong([first]: unknown[][]): boolean {
  return first?.[2] === null;
}

function toRun(rows: unknown[][]): Run<FoundDoc> {
  return isTooLong(rows) ? { rows: [], isCut: true } : { rows: rows.map(toFoundDoc), isCut: false };
}

function toQuery(query: Sql): Query {
  return { text: query.text, values: query.values.map(withoutNul) };
}

import sql, { raw, type Sql } from 'sql-template-tag';
import { isUnfiltered, type Search } from '../../model/search.ts';
import { type TermCondition, termConditions } from '../../model/search-terms.ts';
import { columnOf } from '../functions.ts';
import { type PackedRows, RUN_LENGTH, type Run } from '../runs.ts';
import { all, comesAfter, inOrder, isMet, meets, sortValue } from '../search-conditions.ts';
import {
  type FoundDoc,
  type ListingSearch,
  type Position,
  type SearchOptions,
  type Totals,
  toFoundDoc,
  toPosition,
  toTotals,
  type Wanted,
} from '../searches.ts';
import { type Query, withoutNul } from './connection.ts';
import type { Pool } from './pool.ts';
import type { ResultRun } from './read-run.ts';
import { readPage } from './reads.ts';
import type { PostgresScans } from './scans.ts';
import { TAG_LENGTH } from './sql.ts';

// How a search is answered from indexes:
// 1. Listings are read in the order of the list and checked. If the order has no index, such as by distance, listings
//    in a smaller circle are read.
// 2. If too few of these match, all listings that the conditions' indexes find are read and sorted.

/** Listings that the first query reads in the order of the list, in one to two milliseconds. */
const WALK_MAX = 500;
/** The first query of a list by distance reads a circle with this part of the radius. */
const NEAR_PART = 1 / 6;

/** Without statistics, such as after fast growth, the planner would read the whole account and sort it. */
const IN_INDEX_ORDER =
  '; set local enable_sort = off; set local enable_bitmapscan = off; set local enable_seqscan = off';

export class PostgresSearch implements ListingSearch {
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
    options: SearchOptions,
  ): Promise<Run<FoundDoc>> {
    const first = firstMatches(accountId, search, wanted);
    if (first !== undefined) {
      const { rows, isCut } = await readPage(this.#pool, toQuery(withDocs(accountId, search, first)), {
        accountId,
        settings: search.order.by === 'distance' ? '' : IN_INDEX_ORDER,
        ...wanted,
        ...options,
      });
      if (isCut || rows.length === wanted.limit || isUnfiltered(search)) return { rows: rows.map(toFoundDoc), isCut };
    }
    const every = withDocs(accountId, search, allMatches(accountId, search, wanted));
    const { rows, isCut } = await this.#scan(accountId, every, { ...options, bytesMax: wanted.bytesMax });
    return { rows: rows.map(toFoundDoc), isCut };
  }

  async findPositions(
    accountId: string,
    search: Search,
    wanted: Wanted,
    options: SearchOptions,
  ): Promise<PackedRows<Position>> {
    const { rows } = await this.#scan(accountId, allMatches(accountId, search, wanted), options);
    const packs: (() => Position[])[] = [];
    for (let start = 0; start < rows.length; start += RUN_LENGTH) {
      const pack = Buffer.from(JSON.stringify(rows.slice(start, start + RUN_LENGTH)));
      packs.push(() => JSON.parse(pack.toString()).map(toPosition));
    }
    return { packs, count: rows.length };
  }

  async findDocs(
    accountId: string,
    search: Search,
    ids: readonly string[],
    options: SearchOptions & { bytesMax: number },
  ): Promise<{ docs: string[]; count: number }> {
    const query = sql`select wanted.place, listings.doc
      from unnest(${ids}::text[]) with ordinality as wanted (id, place)
      inner join listing_facets as facets on facets.account_id = ${accountId} and facets.id = wanted.id
      inner join listings on listings.account_id = ${accountId} and listings.id = wanted.id
      where ${meets(search)} and ${hasTerms(accountId, wordsOf(search))} order by wanted.place`;
    const { rows, isCut } = await this.#scan(accountId, query, options);
    const docs = rows.map(([, doc]) => String(doc));
    return { docs, count: isCut ? Number(rows.at(-1)?.[0]) : ids.length };
  }

  async count(accountId: string, search: Search, options: SearchOptions): Promise<number> {
    const query = sql`select count(*) from listing_facets as facets where ${isMatch(accountId, search)}`;
    const { rows } = await this.#scan(accountId, query, options);
    return Number(rows[0]?.[0]);
  }

  async countByStatus(accountId: string): Promise<Totals> {
    const counting = sql`select status, count(*) from listing_facets where account_id = ${accountId} group by status`;
    const newest = sql`select max(created_at) from listing_facets where account_id = ${accountId}`;
    const [counts, dates] = await Promise.all([counting, newest].map((query) => this.#scan(accountId, query, {})));
    return toTotals(counts?.rows ?? [], dates?.rows[0]);
  }

  #scan(accountId: string, query: Sql, options: SearchOptions & { bytesMax?: number }): Promise<ResultRun> {
    return this.#scans.run(accountId, () => toQuery(query), options);
  }
}

/** The first matches, if they are near the beginning of the list; undefined if the list has no index. */
function firstMatches(accountId: string, search: Search, wanted: Wanted): Sql | undefined {
  const { circle, order } = search;
  if (order.by === 'distance') {
    if (order.isDescending || circle === undefined || wanted.after !== undefined) return undefined;
    const inside = { ...search, circle: { ...circle, radiusMetres: circle.radiusMetres * NEAR_PART } };
    return allMatches(accountId, inside, wanted);
  }
  const isMatching = sql`${meets(search)} and ${hasTerms(accountId, wordsOf(search))}`;
  return sql`select id, value from (${inIndexOrder(accountId, search, wanted)}) as facets
    where ${isMatching} limit ${wanted.limit}`;
}

/** The first listings of the list, matching or not, in two parts: those with a sort value, and those without. */
function inIndexOrder(accountId: string, search: Search, { after, limit }: Wanted): Sql {
  const { order, conditions } = search;
  const readMax = isUnfiltered(search) ? limit : WALK_MAX;
  const value = sortValue(search);
  const select = sql`select facets.*, ${value} as value from listing_facets as facets where account_id = ${accountId}`;
  const isOlder = after === undefined ? sql`true` : sql`id < ${after.id}`;
  if (order.by === 'id') return sql`${select} and ${isOlder} order by id desc limit ${readMax}`;
  const column = raw(columnOf(order.by as 'listPrice'));
  const [direction, beyond] = order.isDescending ? [raw('desc'), raw('<')] : [raw('asc'), raw('>')];
  const bounds = conditions.filter(({ field, operator }) => field === order.by && operator !== 'in').map(isMet);
  // Ordered by the column as well, since the planner does not see that the index has these listings in order of their ids.
  const missing = sql`(${select} and ${column} is null and ${after?.value === null ? isOlder : sql`true`}
    order by ${column} desc, id desc limit ${readMax})`;
  if (after?.value === null) return missing;
  const isAfter =
    after === undefined
      ? sql`${column} is not null`
      : sql`${column} ${beyond}= ${after.value} and (${column} ${beyond} ${after.value} or ${isOlder})`;
  const present = sql`(${select} and ${isAfter} and ${all(bounds)} order by ${column} ${direction}, id desc limit ${readMax})`;
  if (bounds.length > 0) return present;
  // Without this limit, listings without a value could follow others that were not read.
  return sql`select * from (${present} union all ${missing}) as listed limit ${readMax}`;
}

/** The first matches, found among all matches. */
function allMatches(accountId: string, search: Search, wanted: Wanted): Sql {
  // Materialized: otherwise, the planner may read the whole account in the order of the list, hoping for early matches.
  return sql`with matches as materialized (
      select facets.id, ${sortValue(search)} as value from listing_facets as facets
      where ${isMatch(accountId, search)} and ${comesAfter(wanted.after, search)}
    ) select id, value from matches order by ${inOrder(search)} limit ${wanted.limit}`;
}

function isMatch(accountId: string, search: Search): Sql {
  return sql`facets.account_id = ${accountId} and ${meets(search)} and ${hasTerms(accountId, termConditions(search))}`;
}

function wordsOf(search: Search): TermCondition[] {
  return termConditions(search).filter((condition) => 'prefix' in condition);
}

/** Terms contain no ASCII characters except letters and digits, none of which is special within quotes. */
function hasTerms(accountId: string, conditions: TermCondition[]): Sql {
  const tag = accountId.slice(-TAG_LENGTH);
  const parts = conditions.flatMap((condition) => {
    if ('terms' in condition) return [`(${condition.terms.map((term) => `'${tag}${term}'`).join(' | ')})`];
    return 'prefix' in condition ? [`'${tag}${condition.prefix}':*`] : [];
  });
  return parts.length === 0 ? sql`true` : sql`facets.terms @@ cast(${parts.join(' & ')} as tsquery)`;
}

function withDocs(accountId: string, search: Search, found: Sql): Sql {
  return sql`select id, value, (select doc from listings where account_id = ${accountId} and listings.id = found.id)
    from (${found}) as found order by ${inOrder(search)}`;
}

function toQuery(query: Sql): Query {
  return { text: query.text, values: query.values.map(withoutNul) };
}

import { type SqlBool, sql } from 'kysely';
import type { Order, Search } from '../model/search.ts';
import type { EngineSql, PackedRows, QueryBuild, QueryBuilder, Run, ScanOptions, Scans } from './database.ts';
import type { Tables } from './schema.ts';
import { comesAfter, isMatch, isStillMatch, type Position, sortValue } from './search-conditions.ts';

type SearchColumns = Tables['listing_facets'];

/** A listing that was found. */
export interface Found extends Position {
  /** Where its words stand in the index: another place if they change. */
  searchRow: number;
}

interface Wanted {
  /** Those that come after this one; without it, from the first. */
  after: Position | undefined;
  limit: number;
  signal?: AbortSignal;
}

/** The first of the account's listings that a search finds, in its order. Touches no document. */
export async function findFirst(scans: Scans, accountId: string, search: Search, wanted: Wanted): Promise<Found[]> {
  const { rows } = await scans.query(accountId, selectFound(accountId, search, wanted), wanted);
  return rows;
}

/** A listing that was found, and its JSON text. */
export interface FoundDoc extends Found {
  doc: string;
}

/** As `findFirst`, with their documents: for few. Ends with the listing with which those exceed `bytesMax`. */
export function findPage(
  scans: Scans,
  accountId: string,
  search: Search,
  wanted: Wanted & { bytesMax: number },
): Promise<Run<FoundDoc>> {
  const build: QueryBuild<FoundDoc> = (query, engine) =>
    query
      .selectFrom(selectFound(accountId, search, wanted)(query, engine).as('found'))
      .select((from) => [
        'found.id',
        'found.value',
        'found.searchRow',
        // Looked up for each that was found: a join might read the documents of all that match.
        from
          .selectFrom('listings')
          .select('doc')
          .where('account_id', '=', accountId)
          .whereRef('listings.id', '=', 'found.id')
          .$asScalar()
          .$notNull()
          .as('doc'),
      ])
      .orderBy('found.value', (order) => order[directionOf(search)]().nullsLast())
      .orderBy('found.id', 'desc');
  return scans.query(accountId, build, wanted);
}

/** As `findFirst`, for many that are to be read one after the other. */
export function findPacked(
  scans: Scans,
  accountId: string,
  search: Search,
  wanted: Wanted,
): Promise<PackedRows<Found>> {
  return scans.queryPacked(accountId, selectFound(accountId, search, wanted), { signal: wanted.signal, goesOn: true });
}

function selectFound(accountId: string, search: Search, { after, limit }: Wanted) {
  return (query: QueryBuilder, engine: EngineSql) => {
    const matching = isMatch(engine, accountId, search);
    const found = query
      .selectFrom(searchColumnsOf(engine, accountId, search.order).as('facets'))
      .select(['facets.id', sortValue(search).as('value'), 'facets.search_row as searchRow'])
      .where(after === undefined ? matching : sql<SqlBool>`${matching} and ${comesAfter(after, search)}`)
      .limit(limit);
    if (search.order.by === 'id') return found.orderBy('facets.id', 'desc');
    return found.orderBy('value', (order) => order[directionOf(search)]().nullsLast()).orderBy('facets.id', 'desc');
  };
}

function directionOf({ order }: Search) {
  return order.isDescending ? 'desc' : 'asc';
}

/** The account's facets. For the latest times first they are scanned from the newest id, as times grow with ids. */
function searchColumnsOf(engine: EngineSql, accountId: string, { by, isDescending }: Order) {
  const isLatestFirst = isDescending && (by === 'createdAt' || by === 'updatedAt');
  return isLatestFirst ? engine.searchColumnsNewestFirst(accountId) : sql<SearchColumns>`listing_facets`;
}

/**
 * The JSON texts of listings that were found, in their order; those that have been changed since and are no longer what
 * is searched are left out. Ends with the listing with which they exceed a mebibyte: `count` is how many it got to.
 */
export async function findDocs(
  scans: Scans,
  accountId: string,
  search: Search,
  found: readonly Found[],
  options: ScanOptions,
): Promise<{ docs: string[]; count: number }> {
  if (found.length === 0) return { docs: [], count: 0 };
  const keys = JSON.stringify(found.map(({ id, searchRow }) => [id, searchRow]));
  const { rows, isCut } = await scans.query<{ index: number; doc: string }>(
    accountId,
    (query, engine) =>
      query
        .selectFrom(engine.pairs(keys).as('wanted'))
        .crossJoin('listing_facets as facets')
        .crossJoin('listings')
        .select(['wanted.index', 'doc'])
        .where(isStillMatch(engine, accountId, search, sql.ref('wanted.searchRow')))
        .whereRef('facets.id', '=', 'wanted.id')
        .whereRef('listings.account_id', '=', 'facets.account_id')
        .whereRef('listings.id', '=', 'facets.id')
        .orderBy('wanted.index'),
    options,
  );
  const docs = rows.map(({ doc }) => doc);
  return { docs, count: isCut ? Number(rows.at(-1)?.index) + 1 : found.length };
}

/** How many of an account's listings have a status, and when the newest of them was created (RFC 3339). */
export interface StatusCount {
  status: string;
  count: number;
  newestAt: string;
}

export async function countByStatus(scans: Scans, accountId: string): Promise<StatusCount[]> {
  const { rows } = await scans.query<StatusCount>(accountId, (query) =>
    query
      .selectFrom('listing_facets')
      .select(({ fn }) => ['status', fn.countAll<number>().as('count'), fn.max('created_at').as('newestAt')])
      .where('account_id', '=', accountId)
      .groupBy('status'),
  );
  return rows;
}

/** How many of the account's listings a search finds. */
export async function countMatches(
  scans: Scans,
  accountId: string,
  search: Search,
  signal?: AbortSignal,
): Promise<number> {
  const build: QueryBuild<{ count: number }> = (query, engine) =>
    query
      .selectFrom('listing_facets as facets')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(isMatch(engine, accountId, search));
  const { rows } = await scans.query(accountId, build, { signal });
  return rows[0]?.count ?? 0;
}

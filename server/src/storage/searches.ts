import { type SqlBool, sql } from 'kysely';
import type { Order, Search } from '../model/search.ts';
import type { EngineSql, PackedRows, QueryBuild, QueryBuilder, Run, ScanOptions, Scans } from './database.ts';
import type { Tables } from './schema.ts';
import { comesAfter, isMatch, isStillMatch, type Position, sortValue } from './search-conditions.ts';

type SearchColumns = Tables['listing_facets'];

export interface Found extends Position {
  /** The index row of the listing's words, which changes whenever the words do. */
  searchRow: number;
}

interface Part {
  /** The position before the first match; undefined for the start. */
  after: Position | undefined;
  limit: number;
  signal?: AbortSignal;
}

/** The first matches of a search, in its order. Reads no documents. */
export async function findFirst(scans: Scans, accountId: string, search: Search, part: Part): Promise<Found[]> {
  const { rows } = await scans.query(accountId, selectFound(accountId, search, part), part);
  return rows;
}

/** A match with its JSON text. */
export interface FoundDoc extends Found {
  doc: string;
}

/** Like `findFirst`, but with documents, for short lists. Stops after the document that exceeds `bytesMax` in total. */
export function findPage(
  scans: Scans,
  accountId: string,
  search: Search,
  part: Part & { bytesMax: number },
): Promise<Run<FoundDoc>> {
  const build: QueryBuild<FoundDoc> = (query, engine) =>
    query
      .selectFrom(selectFound(accountId, search, part)(query, engine).as('found'))
      .select((from) => [
        'found.id',
        'found.value',
        'found.searchRow',
        // A subquery per match: a join might read the documents of all matches.
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
  return scans.query(accountId, build, part);
}

/** Like `findFirst`, but for many matches. */
export function findPacked(scans: Scans, accountId: string, search: Search, part: Part): Promise<PackedRows<Found>> {
  return scans.queryPacked(accountId, selectFound(accountId, search, part), { signal: part.signal, continues: true });
}

function selectFound(accountId: string, search: Search, { after, limit }: Part) {
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

/** Scans from the newest id for lists that begin with the latest time, since times increase with ids. */
function searchColumnsOf(engine: EngineSql, accountId: string, { by, isDescending }: Order) {
  const isLatestFirst = isDescending && (by === 'createdAt' || by === 'updatedAt');
  return isLatestFirst ? engine.searchColumnsNewestFirst(accountId) : sql<SearchColumns>`listing_facets`;
}

/**
 * The JSON texts of matches, in their order, without those that have changed and no longer match. If the texts are cut
 * at `bytesMax`, `count` is the number of matches covered.
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

export interface StatusCount {
  status: string;
  count: number;
  /** When the newest listing with the status was created (RFC 3339). */
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

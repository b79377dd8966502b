import { type SqlBool, sql } from 'kysely';
import type { Order, Search } from '../model/search.ts';
import { type PackedRows, type QueryBuild, RUN_BYTES_MAX, type Scans } from './database.ts';
import type { Tables } from './schema.ts';
import { comesAfter, isMatch, isStillMatch, type Position, sortValue } from './search-conditions.ts';

type Facets = Tables['listing_facets'];

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

/** As `findFirst`, for many that are to be read one after the other. */
export function findPacked(
  scans: Scans,
  accountId: string,
  search: Search,
  wanted: Wanted,
): Promise<PackedRows<Found>> {
  return scans.queryPacked(accountId, selectFound(accountId, search, wanted), wanted.signal);
}

function selectFound(accountId: string, search: Search, { after, limit }: Wanted): QueryBuild<Found> {
  const { by, isDescending } = search.order;
  const matching = isMatch(accountId, search);
  return (query) => {
    const found = query
      .selectFrom(facetsOf(accountId, search.order).as('facets'))
      .select(['facets.id', sortValue(search).as('value'), 'facets.search_row as searchRow'])
      .where(after === undefined ? matching : sql<SqlBool>`${matching} and ${comesAfter(after, search)}`)
      .limit(limit);
    if (by === 'id') return found.orderBy('facets.id', 'desc');
    const direction = isDescending ? 'desc' : 'asc';
    return found.orderBy('value', (order) => order[direction]().nullsLast()).orderBy('facets.id', 'desc');
  };
}

/**
 * The account's facets. For the latest times first they are scanned from the newest id, as times grow with ids: in their
 * own order each row would take the place of one that was kept, which takes three times as long.
 */
function facetsOf(accountId: string, { by, isDescending }: Order) {
  const isLatestFirst = isDescending && (by === 'createdAt' || by === 'updatedAt');
  if (!isLatestFirst) return sql<Facets>`listing_facets`;
  // The engine only heeds an order within that has a limit.
  return sql<Facets>`(select * from listing_facets where account_id = ${accountId} order by id desc limit -1)`;
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
  signal?: AbortSignal,
): Promise<{ docs: string[]; count: number }> {
  if (found.length === 0) return { docs: [], count: 0 };
  const keys = JSON.stringify(found.map(({ id, searchRow }) => [id, searchRow]));
  const { rows, isCut } = await scans.query<{ index: number; doc: string }>(
    accountId,
    (query) =>
      query
        .selectFrom(sql<{ key: number; rowid: number }>`json_each(${keys})`.as('wanted'))
        .crossJoin('listing_facets as facets')
        .crossJoin('listings')
        .select(['wanted.key as index', 'doc'])
        .where(isStillMatch(accountId, search, sql`wanted.value ->> 1`))
        .where('facets.id', '=', sql<string>`wanted.value ->> 0`)
        .whereRef('listings.account_id', '=', 'facets.account_id')
        .whereRef('listings.id', '=', 'facets.id')
        .orderBy('wanted.rowid'),
    { bytesMax: RUN_BYTES_MAX, signal },
  );
  const docs = rows.map(({ doc }) => doc);
  return { docs, count: isCut ? Number(rows.at(-1)?.index) + 1 : found.length };
}

/** How many of the account's listings have each status, and when the newest of them was created (RFC 3339). */
export async function countByStatus(scans: Scans, accountId: string) {
  const { rows } = await scans.query<{ status: string; count: number; newestAt: string }>(accountId, (query) =>
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
  const build: QueryBuild<{ count: number }> = (query) =>
    query
      .selectFrom('listing_facets as facets')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(isMatch(accountId, search));
  const { rows } = await scans.query(accountId, build, { signal });
  return rows[0]?.count ?? 0;
}

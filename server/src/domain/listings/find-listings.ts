import { iterate } from '../../lib/iterate.ts';
import { isUnfiltered, type Search } from '../../model/search.ts';
import { findListingCount } from '../../storage/account-heads.ts';
import type { Database } from '../../storage/database.ts';
import { findListingRun, findPageEnd, type ListingRun } from '../../storage/listing-runs.ts';
import type { Cluster } from '../../storage/searches.ts';
import { getLiveHead, type Principal } from '../access/principals.ts';
import { readFirst, runSize } from './run-size.ts';
import { type FoundListings, type PageRequest, searchListings } from './search-listings.ts';

/** @throws {AppError} `unauthorized` if access is lost, `unavailable`, or the reason of an aborted `signal` */
export function findListings(
  database: Database,
  principal: Principal,
  search: Search,
  request: PageRequest,
): Promise<FoundListings> {
  if (isUnfiltered(search) && search.order.by === 'id') return listNewest(database, principal, request);
  return searchListings(database, principal, search, request);
}

/** Counts all matches, including those before the page. @throws {AppError} as `findListings` does */
export async function countListings(
  database: Database,
  principal: Principal,
  search: Search,
  signal: AbortSignal,
): Promise<number> {
  if (isUnfiltered(search)) return findListingCount(database, principal.accountId);
  const count = await database.search.count(principal.accountId, search, { signal });
  await getLiveHead(database, principal);
  return count;
}

/** Groups the matches in the search's box by the squares of a grid. @throws {AppError} as `findListings` does */
export async function clusterListings(
  database: Database,
  principal: Principal,
  search: Search,
  sideDegrees: number,
  signal: AbortSignal,
): Promise<Cluster[]> {
  const clusters = await database.search.cluster(principal.accountId, search, sideDegrees, { signal });
  await getLiveHead(database, principal);
  return clusters;
}

/** All listings, newest first. A position in this list is a listing's id. */
async function listNewest(
  database: Database,
  principal: Principal,
  { after: afterId, limit, canBeStreamed, signal }: PageRequest,
): Promise<FoundListings> {
  const read = (size: ReturnType<typeof runSize>) =>
    findListingRun(database, principal.accountId, { afterId, signal, ...size });
  const first = await (limit === undefined ? read(runSize()) : readFirst(limit, canBeStreamed, read));
  const pageEnd = limit === undefined ? undefined : await findEnd(first, limit, principal, database);
  const isAll = first.nextAfterId === pageEnd;
  const rest = isAll ? undefined : readRest(database, principal, first, { untilId: pageEnd, signal });
  return { first: first.docs, rest, pageEnd };
}

/** The id of the page's last listing, which a header needs in advance; undefined if the list ends with this page. */
async function findEnd(first: ListingRun, limit: number, { accountId }: Principal, database: Database) {
  const { docs, nextAfterId } = first;
  if (nextAfterId === undefined || docs.length === limit) return nextAfterId;
  return findPageEnd(database, accountId, nextAfterId, limit - docs.length);
}

/** The listings after `first`, up to the id `untilId` if it is given. */
function readRest(
  database: Database,
  principal: Principal,
  first: ListingRun,
  { untilId, signal }: { untilId: string | undefined; signal: AbortSignal },
): AsyncIterable<readonly string[]> {
  let { nextAfterId: afterId, areLong } = first;
  return iterate(async () => {
    if (afterId === undefined || afterId === untilId) return undefined;
    const range = { afterId, untilId, areLong, signal, ...runSize() };
    const run = await findListingRun(database, principal.accountId, range);
    // Checked after reading, because the list of a deleted account would otherwise look complete.
    await getLiveHead(database, principal);
    ({ nextAfterId: afterId, areLong } = run);
    return run.docs;
  });
}

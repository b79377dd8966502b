import { iterate } from '../lib/iterate.ts';
import { isUnfiltered, type Search } from '../model/search.ts';
import { findListingCount } from '../storage/account-heads.ts';
import type { Database } from '../storage/database.ts';
import { findListingRun, findPageEnd, type ListingRun } from '../storage/listing-runs.ts';
import { countMatches } from '../storage/searches.ts';
import type { FoundListings, PageRequest } from './page-request.ts';
import { getLiveHead, type Principal } from './principals.ts';
import { readFirst, runSize } from './run-size.ts';
import { searchListings } from './search-listings.ts';

/**
 * The account's listings that a search finds, in its order.
 * @throws {AppError} `unauthorized` if the caller is out before all is read; `unavailable`; why `signal` aborts
 */
export function findListings(
  database: Database,
  principal: Principal,
  search: Search,
  request: PageRequest,
): Promise<FoundListings> {
  if (isUnfiltered(search) && search.order.by === 'id') return listNewest(database, principal, request);
  return searchListings(database, principal, search, request);
}

/** How many listings a search finds, wherever a page begins. @throws {AppError} as `findListings` */
export async function countListings(
  database: Database,
  principal: Principal,
  search: Search,
  signal: AbortSignal,
): Promise<number> {
  if (isUnfiltered(search)) return findListingCount(database, principal.accountId);
  const count = await countMatches(database.scans, principal.accountId, search, signal);
  await getLiveHead(database, principal);
  return count;
}

/** All of the account's listings, newest first; a place in this list is the id of a listing. */
async function listNewest(
  database: Database,
  principal: Principal,
  { after: afterId, limit, signal }: PageRequest,
): Promise<FoundListings> {
  const read = (size: ReturnType<typeof runSize>) =>
    findListingRun(database, principal.accountId, { afterId, signal, ...size });
  const first = await (limit === undefined ? read(runSize()) : readFirst(limit, read));
  const pageEnd = limit === undefined ? undefined : await findEnd(first, limit, principal, database);
  const isAll = first.nextAfterId === pageEnd;
  const rest = isAll ? undefined : readRest(database, principal, first, { untilId: pageEnd, signal });
  return { first: first.docs, rest, pageEnd };
}

/** The id of a page's last listing if more come after it. It stands in a header, before what was not read yet. */
async function findEnd(first: ListingRun, limit: number, { accountId }: Principal, database: Database) {
  const { docs, nextAfterId } = first;
  if (nextAfterId === undefined || docs.length === limit) return nextAfterId;
  return findPageEnd(database, accountId, nextAfterId, limit - docs.length);
}

/** What comes after a run: all up to the listing with the id `untilId`, or all the rest. */
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
    // After reading: an account that was deleted before would end the list as if it were whole.
    await getLiveHead(database, principal);
    ({ nextAfterId: afterId, areLong } = run);
    return run.docs;
  });
}

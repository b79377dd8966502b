import type { KeyHolder } from '../storage/api-keys.ts';
import type { Database } from '../storage/database.ts';
import { findListingRun, findPageEnd, type ListingRun } from '../storage/listing-runs.ts';
import { isKeyAlive, keyGone } from './api-keys.ts';

/** Listings read at a time for the complete list; fewer if they are large. */
const RUN_LENGTH = 250;

/** Listings in their order, as the JSON texts that are stored. */
export interface FoundListings {
  first: readonly string[];
  /** What comes after the first ones, read run by run as it is asked for; undefined if nothing does. */
  rest: AsyncIterable<readonly string[]> | undefined;
  /** The last one's id if these are a page and more come after it. */
  pageEndId: string | undefined;
}

/** Which of the account's listings, newest first. */
interface Wanted {
  /** Those that come after this one; without it, from the newest. */
  afterId: string | undefined;
  /** How many make a page; without it, all. */
  limit: number | undefined;
}

/**
 * The account's listings, newest first.
 * @throws {AppError} `unauthorized`, while the rest is read, if the key was deleted meanwhile
 */
export async function findListings(
  database: Database,
  holder: KeyHolder,
  { afterId, limit }: Wanted,
): Promise<FoundListings> {
  const first = await findListingRun(database, holder.accountId, { afterId, limit: limit ?? RUN_LENGTH });
  const pageEndId = limit === undefined ? undefined : await findEnd(first, limit, holder, database);
  const isAll = first.nextAfterId === pageEndId;
  const rest = isAll ? undefined : readRest(first.nextAfterId, pageEndId, holder, database);
  return { first: first.docs, rest, pageEndId };
}

/** The id of a page's last listing if more come after it. It stands in a header, before what was not read yet. */
async function findEnd(first: ListingRun, limit: number, { accountId }: KeyHolder, database: Database) {
  const { docs, nextAfterId, isCut } = first;
  if (nextAfterId === undefined || !isCut) return nextAfterId;
  return findPageEnd(database, accountId, nextAfterId, limit - docs.length);
}

/** What comes after a listing: all up to the one with the id `untilId`, or all the rest. */
async function* readRest(
  startAfterId: string | undefined,
  untilId: string | undefined,
  holder: KeyHolder,
  database: Database,
): AsyncGenerator<readonly string[]> {
  let afterId = startAfterId;
  while (afterId !== undefined && afterId !== untilId) {
    const run = await findListingRun(database, holder.accountId, { afterId, untilId, limit: RUN_LENGTH });
    // After reading: an account that was deleted before would end the list as if it were whole.
    if (!(await isKeyAlive(database, holder))) throw keyGone();
    yield run.docs;
    afterId = run.nextAfterId;
  }
}

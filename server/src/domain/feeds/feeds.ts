import { isDeepStrictEqual } from 'node:util';
import { createId } from '../../lib/ids.ts';
import { AppError } from '../../model/errors.ts';
import { type FeedSettings, lateSince } from '../../model/feeds.ts';
import { withoutServerFields } from '../../model/listings.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findSomeOfFeed } from '../../storage/feed-listings.ts';
import { findLastRuns, findRun, findRuns, findRunsOfFeed, type StoredRun } from '../../storage/feed-runs.ts';
import { findFeed, findFeeds, removeFeed, renewLease, type StoredFeed, updateSettings } from '../../storage/feeds.ts';
import { auditFeed } from '../access/audit.ts';
import { makeChanged, readStored } from '../writing/save-listing.ts';
import { type CurrentListing, storeDeleted, storeUpdated } from '../writing/write-path.ts';
import {
  type Actor,
  findEarlierResult,
  type IdempotentRequest,
  type WriteResult,
  type Writing,
  write,
} from '../writing/writing.ts';
import { feedBusy, LEASE_MS, occupyFeed, RUN_ID_PREFIX } from './feed-lease.ts';
import { removeRuns } from './feed-purge.ts';

export interface ShownFeed extends StoredFeed {
  lastRun: StoredRun | undefined;
  /** When the feed became late because no run had succeeded within the expected time; null if it is not late. */
  lateSince: number | null;
}

export async function listFeeds(executor: Executor, accountId: string): Promise<ShownFeed[]> {
  const feeds = await findFeeds(executor, accountId);
  const runs = new Map((await findLastRuns(executor, accountId)).map((run) => [run.id, run]));
  return feeds.map((feed) => toShown(feed, runs.get(feed.runId ?? '')));
}

/** @throws {AppError} `not_found` */
export async function getFeed(executor: Executor, accountId: string, name: string): Promise<ShownFeed> {
  const feed = await getStored(executor, accountId, name);
  const run = feed.runId === null ? undefined : await findRun(executor, accountId, name, feed.runId);
  return toShown(feed, run);
}

async function getStored(executor: Executor, accountId: string, name: string): Promise<StoredFeed> {
  const feed = await findFeed(executor, accountId, name);
  if (feed !== undefined) return feed;
  throw new AppError('not_found', 'There is no feed with this name in the account; sending its first file creates it.');
}

function toShown(feed: StoredFeed, run: StoredRun | undefined): ShownFeed {
  return { ...feed, lastRun: run && withoutLost(run, feed), lateSince: lateSince(feed.settings, feed, Date.now()) };
}

/** Shows a run whose lease has expired as interrupted, even before that outcome is stored. */
function withoutLost(run: StoredRun, { runId, leaseUntil }: StoredFeed): StoredRun {
  const isHeld = runId === run.id && leaseUntil !== null && leaseUntil > Date.now();
  return run.outcome === 'running' && !isHeld ? { ...run, outcome: 'interrupted', finishedAt: leaseUntil } : run;
}

/** @throws {AppError} `not_found` */
export async function getRun(executor: Executor, accountId: string, name: string, id: string): Promise<StoredRun> {
  const feed = await getStored(executor, accountId, name);
  const run = await findRun(executor, accountId, name, id);
  if (run === undefined) throw new AppError('not_found', 'There is no run with this id; runs are kept for 90 days.');
  return withoutLost(run, feed);
}

/** A page of a feed's runs, newest first, and whether the page is the last one. @throws {AppError} `not_found` */
export async function listRuns(
  executor: Executor,
  accountId: string,
  name: string,
  before: string | undefined,
  options: { limit: number; bytesMax: number },
): Promise<{ runs: StoredRun[]; isLast: boolean }> {
  const feed = await getStored(executor, accountId, name);
  const { rows, isCut } = await findRuns(executor, accountId, name, before, { ...options, limit: options.limit + 1 });
  const isLast = rows.length <= options.limit && !isCut;
  return { runs: rows.slice(0, options.limit).map((run) => withoutLost(run, feed)), isLast };
}

/** Changes a feed's settings. @throws {AppError} `not_found`, or what `change` and `write` throw */
export async function changeFeed(
  database: Database,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  name: string,
  change: (settings: FeedSettings) => FeedSettings,
): Promise<WriteResult<ShownFeed>> {
  const { accountId, user } = actor;
  const { isReplayed } = await write(database, actor, idempotency, async ({ transaction }) => {
    const { settings } = await getStored(transaction, accountId, name);
    const changed = change(settings);
    if (isDeepStrictEqual(settings, changed)) return true;
    await updateSettings(transaction, accountId, name, { settings: JSON.stringify(changed) });
    await auditFeed(transaction, user, 'feed.updated', { name });
    return true;
  });
  return { outcome: await getFeed(database, accountId, name), isReplayed };
}

/** Listings, failed rows, or runs per transaction. */
const SLICE_LENGTH = 50;

/**
 * Deletes a feed in slices. No run can begin while the deletion holds the feed's lease. A second call completes
 * an interrupted deletion.
 * @throws {AppError} `not_found`, `feed_busy`, or what `write` throws
 */
export async function deleteFeed(
  database: Database,
  actor: Actor,
  idempotency: IdempotentRequest | undefined,
  name: string,
  listings: 'keep' | 'delete',
): Promise<WriteResult<boolean>> {
  const { accountId, user } = actor;
  const deletionId = createId(RUN_ID_PREFIX);
  const { outcome: earlier } = await write(database, actor, undefined, async ({ transaction }) => {
    const earlier = idempotency && (await findEarlierResult<boolean>(transaction, actor, idempotency));
    if (earlier !== undefined) return earlier;
    await occupyFeed(transaction, accountId, await getStored(transaction, accountId, name), deletionId);
    return undefined;
  });
  if (earlier !== undefined) return earlier;
  const requireLease = async ({ transaction }: Pick<Writing, 'transaction'>) => {
    const isHeld = await renewLease(transaction, accountId, name, deletionId, Date.now() + LEASE_MS);
    if (!isHeld) throw feedBusy(name, (await findFeed(transaction, accountId, name))?.runId ?? null);
  };
  let lastSequence: number | undefined;
  const inSlices = async (remove: (writing: Writing) => Promise<number>) => {
    for (let removed = SLICE_LENGTH; removed === SLICE_LENGTH; ) {
      const { outcome, sequence = lastSequence } = await write(database, actor, undefined, async (writing) => {
        await requireLease(writing);
        return remove(writing);
      });
      lastSequence = sequence;
      removed = outcome;
    }
  };
  await inSlices((writing) => removeSomeListings(writing, name, listings));
  await inSlices(async ({ transaction }) => {
    const runs = await findRunsOfFeed(transaction, accountId, name, SLICE_LENGTH);
    return removeRuns(transaction, accountId, runs, SLICE_LENGTH);
  });
  const result = await write(database, actor, idempotency, async ({ transaction }) => {
    await requireLease({ transaction });
    await removeFeed(transaction, accountId, name);
    await auditFeed(transaction, user, 'feed.deleted', { name, words: `listings: ${listings}` });
    return true;
  });
  return lastSequence === undefined ? result : { ...result, sequence: lastSequence };
}

async function removeSomeListings(writing: Writing, name: string, listings: 'keep' | 'delete'): Promise<number> {
  const some = await findSomeOfFeed(writing.transaction, writing.account.id, name, SLICE_LENGTH);
  for (const current of some.map(readStored)) {
    await (listings === 'delete' ? storeDeleted(writing, current) : release(writing, current));
  }
  return some.length;
}

async function release(writing: Writing, current: CurrentListing): Promise<void> {
  const { listing: before } = current;
  const { listing, changes } = makeChanged(writing, before, withoutServerFields(before), null);
  const changed = Object.keys(changes);
  await storeUpdated(writing, { current, listing, changed, changes: JSON.stringify(changes) });
}

import { firstIdAt } from '../../lib/ids.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { removeFailures } from '../../storage/feed-errors.ts';
import {
  countRuns,
  findOldestStored,
  findOldRuns,
  forgetStored,
  removeRun,
  sumStoredBytes,
} from '../../storage/feed-runs.ts';
import { forEachAccount } from '../events/event-purge.ts';
import { RUN_ID_PREFIX } from './feed-lease.ts';

/** How long runs and their failed rows are kept, as documented in the API's contract. */
const RUNS_KEPT_MS = 90 * 24 * 60 * 60 * 1000;
/** Maximum numbers of runs and of bytes of failed rows per account, because a client could begin any number of runs. */
const RUNS_MAX = 50_000;
const STORED_BYTES_MAX = 256 * 1024 * 1024;
/** Failed rows or runs per transaction. */
const SLICE_LENGTH = 100;

/**
 * Removes runs older than 90 days. In accounts above the limits, also removes the oldest runs, or the oldest
 * runs' failed rows. `now` is in UTC milliseconds.
 */
export async function purgeFeedRuns(database: Database, now: number, signal: AbortSignal): Promise<void> {
  const before = firstIdAt(RUN_ID_PREFIX, now - RUNS_KEPT_MS);
  await forEachAccount(database, signal, (accountId) => purgeAccount(database, accountId, before, signal));
}

async function purgeAccount(database: Database, accountId: string, before: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await findOldRuns(database, accountId, before, 1)).length > 0) {
    await database.write((transaction) => removeSomeRuns(transaction, accountId, before, SLICE_LENGTH), accountId);
  }
  while (!signal.aborted && (await countRuns(database, accountId)) > RUNS_MAX) {
    await database.write((transaction) => removeSomeRuns(transaction, accountId, ALL, SLICE_LENGTH), accountId);
  }
  await limitStored(database, accountId, signal);
}

/** Removes the failed rows of an account's oldest runs, until all failed rows of the account are within the limit. */
export async function limitStored(database: Database, accountId: string, signal: AbortSignal): Promise<void> {
  let excess = (await sumStoredBytes(database, accountId)) - STORED_BYTES_MAX;
  while (!signal.aborted && excess > 0) {
    const oldest = await findOldestStored(database, accountId);
    if (oldest === undefined) return;
    await forgetFailures(database, accountId, oldest.id);
    excess -= oldest.storedBytes;
  }
}

/** Sorts after every run's id. */
const ALL = `${RUN_ID_PREFIX}~`;

async function removeSomeRuns(
  transaction: Executor,
  accountId: string,
  before: string,
  limit: number,
): Promise<number> {
  return removeRuns(transaction, accountId, await findOldRuns(transaction, accountId, before, limit), limit);
}

/** Removes runs and their failed rows. @returns the number of removed rows and runs, at most `limit` */
export async function removeRuns(
  transaction: Executor,
  accountId: string,
  runs: readonly { id: string }[],
  limit: number,
): Promise<number> {
  let removed = 0;
  for (const { id } of runs) {
    removed += await removeFailures(transaction, accountId, id, limit - removed);
    if (removed >= limit) return limit;
    await removeRun(transaction, accountId, id);
    removed += 1;
  }
  return removed;
}

/** Removes up to `limit` runs and failed rows of an account that is being deleted. @returns how many were removed */
export function removeAllRuns(transaction: Executor, accountId: string, limit: number): Promise<number> {
  return removeSomeRuns(transaction, accountId, ALL, limit);
}

async function forgetFailures(database: Database, accountId: string, runId: string): Promise<void> {
  const remove = () =>
    database.write((transaction) => removeFailures(transaction, accountId, runId, SLICE_LENGTH), accountId);
  while ((await remove()) === SLICE_LENGTH);
  await database.write((transaction) => forgetStored(transaction, accountId, runId), accountId);
}

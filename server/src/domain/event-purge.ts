import { setImmediate as nextTurn } from 'node:timers/promises';
import { findAccountIds } from '../storage/accounts.ts';
import type { Database, Executor } from '../storage/database.ts';
import { findOldestEvents, removeEvents } from '../storage/events.ts';

/** The contract's promise; who comes later lists again. */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** What is removed in one transaction: a millisecond, or a few for a listing of a mebibyte. */
const SLICE_LENGTH = 200;
const SLICE_BYTES_MAX = 256 * 1024;
const ACCOUNTS_LENGTH = 100;

/** Removes the events of all accounts that are older than 30 days, until `signal` aborts. */
export async function purgeEvents(database: Database, signal: AbortSignal): Promise<void> {
  const before = Date.now() - EVENTS_KEPT_MS;
  let accountIds = await findAccountIds(database, '', ACCOUNTS_LENGTH);
  while (accountIds.length > 0) {
    for (const accountId of accountIds) {
      if (signal.aborted) return;
      await purgeAccount(database, accountId, before, signal);
      await nextTurn();
    }
    accountIds = await findAccountIds(database, accountIds.at(-1) ?? '', ACCOUNTS_LENGTH);
  }
}

async function purgeAccount(database: Database, accountId: string, before: number, signal: AbortSignal): Promise<void> {
  // Nearly all accounts have nothing to remove, as their first event says without a transaction.
  while (!signal.aborted && (await countOldEvents(database, accountId, before, 1)) > 0) {
    await database.write(async (transaction) => {
      const count = await countOldEvents(transaction, accountId, before, SLICE_LENGTH);
      await removeEvents(transaction, accountId, count);
    }, accountId);
  }
}

/**
 * How many of the account's first events are to be removed: none behind one that is kept, whatever the clock has done.
 * What is left has no gap, and who needs an event that is gone can see that it is.
 */
async function countOldEvents(
  transaction: Executor,
  accountId: string,
  before: number,
  limit: number,
): Promise<number> {
  const times = await findOldestEvents(transaction, accountId, limit, SLICE_BYTES_MAX);
  const kept = times.findIndex((time) => time >= before);
  return kept < 0 ? times.length : kept;
}

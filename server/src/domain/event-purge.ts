import { setImmediate as nextTurn } from 'node:timers/promises';
import { findAccountIds } from '../storage/accounts.ts';
import type { Database, Executor } from '../storage/database.ts';
import { findOldestEvents, removeEvents } from '../storage/events.ts';

/** How long events are stored, as documented in the API's contract. */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** Events per transaction. Removing them takes one millisecond, or a few if a listing has 1 MiB. */
const SLICE_LENGTH = 200;
const SLICE_BYTES_MAX = 256 * 1024;
const ACCOUNTS_LENGTH = 100;

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
  // Nearly all accounts have nothing to remove, which reading one event shows without a transaction.
  while (!signal.aborted && (await countOldEvents(database, accountId, before, 1)) > 0) {
    await database.write(async (transaction) => {
      const count = await countOldEvents(transaction, accountId, before, SLICE_LENGTH);
      await removeEvents(transaction, accountId, count);
    }, accountId);
  }
}

/**
 * Counts the account's oldest events up to the first one to keep. Even if the clock was changed, the
 * remaining events have no gap, and readers can detect that earlier ones are gone.
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

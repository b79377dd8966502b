import { setImmediate as nextTurn } from 'node:timers/promises';
import { findAccountIds } from '../storage/accounts.ts';
import type { Database, Executor } from '../storage/database.ts';
import { findOldestEvents, removeEvents } from '../storage/events.ts';

/** The contract's promise. */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** Limits of one transaction: a millisecond, or a few for a listing of 1 MiB. */
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
  // Their first event shows, without a transaction, that nearly all accounts have nothing to
  // remove.
  while (!signal.aborted && (await countOldEvents(database, accountId, before, 1)) > 0) {
    await database.write(async (transaction) => {
      const count = await countOldEvents(transaction, accountId, before, SLICE_LENGTH);
      await removeEvents(transaction, accountId, count);
    }, accountId);
  }
}

/**
 * Counts the account's first events before the first one to keep. Whatever the clock did, the rest
 * has no gap, and a reader can tell that earlier events are gone.
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

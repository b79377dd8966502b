import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS, dayOf } from '../../lib/times.ts';
import { subtractBytes } from '../../storage/account-heads.ts';
import { findAccountIds } from '../../storage/accounts.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findOldestEvents, type OldEvent, removeEvents } from '../../storage/events.ts';
import { removeFormer, removeFormerDoc } from '../../storage/history.ts';

/**
 * The number of UTC days before the current day whose events are kept. `usage` counts the changes of whole days, so
 * events are kept for up to a day longer than the 30 days of the API's contract.
 */
export const EVENTS_KEPT_DAYS = 30;
/** Events per transaction. Removing them takes one millisecond, or a few milliseconds if a listing has 1 MiB. */
const SLICE_LENGTH = 200;
const SLICE_BYTES_MAX = 256 * 1024;
const ACCOUNTS_LENGTH = 100;

/** Removes expired events, and the parts of histories that expire with them. `now` is in UTC milliseconds. */
export async function purgeEvents(database: Database, now: number, signal: AbortSignal): Promise<void> {
  const before = (dayOf(now) - EVENTS_KEPT_DAYS) * DAY_MS;
  await forEachAccount(database, signal, (accountId) => purgeAccount(database, accountId, before, signal));
}

/** Runs `work` for one account after another, each in its own event-loop turn. */
export async function forEachAccount(
  database: Database,
  signal: AbortSignal,
  work: (accountId: string) => Promise<void>,
): Promise<void> {
  let accountIds = await findAccountIds(database, '', ACCOUNTS_LENGTH);
  while (accountIds.length > 0) {
    for (const accountId of accountIds) {
      if (signal.aborted) return;
      await work(accountId);
      await nextTurn();
    }
    accountIds = await findAccountIds(database, accountIds.at(-1) ?? '', ACCOUNTS_LENGTH);
  }
}

async function purgeAccount(database: Database, accountId: string, before: number, signal: AbortSignal): Promise<void> {
  // Checked without a transaction, because most accounts have nothing to remove.
  while (!signal.aborted && (await findOldEvents(database, accountId, before, 1)).length > 0) {
    await database.write(async (transaction) => {
      const events = await findOldEvents(transaction, accountId, before, SLICE_LENGTH);
      await purge(transaction, accountId, events);
    }, accountId);
  }
}

/**
 * Returns the account's oldest events, up to the first one that must be kept. Even if the clock was changed,
 * the remaining events have no gaps, so readers can detect that earlier events were removed.
 */
async function findOldEvents(
  transaction: Executor,
  accountId: string,
  before: number,
  limit: number,
): Promise<OldEvent[]> {
  const events = await findOldestEvents(transaction, accountId, limit);
  const kept = events.findIndex(({ createdAt }) => createdAt >= before);
  return kept < 0 ? events : events.slice(0, kept);
}

/**
 * Removes the account's oldest events and, with each event, the document of the version that the change
 * replaced. Removing the event of a deletion also removes the listing's history. Stops early after removing
 * enough for one transaction.
 */
export async function purge(transaction: Executor, accountId: string, events: readonly OldEvent[]): Promise<void> {
  let removed = { events: 0, entries: 0, bytes: 0 };
  for (const event of events) {
    const left = SLICE_LENGTH - removed.entries;
    if (left === 0 || removed.bytes > SLICE_BYTES_MAX) break;
    const gone = await removeWith(transaction, accountId, event, left);
    const isLast = gone.entries === left;
    removed = {
      events: removed.events + (isLast ? 0 : 1),
      entries: removed.entries + gone.entries,
      bytes: removed.bytes + gone.bytes,
    };
  }
  if (removed.bytes > 0) await subtractBytes(transaction, accountId, removed.bytes);
  await removeEvents(transaction, accountId, removed.events);
}

/** Removes the parts of a listing's history that expire with an event, at most `limit` entries. */
async function removeWith(
  transaction: Executor,
  accountId: string,
  { type, listingId, replaced, bytes }: OldEvent,
  limit: number,
): Promise<{ entries: number; bytes: number }> {
  if (type === 'listing.deleted') {
    const { count, bytes: counted } = await removeFormer(transaction, accountId, listingId, limit);
    return { entries: count, bytes: counted };
  }
  if (replaced !== null && bytes !== null) await removeFormerDoc(transaction, accountId, listingId, replaced);
  return { entries: 0, bytes: bytes ?? 0 };
}

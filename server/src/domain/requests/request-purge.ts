import { DAY_MS } from '../../lib/times.ts';
import { firstBlockIdAt, type Retention } from '../../model/request-log.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Database, LogDatabase } from '../../storage/database.ts';
import {
  findAccountWithRequests,
  findOldestRequestBlock,
  removeOldestRequestBlocks,
  removeRequestBlocks,
  sumRequestBytes,
} from '../../storage/request-blocks.ts';

/** Blocks per statement, which take at most about 6 MiB in total. */
const PURGE_LENGTH = 50;
const AFTER_ALL = '~';

/**
 * Removes the oldest logged requests until the log is within its limits; without `retention`, removes all of
 * them. `now` is in UTC milliseconds.
 */
export async function purgeRequestLog(
  { requestLog }: Database,
  retention: Retention | undefined,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const before = retention ? firstBlockIdAt(now - retention.days * DAY_MS) : AFTER_ALL;
  await removeOldest(requestLog, before, Number.POSITIVE_INFINITY, signal);
  if (retention === undefined) return;
  const [total] = await sumRequestBytes(requestLog);
  await removeOldest(requestLog, AFTER_ALL, (total?.bytes ?? 0) - retention.bytes, signal);
}

/** Removes the oldest blocks with ids below `before`, until at least `excess` bytes are removed. */
async function removeOldest(requestLog: LogDatabase, before: string, excess: number, signal: AbortSignal) {
  let left = excess;
  while (left > 0 && !signal.aborted && (await hasRequests(requestLog))) {
    const removed = await requestLog.write((transaction) =>
      removeOldestRequestBlocks(transaction, before, PURGE_LENGTH),
    );
    if (removed.length === 0) return;
    for (const { bytes } of removed) left -= bytes;
  }
}

/** Checked before a write, because a write would create a file for the log. */
async function hasRequests(requestLog: LogDatabase): Promise<boolean> {
  return (await findOldestRequestBlock(requestLog)) !== undefined;
}

export async function removeRequests(requestLog: LogDatabase, accountId: string): Promise<void> {
  let removed = PURGE_LENGTH;
  while (removed === PURGE_LENGTH && (await hasRequests(requestLog)))
    removed = await requestLog.write((transaction) => removeRequestBlocks(transaction, accountId, PURGE_LENGTH));
}

/** Removes the logged requests of deleted accounts, such as requests that ended after the deletion. */
export async function purgeRequestsOfDeletedAccounts(database: Database, signal: AbortSignal): Promise<void> {
  const { requestLog } = database;
  let afterId = '';
  while (!signal.aborted) {
    const next = await findAccountWithRequests(requestLog, afterId);
    if (next === undefined) return;
    afterId = next.accountId;
    if ((await findAccount(database, afterId)) === undefined) await removeRequests(requestLog, afterId);
  }
}

import { timeOfId } from '../../lib/ids.ts';
import { DAY_MS, dayOf } from '../../lib/times.ts';
import type { EventType } from '../../model/listings.ts';
import type { ListedAccount } from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import { findOldestRequestBlock } from '../../storage/request-blocks.ts';
import { countEventsByDay } from '../../storage/usage.ts';
import { countRequestsByDay } from './request-history.ts';

/** A range of UTC days, including the first and the last, as days since 1970. */
export interface UsageRange {
  from: number;
  to: number;
  /** The first day that the request log keeps completely; undefined if the log is off. */
  requestsFrom: number | undefined;
}

export interface UsageDay extends Record<Count, number> {
  accountId: string;
  account: string;
  /** The UTC date, such as `2026-11-24`. */
  day: string;
  /** The number of listings at the end of the day, or the current number for today. */
  listings: number;
  /** The current number of stored bytes for today; null for earlier days. */
  bytes: number | null;
  /** The number of requests with a key; null if the request log may lack some of them. */
  requests: number | null;
}

type Count = 'created' | 'updated' | 'deleted';
const TYPE_OF: Record<EventType, Count> = {
  'listing.created': 'created',
  'listing.updated': 'updated',
  'listing.deleted': 'deleted',
};

/** Each account's usage on each day of the range, oldest first. */
export async function findUsage(
  database: Database,
  accounts: readonly ListedAccount[],
  range: UsageRange,
): Promise<UsageDay[]> {
  const { requestsFrom } = range;
  const oldest = requestsFrom === undefined ? undefined : await findOldestRequestBlock(database.requestLog);
  const loggedSince = oldest ? timeOfId(oldest.id) : Number.POSITIVE_INFINITY;
  const days: UsageDay[] = [];
  for (const account of accounts) days.push(...(await findUsageOf(database, account, range, loggedSince)));
  return days;
}

/** The log has all requests since `loggedSince` (UTC milliseconds), and may have lost all earlier ones. */
async function findUsageOf(
  database: Database,
  account: ListedAccount,
  range: UsageRange,
  loggedSince: number,
): Promise<UsageDay[]> {
  const { id: accountId, name, bytes, createdAt } = account;
  const today = dayOf(Date.now());
  const { requestsFrom } = range;
  const [events, requests] = await Promise.all([
    countEventsByDay(database, accountId, range.from * DAY_MS),
    requestsFrom === undefined ? new Map<number, number>() : countRequestsByDay(database.requestLog, accountId, range),
  ]);
  const isLoggedOn = (day: number) => createdAt >= loggedSince || day < dayOf(createdAt) || day > dayOf(loggedSince);
  const days: UsageDay[] = [];
  let { listings } = account;
  for (let day = today; day >= range.from; day -= 1) {
    const counts = { created: 0, updated: 0, deleted: 0 };
    for (const row of events) if (row.day === day) counts[TYPE_OF[row.type]] += row.events;
    const isLogged = requestsFrom !== undefined && day >= requestsFrom && isLoggedOn(day);
    days.push({
      accountId,
      account: name,
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      listings,
      ...counts,
      bytes: day === today ? bytes : null,
      requests: isLogged ? (requests.get(day) ?? 0) : null,
    });
    listings += counts.deleted - counts.created;
  }
  return days.slice(today - range.to).reverse();
}

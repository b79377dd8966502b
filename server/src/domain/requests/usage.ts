import { DAY_MS } from '../../lib/times.ts';
import type { EventType } from '../../model/listings.ts';
import type { ListedAccount } from '../../storage/accounts.ts';
import type { Database } from '../../storage/database.ts';
import { countEventsByDay } from '../../storage/usage.ts';
import { countRequestsByDay, findOldestDay } from './request-history.ts';

/** Maximum number of days in the past for which usage is available. Events are kept at least this long. */
export const USAGE_DAYS_MAX = 30;

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

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/** Each account's usage on each day of the range, oldest first. */
export async function findUsage(
  database: Database,
  accounts: readonly ListedAccount[],
  range: UsageRange,
): Promise<UsageDay[]> {
  const { requestsFrom } = range;
  const oldestDay = requestsFrom === undefined ? undefined : await findOldestDay(database.requestLog);
  const days: UsageDay[] = [];
  for (const account of accounts) days.push(...(await findUsageOf(database, account, range, oldestDay)));
  return days;
}

/** `oldestDay` is the day of the log's oldest request. */
async function findUsageOf(
  database: Database,
  account: ListedAccount,
  range: UsageRange,
  oldestDay: number | undefined,
): Promise<UsageDay[]> {
  const { id: accountId, name, bytes, createdAt } = account;
  const today = dayOf(Date.now());
  const { requestsFrom } = range;
  const [events, requests] = await Promise.all([
    countEventsByDay(database, accountId, range.from * DAY_MS),
    requestsFrom === undefined ? new Map<number, number>() : countRequestsByDay(database.requestLog, accountId, range),
  ]);
  const days: UsageDay[] = [];
  let { listings } = account;
  for (let day = today; day >= range.from; day -= 1) {
    const counts = { created: 0, updated: 0, deleted: 0 };
    for (const row of events) if (row.day === day) counts[TYPE_OF[row.type]] += row.events;
    const isKept = requestsFrom !== undefined && day >= requestsFrom;
    const isLogged = isKept && hasAllRequests(day, dayOf(createdAt), oldestDay ?? today);
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

/**
 * Whether the log has all of an account's requests on a day. The log may have begun, or lost its oldest requests,
 * during its oldest day, so that day counts only for accounts that are as new as the log.
 */
function hasAllRequests(day: number, createdDay: number, oldestDay: number): boolean {
  return day > oldestDay || day < createdDay || (day === oldestDay && day === createdDay);
}

import { STATUSES } from '../model/listings.ts';
import type { Webhook } from '../model/webhooks.ts';
import { listApiKeys } from '../storage/api-keys.ts';
import type { Database } from '../storage/database.ts';
import { findKeyHours, type KeyHour } from '../storage/key-hours.ts';
import type { Totals } from '../storage/searches.ts';
import { listWebhooks } from '../storage/webhooks.ts';
import { nameKeys, type UsedKey } from './keys/key-names.ts';
import { firstHourShown } from './keys/key-use.ts';

/** The contents of the dashboard's first page. */
export interface Overview {
  total: number;
  byStatus: Record<string, number>;
  /** The creation time of the newest listing (RFC 3339). */
  lastListingAt: string | null;
  /** The use of the account's keys, by key and hour. */
  hours: KeyHour[];
  usedKeys: UsedKey[];
  keyCount: number;
  /** Endpoints that are failing, or that were disabled because they failed. */
  failingWebhooks: Webhook[];
}

/** @throws {AppError} `unavailable` */
export async function getOverview(database: Database, accountId: string, counting: Promise<Totals>): Promise<Overview> {
  const [{ byStatus: counts, newestAt }, hours, keys, webhooks] = await Promise.all([
    counting,
    findKeyHours(database.scans, accountId, firstHourShown()),
    listApiKeys(database, accountId),
    listWebhooks(database, accountId),
  ]);
  const counted = new Map(counts.map(({ status, count }) => [status, count]));
  const byStatus = Object.fromEntries(STATUSES.map((status) => [status, counted.get(status) ?? 0]));
  return {
    total: counts.reduce((sum, { count }) => sum + count, 0),
    byStatus,
    lastListingAt: newestAt,
    hours,
    usedKeys: await nameKeys(database, accountId, new Set(hours.map(({ keyId }) => keyId)), firstHourShown()),
    keyCount: keys.length,
    failingWebhooks: webhooks.filter(({ failingSince, disabledAt }) => failingSince !== null || disabledAt !== null),
  };
}

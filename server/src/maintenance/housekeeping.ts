import type { Logger } from 'pino';
import { purgeEvents } from '../domain/events/event-purge.ts';
import { endLostRuns } from '../domain/feeds/feed-lease.ts';
import { countLateFeeds } from '../domain/feeds/feed-metrics.ts';
import { purgeFeedRuns } from '../domain/feeds/feed-purge.ts';
import { purgeKeyUse } from '../domain/keys/key-use.ts';
import { purgeRequestLog, purgeRequestsOfDeletedAccounts } from '../domain/requests/request-purge.ts';
import { purgeDeliveries } from '../domain/webhooks/webhook-purge.ts';
import { purgeIdempotencyRecords } from '../domain/writing/idempotency.ts';
import { hasClockJumped } from '../lib/clock.ts';
import { areMetricsEnabled } from '../lib/metrics.ts';
import type { Retention } from '../model/request-log.ts';
import type { Database } from '../storage/database.ts';
import { removeExpired } from '../storage/expired.ts';
import { schedule } from './schedule.ts';

const PURGE_INTERVAL_MS = 60_000;
/** Deleted data stays in the write-ahead log for at most this time. */
const LOG_INTERVAL_MS = 600_000;
/** Long, since each purge reads every account. */
const EVENT_PURGE_INTERVAL_MS = 600_000;
/** Until then, a lost run is only shown as interrupted. */
const LOST_RUNS_INTERVAL_MS = 30_000;
/** For the metric of late feeds. */
const LATE_FEEDS_INTERVAL_MS = 60_000;
const FEED_PURGE_INTERVAL_MS = 3_600_000;
/** Expired sign-ins are rejected long before they are removed. */
const SIGN_IN_PURGE_INTERVAL_MS = 3_600_000;
/** Only requests that end during a deletion are left for it. */
const DELETED_PURGE_INTERVAL_MS = 3_600_000;

/**
 * Removes expired data. One process does this for all, although several could do it safely. Nothing
 * is removed within an hour of a clock change.
 * @returns functions that stop the schedules
 */
export function scheduleHousekeeping(
  database: Database,
  logger: Logger,
  retention: Retention | undefined,
): (() => Promise<void>)[] {
  const purge = (what: string, intervalMs: number, work: (signal: AbortSignal) => Promise<void>) =>
    schedule(`purge ${what}`, intervalMs, async (signal) => (hasClockJumped() ? undefined : work(signal)), logger);
  return [
    purge('retries', PURGE_INTERVAL_MS, (signal) => purgeIdempotencyRecords(database, signal)),
    purge('key use', PURGE_INTERVAL_MS, (signal) => purgeKeyUse(database, signal)),
    purge('sign-ins', SIGN_IN_PURGE_INTERVAL_MS, () =>
      database.write((transaction) => removeExpired(transaction, Date.now())),
    ),
    purge('events', EVENT_PURGE_INTERVAL_MS, (signal) => purgeEvents(database, signal)),
    purge('feed runs', FEED_PURGE_INTERVAL_MS, (signal) => purgeFeedRuns(database, signal)),
    ...(areMetricsEnabled()
      ? [schedule('count late feeds', LATE_FEEDS_INTERVAL_MS, () => countLateFeeds(database), logger)]
      : []),
    schedule('end lost feed runs', LOST_RUNS_INTERVAL_MS, () => endLostRuns(database), logger),
    purge('deliveries', EVENT_PURGE_INTERVAL_MS, (signal) => purgeDeliveries(database, signal)),
    purge('request log', PURGE_INTERVAL_MS, (signal) => purgeRequestLog(database, retention, signal)),
    purge('requests of deleted accounts', DELETED_PURGE_INTERVAL_MS, (signal) =>
      purgeRequestsOfDeletedAccounts(database, signal),
    ),
    purge('log', LOG_INTERVAL_MS, async () => database.truncateLog?.()),
  ];
}

import type { Logger } from 'pino';
import { purgeEvents } from '../domain/events/event-purge.ts';
import { endLostRuns } from '../domain/feeds/feed-lease.ts';
import { countLateFeeds } from '../domain/feeds/feed-metrics.ts';
import { purgeFeedRuns } from '../domain/feeds/feed-purge.ts';
import { purgeKeyUse } from '../domain/keys/key-use.ts';
import { purgeRequestLog, purgeRequestsOfDeletedAccounts } from '../domain/requests/request-purge.ts';
import { purgeDeliveries } from '../domain/webhooks/webhook-purge.ts';
import { purgeIdempotencyRecords } from '../domain/writing/idempotency.ts';
import { trustedNow } from '../lib/clock.ts';
import { areMetricsEnabled } from '../lib/metrics.ts';
import type { Retention } from '../model/request-log.ts';
import type { Database } from '../storage/database.ts';
import { removeExpired } from '../storage/expired.ts';
import { schedule } from './schedule.ts';

const PURGE_INTERVAL_MS = 60_000;
/** Deleted data stays in the write-ahead log for about this time. */
const LOG_INTERVAL_MS = 600_000;
/** The interval is long, because each purge reads every account. */
const EVENT_PURGE_INTERVAL_MS = 600_000;
/** Until the next check, a lost run is shown as interrupted, but that outcome is not stored. */
const LOST_RUNS_INTERVAL_MS = 30_000;
/** How often the metric of late feeds is updated. */
const LATE_FEEDS_INTERVAL_MS = 60_000;
const FEED_PURGE_INTERVAL_MS = 3_600_000;
/** The interval can be long, because expired sign-ins are rejected even before they are removed. */
const SIGN_IN_PURGE_INTERVAL_MS = 3_600_000;
/** Few logged requests remain: those that ended after the account's deletion, or that the deletion could not remove. */
const DELETED_PURGE_INTERVAL_MS = 3_600_000;

/**
 * Removes expired data. One process does this for all processes, although several could do it safely. Nothing
 * is removed for an hour after the clock has jumped.
 * @returns functions that stop the schedules
 */
export function scheduleHousekeeping(
  database: Database,
  logger: Logger,
  retention: Retention | undefined,
): (() => Promise<void>)[] {
  // The work must not read the clock again, because the clock could have jumped by then.
  const purge = (what: string, intervalMs: number, work: (now: number, signal: AbortSignal) => Promise<void>) =>
    schedule(
      `purge ${what}`,
      intervalMs,
      async (signal) => {
        const now = trustedNow();
        if (now !== undefined) await work(now, signal);
      },
      logger,
    );
  return [
    purge('idempotency records', PURGE_INTERVAL_MS, (now, signal) => purgeIdempotencyRecords(database, now, signal)),
    purge('key use', PURGE_INTERVAL_MS, (now, signal) => purgeKeyUse(database, now, signal)),
    purge('sign-ins', SIGN_IN_PURGE_INTERVAL_MS, (now) =>
      database.write((transaction) => removeExpired(transaction, now)),
    ),
    purge('events', EVENT_PURGE_INTERVAL_MS, (now, signal) => purgeEvents(database, now, signal)),
    purge('feed runs', FEED_PURGE_INTERVAL_MS, (now, signal) => purgeFeedRuns(database, now, signal)),
    ...(areMetricsEnabled()
      ? [schedule('count late feeds', LATE_FEEDS_INTERVAL_MS, () => countLateFeeds(database), logger)]
      : []),
    schedule('end lost feed runs', LOST_RUNS_INTERVAL_MS, () => endLostRuns(database), logger),
    purge('deliveries', EVENT_PURGE_INTERVAL_MS, (now, signal) => purgeDeliveries(database, now, signal)),
    purge('request log', PURGE_INTERVAL_MS, (now, signal) => purgeRequestLog(database, retention, now, signal)),
    schedule(
      'purge requests of deleted accounts',
      DELETED_PURGE_INTERVAL_MS,
      (signal) => purgeRequestsOfDeletedAccounts(database, signal),
      logger,
    ),
    schedule('purge log', LOG_INTERVAL_MS, async () => database.truncateLog?.(), logger),
  ];
}

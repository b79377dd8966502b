import { createCounter, createGauge } from '../../lib/metrics.ts';
import { type FeedOutcome, lateSince } from '../../model/feeds.ts';
import type { Database } from '../../storage/database.ts';
import { findEveryFeed } from '../../storage/feeds.ts';

const runs = createCounter<'outcome'>({
  name: 'property_listings_feed_runs_total',
  help: 'Finished feed runs by outcome.',
  labels: ['outcome'],
});

/** The number of late feeds in all accounts, as of the last count; undefined before the first. */
let late: number | undefined;
createGauge({
  name: 'property_listings_feeds_late',
  help: 'Feeds without a successful run within the expected time.',
  aggregator: 'max',
}).watch(() => [[{}, late]]);

export function countRun(outcome: FeedOutcome): void {
  runs.add({ outcome });
}

const PAGE_LENGTH = 500;

export async function countLateFeeds(database: Database): Promise<void> {
  const now = Date.now();
  let count = 0;
  let after: [accountId: string, name: string] = ['', ''];
  for (;;) {
    const page = await findEveryFeed(database, ...after, PAGE_LENGTH);
    count += page.filter((feed) => lateSince(feed.settings, feed, now) !== null).length;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_LENGTH) break;
    after = [last.accountId, last.name];
  }
  late = count;
}

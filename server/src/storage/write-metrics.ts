import { createHistogram } from '../lib/metrics.ts';

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const waits = createHistogram({
  name: 'property_listings_write_wait_seconds',
  help: 'Time that a write waited before it began to run in a transaction.',
  buckets: BUCKETS,
});

const commits = createHistogram({
  name: 'property_listings_commit_duration_seconds',
  help: 'Time that a commit took, including the sync to disk or the response of the server.',
  buckets: BUCKETS,
});

export function measureWait(startTimeMs: number): void {
  waits.observe({}, (performance.now() - startTimeMs) / 1_000);
}

export function measureCommit(startTimeMs: number): void {
  commits.observe({}, (performance.now() - startTimeMs) / 1_000);
}

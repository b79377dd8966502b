import type { TellProgress } from '../storage/rebuild.ts';

/** A migration that takes less time is not described. */
const FIRST_AFTER_MS = 1_000;
const INTERVAL_MS = 5_000;
/** Creating the indexes, after the last listing, takes about this share of the time for the listings. */
const INDEX_SHARE = 0.3;

/** Describes the progress of a migration now and then. */
export function describeMigration(say: (message: string) => unknown): TellProgress {
  let startMs: number | undefined;
  let nextMs = 0;
  return async ({ done, total }) => {
    const nowMs = performance.now();
    if (startMs === undefined) {
      startMs = nowMs;
      nextMs = nowMs + FIRST_AFTER_MS;
    }
    if (nowMs < nextMs) return;
    nextMs = nowMs + INTERVAL_MS;
    const leftMs = ((nowMs - startMs) * (total * (1 + INDEX_SHARE) - done)) / done;
    const [donePart, all] = [done, total].map((count) => count.toLocaleString('en-US'));
    await say(`migrating the database: ${donePart} of ${all} listings, about ${Math.ceil(leftMs / 1_000)} s left`);
  };
}

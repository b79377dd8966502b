import type { TellProgress } from '../storage/rebuild.ts';

/** Migrations of fewer listings are not announced. */
const LISTINGS_MIN = 10_000;
/** The remaining time is shown once the speed has been measured for this long. */
const MEASURED_MS = 1_000;
const INTERVAL_MS = 5_000;
/** Creating the indexes after the last listing takes about this share of the time that the listings take. */
const INDEX_SHARE = 0.3;

/** Creates a function that describes the progress of a migration every few seconds. */
export function describeMigration(say: (message: string) => unknown): TellProgress {
  let startMs: number | undefined;
  let nextMs = 0;
  return async ({ done, total }) => {
    const nowMs = performance.now();
    startMs ??= nowMs;
    if (total < LISTINGS_MIN || nowMs < nextMs) return;
    const isMeasured = nowMs - startMs >= MEASURED_MS;
    nextMs = nowMs + (isMeasured ? INTERVAL_MS : MEASURED_MS);
    const leftMs = ((nowMs - startMs) * (total * (1 + INDEX_SHARE) - done)) / done;
    const left = isMeasured ? `, about ${Math.ceil(leftMs / 1_000)} s left` : '';
    const [donePart, all] = [done, total].map((count) => count.toLocaleString('en-US'));
    await say(`migrating the database: ${donePart} of ${all} listings${left}`);
  };
}

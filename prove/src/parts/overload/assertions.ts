import assert from 'node:assert/strict';
import type { FloodReport } from './order.ts';

/** Of all sent. A busy machine may keep a few waiting. */
const DEPARTED_SHARE_MAX = 0.005;

/** Every request gets a valid response on an open connection. */
export function assertHonest({ faultCount, faults, lost, departed, due, unsent }: FloodReport): void {
  assert.equal(faultCount, 0, `${faultCount} replies are not what they must be: ${faults.join('; ')}`);
  assert.deepEqual(lost, {}, `connections ended before the reply: ${JSON.stringify(lost)}`);
  assert.ok(departed <= (due - unsent) * DEPARTED_SHARE_MAX, `${departed} requests were never answered`);
}

/**
 * The queue lasts a second and is served at half speed; busy machines take longer, and an unbounded
 * queue many times as long.
 */
const ACCEPTED_P99_MAX_MS = 5_000;

/** The queue is bounded. */
export function assertShed(report: FloodReport): void {
  assertRefuses(report);
  const { p99Ms } = report;
  assert.ok(p99Ms <= ACCEPTED_P99_MAX_MS, `accepted requests waited: p99 ${p99Ms.toFixed(0)} ms`);
}

/** Some requests were rejected. */
export function assertRefuses({ statuses, due, slowestMs }: FloodReport): void {
  const refused = statuses[503] ?? 0;
  assert.ok(refused > 0, `none of ${due} requests was refused, and one was answered after ${slowestMs.toFixed(0)} ms`);
}

import assert from 'node:assert/strict';
import type { FloodReport } from './order.ts';

/** Of those that were sent. A machine with other work may keep a few waiting. */
const DEPARTED_SHARE_MAX = 0.005;

/** Each reply is what it must be, each request has one, and no connection was ended by the service. */
export function assertHonest({ faultCount, faults, lost, departed, due, unsent }: FloodReport): void {
  assert.equal(faultCount, 0, `${faultCount} replies are not what they must be: ${faults.join('; ')}`);
  assert.deepEqual(lost, {}, `connections ended before the reply: ${JSON.stringify(lost)}`);
  assert.ok(departed <= (due - unsent) * DEPARTED_SHARE_MAX, `${departed} requests were never answered`);
}

/**
 * Of those that are answered with much more than can be done: the line may stand for a second, and what is in it is done at
 * half of the speed. On a machine with other work it takes longer; in a line without an end, many times as long.
 */
const ACCEPTED_P99_MAX_MS = 5_000;

/** Nobody is let wait in a line without an end. */
export function assertShed(report: FloodReport): void {
  assertRefuses(report);
  const { p99Ms } = report;
  assert.ok(p99Ms <= ACCEPTED_P99_MAX_MS, `who was accepted waited: p99 ${p99Ms.toFixed(0)} ms`);
}

/** Too much was asked, and some were told so. */
export function assertRefuses({ statuses, due, slowestMs }: FloodReport): void {
  const refused = statuses[503] ?? 0;
  assert.ok(refused > 0, `none of ${due} requests was refused, and one was answered after ${slowestMs.toFixed(0)} ms`);
}

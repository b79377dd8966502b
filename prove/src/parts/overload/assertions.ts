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

/** Too much was asked, and some were told so. */
export function assertRefuses({ statuses, due, slowestMs }: FloodReport): void {
  const refused = statuses[503] ?? 0;
  assert.ok(refused > 0, `none of ${due} requests was refused, and one was answered after ${slowestMs.toFixed(0)} ms`);
}

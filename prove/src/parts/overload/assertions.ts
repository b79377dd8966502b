import assert from 'node:assert/strict';
import type { FloodReport } from './order.ts';

/** Each reply is what it must be, and no connection was ended by the service. */
export function assertHonest({ faultCount, faults, lost }: FloodReport): void {
  assert.equal(faultCount, 0, `${faultCount} replies are not what they must be: ${faults.join('; ')}`);
  assert.deepEqual(lost, {}, `requests have no reply: ${JSON.stringify(lost)}`);
}

/** Too much was asked, and some were told so. */
export function assertRefuses({ statuses, due, slowestMs }: FloodReport): void {
  const refused = statuses[503] ?? 0;
  assert.ok(refused > 0, `none of ${due} requests was refused, and one was answered after ${slowestMs.toFixed(0)} ms`);
}

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import { countSockets } from '../../sockets.ts';
import type { Siege } from './visitors.ts';

/** Some have just been turned away and are coming again: they are looked for so often. */
const LOOKS_MAX = 20;
const LOOK_INTERVAL_MS = 100;
const HELD_SHARE_MIN = 0.95;

/** @returns how many connections the service has in the middle of the time, of those whom it lets stay so long */
export async function assertHeld(
  service: ServeProcess,
  sieges: readonly Siege[],
  { seconds, othersCount }: { seconds: number; othersCount: number },
): Promise<string> {
  await sleep((seconds * 1_000) / 2);
  // Of those who are let stay until now: in the small form they may go while it is looked again.
  const promised = sieges.reduce((sum, siege) => sum + countPromised(siege), 0);
  let held = 0;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    assert.ok(!hasEnded(service.child), `the service has ended: ${service.stderr()}`);
    held = countSockets(service) - othersCount;
    if (held >= promised * HELD_SHARE_MIN) return `${held} of ${promised}`;
    await sleep(LOOK_INTERVAL_MS);
  }
  assert.fail(`the service holds only ${held} of ${promised} connections at half-time`);
}

function countPromised({ crowd, visitors }: Siege): number {
  if (crowd.isStubborn) return crowd.count;
  const oldestMs = performance.now() - crowd.stayMs;
  return visitors.filter(({ openedAtMs }) => openedAtMs > oldestMs).length;
}

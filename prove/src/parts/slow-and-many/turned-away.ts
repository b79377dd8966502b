import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import { until } from '../../../../testkit/src/until.ts';
import { countSockets } from '../../service.ts';
import { DEAF_ID, type Siege, type Visitor } from './phases.ts';

/** Longer than any timeout: a client that does not read is cut after 150 s, twice the service's idle timeout. */
const DEADLINE_MS = { full: 200_000, small: 20_000 };

/** Asserts that the service closes every connection, with a response where possible. */
export async function assertTurnedAway(
  service: ServeProcess,
  sieges: readonly Siege[],
  size: 'full' | 'small',
  socketsBefore: number,
): Promise<void> {
  const deaf = sieges.filter(({ crowd }) => crowd.isDeaf).flatMap(({ visitors }) => visitors);
  const countCut = () =>
    service.log.filter(({ requestId, aborted }) => requestId === DEAF_ID && aborted === true).length;
  const isGone = () =>
    sieges.every(({ crowd, visitors }) => crowd.isDeaf || visitors.every(isClosed)) &&
    countCut() === deaf.length &&
    countSockets(service.child.pid) <= socketsBefore;
  const deadlineMs = performance.now() + DEADLINE_MS[size];
  const isOver = () => hasEnded(service.child) || isGone() || performance.now() > deadlineMs;
  await until('all connections are closed', isOver, 2 * DEADLINE_MS[size]);
  assert.ok(!hasEnded(service.child), `the service has ended: ${service.stderr()}`);
  for (const { crowd, visitors, missed } of sieges) {
    assert.equal(missed.length, 0, `${missed.length} could not reconnect (${crowd.name}): ${missed[0]}`);
    if (crowd.isDeaf) continue;
    const open = visitors.filter((visitor) => !isClosed(visitor)).length;
    assert.equal(open, 0, `${open} of ${crowd.count} connections stay open forever (${crowd.name})`);
    const isRight = ({ text, openedAtMs, closedAtMs = 0 }: Visitor) =>
      crowd.name === 'idle'
        ? text.startsWith('HTTP/1.1 200 ') && closedAtMs - openedAtMs >= crowd.stayMs
        : text.startsWith('HTTP/1.1 408 ');
    const wrong = visitors.filter((visitor) => !isRight(visitor));
    const words = `${wrong.length} of ${crowd.count} were disconnected incorrectly (${crowd.name}): ${wrong[0]?.text}`;
    assert.equal(wrong.length, 0, words);
  }
  assert.equal(countCut(), deaf.length, `${countCut()} of ${deaf.length} that never read were disconnected`);
  const left = countSockets(service.child.pid) - socketsBefore;
  assert.ok(left <= 0, `${left} connections remain open`);
}

function isClosed({ closedAtMs }: Visitor): boolean {
  return closedAtMs !== undefined;
}

/** How often connections are counted until enough are open, because visitors may be connecting again. */
const LOOKS_MAX = 20;
const LOOK_INTERVAL_MS = 100;
const HELD_SHARE_MIN = 0.95;

/** @returns how many connections are open halfway through, and how many the service must keep that long */
export async function assertHeld(
  service: ServeProcess,
  sieges: readonly Siege[],
  { seconds, othersCount }: { seconds: number; othersCount: number },
): Promise<string> {
  await sleep((seconds * 1_000) / 2);
  // Count this first: in the small form, timeouts can expire while open connections are counted repeatedly.
  const promised = sieges.reduce((sum, siege) => sum + countPromised(siege), 0);
  let held = 0;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    assert.ok(!hasEnded(service.child), `the service has ended: ${service.stderr()}`);
    held = countSockets(service.child.pid) - othersCount;
    if (held >= promised * HELD_SHARE_MIN) return `${held} of ${promised}`;
    await sleep(LOOK_INTERVAL_MS);
  }
  assert.fail(`the service holds only ${held} of ${promised} connections halfway through`);
}

function countPromised({ crowd, visitors }: Siege): number {
  if (crowd.isStubborn) return crowd.count;
  const oldestMs = performance.now() - crowd.stayMs;
  return visitors.filter(({ openedAtMs }) => openedAtMs > oldestMs).length;
}

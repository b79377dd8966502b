import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { hasClockJumped } from '../../src/lib/clock.ts';

const HOUR_MS = 60 * 60 * 1000;

test('a clock that is set is noticed, forward and back, for an hour; one that goes on is not', (t) => {
  let [passedMs, setMs] = [performance.now(), 0];
  const startMs = Date.now() - passedMs;
  t.mock.method(performance, 'now', () => passedMs);
  t.mock.method(Date, 'now', () => startMs + passedMs + setMs);
  t.after(() => mock.restoreAll());
  assert.equal(hasClockJumped(), false);
  passedMs += 10 * HOUR_MS;
  assert.equal(hasClockJumped(), false, 'time that passes is no jump');
  setMs += 5_000;
  assert.equal(hasClockJumped(), false, 'nor is what a time server corrects');
  for (const jumpMs of [400 * 24 * HOUR_MS, -400 * 24 * HOUR_MS, 2 * 60_000]) {
    setMs += jumpMs;
    assert.equal(hasClockJumped(), true);
    passedMs += HOUR_MS - 1;
    assert.equal(hasClockJumped(), true);
    passedMs += 1;
    assert.equal(hasClockJumped(), false);
  }
});

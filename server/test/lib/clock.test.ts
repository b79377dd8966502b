import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { trustedNow } from '../../src/lib/clock.ts';

const HOUR_MS = 60 * 60 * 1000;

test('a clock jump in either direction is reported for an hour, and a normal clock is not', (t) => {
  let [passedMs, setMs] = [performance.now(), 0];
  const startMs = Date.now() - passedMs;
  t.mock.method(performance, 'now', () => passedMs);
  t.mock.method(Date, 'now', () => startMs + passedMs + setMs);
  defer(t, () => mock.restoreAll());
  // Other tests of this process may have made the clock jump.
  trustedNow();
  passedMs += HOUR_MS;
  assert.equal(trustedNow(), Date.now());
  passedMs += 10 * HOUR_MS;
  assert.equal(trustedNow(), Date.now(), 'passing time is not a jump');
  setMs += 5_000;
  assert.equal(trustedNow(), Date.now(), 'a time server’s correction is not a jump');
  for (const jumpMs of [400 * 24 * HOUR_MS, -400 * 24 * HOUR_MS, 2 * 60_000]) {
    setMs += jumpMs;
    assert.equal(trustedNow(), undefined);
    passedMs += HOUR_MS - 1;
    assert.equal(trustedNow(), undefined);
    passedMs += 1;
    assert.equal(trustedNow(), Date.now());
  }
});

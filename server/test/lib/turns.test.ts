import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countWaiting, holdTurns, ownTurn } from '../../src/lib/turns.ts';

test('one waiter continues per turn of the event loop, and owners alternate', async () => {
  const seen: string[] = [];
  const all = ['a', 'a', 'a', 'b', 'a', 'b'].map(async (owner, index) => {
    await ownTurn(owner);
    seen.push(`${owner}${index}`);
  });
  assert.equal(countWaiting(), 6);
  for (let turns = 1; turns <= 6; turns += 1) {
    await nextTurn();
    assert.ok(seen.length <= turns, `${seen.length} waiters in ${turns} turns`);
  }
  await Promise.all(all);
  assert.deepEqual(seen, ['a0', 'b3', 'a1', 'b5', 'a2', 'a4']);
  assert.equal(countWaiting(), 0);
});

test('no waiter continues while turns are held', async () => {
  let hasGoneOn = false;
  const hold = holdTurns();
  const waiting = ownTurn().then(() => {
    hasGoneOn = true;
  });
  for (let turns = 0; turns < 5; turns += 1) await nextTurn();
  assert.equal(hasGoneOn, false);
  hold[Symbol.dispose]();
  await waiting;
});

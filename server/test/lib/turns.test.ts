import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countWaiting, holdTurns, ownTurn, resumeOnePerTurn } from '../../src/lib/turns.ts';

/** Longer than the time that tasks have in a turn. */
const LONG_MS = 3;

test('each turn of the event loop continues at most one long task, and owners alternate', async () => {
  const seen: string[] = [];
  const all = ['a', 'a', 'a', 'b', 'a', 'b'].map(async (owner, index) => {
    await ownTurn(owner);
    seen.push(`${owner}${index}`);
    work(LONG_MS);
  });
  assert.equal(countWaiting(), 6);
  for (let turns = 1; turns <= 6; turns += 1) {
    await nextTurn();
    assert.ok(seen.length <= turns, `${seen.length} tasks in ${turns} turns`);
  }
  await Promise.all(all);
  assert.deepEqual(seen, ['a0', 'b3', 'a1', 'b5', 'a2', 'a4']);
  assert.equal(countWaiting(), 0);
});

test('several short tasks continue in one turn, so tasks do not wait for as many turns as there are tasks', async () => {
  let turns = 0;
  const tasks = Array.from({ length: 200 }, () => ownTurn());
  const all = Promise.all(tasks).then(() => 'all');
  while ((await Promise.race([all, nextTurn('a turn')])) !== 'all') turns += 1;
  assert.ok(turns < tasks.length / 2, `${turns} turns for ${tasks.length} tasks`);
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

test('on PostgreSQL, each turn resumes one task, because most of its work happens in later turns', async () => {
  resumeOnePerTurn();
  let resumed = 0;
  const all = Array.from({ length: 20 }, () =>
    ownTurn().then(() => {
      resumed += 1;
    }),
  );
  for (let turns = 1; turns <= 20; turns += 1) {
    await nextTurn();
    assert.ok(resumed <= turns, `${resumed} tasks in ${turns} turns`);
  }
  await Promise.all(all);
});

function work(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inSlices } from '../../src/lib/in-slices.ts';

test('each item that takes a millisecond gets its own turn of the event loop, even if it is added meanwhile', async () => {
  const done: string[] = [];
  const items = ['a', 'b'];
  const all = inSlices(items, (item) => {
    const endMs = performance.now() + 1;
    while (performance.now() < endMs);
    done.push(item);
  });
  items.push('c');
  const seen: string[] = [];
  while (done.length < 3) {
    seen.push(done.join(''));
    await nextTurn();
  }
  await all;
  assert.deepEqual([...new Set(seen)], ['a', 'ab']);
  assert.equal(done.join(''), 'abc');
});

test('code that waits for an item continues before the next item', async () => {
  const seen: string[] = [];
  const waiting = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const continued = waiting.map(async ({ promise }) => seen.push(await promise));
  let count = 0;
  await inSlices(waiting, ({ resolve }) => {
    count += 1;
    resolve(`${count} with ${seen.length} before`);
  });
  await Promise.all(continued);
  assert.deepEqual(seen, ['1 with 0 before', '2 with 1 before']);
});

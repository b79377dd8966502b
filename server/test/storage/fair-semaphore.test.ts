import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairSemaphore, type RunOptions } from '../../src/storage/fair-semaphore.ts';

test('an aborted read fails without waiting and takes no permit', async () => {
  const turns = new FairSemaphore(1);
  const running = Promise.withResolvers<void>();
  const first = turns.run('one', () => running.promise);
  const late = turns.run('other', async () => {}, { signal: AbortSignal.abort(new Error('gone')) });
  const outcome = await Promise.race([late.catch(String), new Promise((resolve) => setImmediate(resolve, 'waits'))]);
  assert.equal(outcome, 'Error: gone');
  running.resolve();
  await first;
  assert.equal(await turns.run('other', async () => 'run'), 'run');
});

test('one account leaves a permit to others, and an urgent read runs before the others', async () => {
  const turns = new FairSemaphore(2, 1);
  const seen: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (accountId: string, name: string, isUrgent = false) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(name, resolve);
    const work = () => {
      seen.push(name);
      return promise;
    };
    return turns.run(accountId, work, { isUrgent });
  };
  const reads = [read('one', 'a'), read('one', 'b'), read('one', 'c', true), read('other', 'd')];
  assert.deepEqual(seen, ['a', 'd']);
  for (const name of ['a', 'c', 'b', 'd']) {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(reads);
  assert.deepEqual(seen, ['a', 'd', 'c', 'b']);
});

test('an account gets more permits while no other account reads', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const turns = new FairSemaphore(4, 1, 2);
  const seen: number[] = [];
  const ends: (() => void)[] = [];
  const read = (accountId: string, name: number) =>
    turns.run(accountId, () => {
      seen.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const end = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const reads = [read('one', 1), read('one', 2), read('one', 3), read('one', 4)];
  assert.deepEqual(seen, [1], 'another account may have read a moment ago');
  nowMs = 2_000;
  reads.push(read('one', 5));
  await end();
  assert.deepEqual(seen, [1, 2, 3], 'no other account reads');
  reads.push(read('other', 6), read('other', 7));
  await end();
  assert.deepEqual(seen, [1, 2, 3, 6], 'another account reads');
  await end();
  assert.deepEqual(seen, [1, 2, 3, 6, 4]);
  while (ends.length > 0) await end();
  await Promise.all(reads);
  assert.deepEqual(seen.toSorted(), [1, 2, 3, 4, 5, 6, 7]);
});

test('reads that pause leave half of the time to other accounts’ reads', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const turns = new FairSemaphore(2, 1);
  const seen: string[] = [];
  const read = (accountId: string, name: string) =>
    turns.run(
      accountId,
      async () => {
        seen.push(name);
        nowMs += 20;
      },
      { pauses: true },
    );
  await read('other', 'a');
  await read('one', 'b');
  const next = read('one', 'c');
  assert.deepEqual(seen, ['a', 'b']);
  await next;
  assert.deepEqual(seen, ['a', 'b', 'c']);
  const last = read('one', 'd');
  nowMs += 2_000;
  await last;
  const more = read('one', 'e');
  assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e'], 'no other account reads');
  await more;
});

test('a search is rejected while 100 of its account wait, whatever else of the account waits', async () => {
  const turns = new FairSemaphore(1);
  const running = Promise.withResolvers<void>();
  const run = (accountId: string, options: RunOptions = {}) => turns.run(accountId, () => running.promise, options);
  const limited = { isLimited: true };
  const waiting = [...Array.from({ length: 200 }, () => run('one')), run('one', { isLimited: true, isUrgent: true })];
  waiting.push(...Array.from({ length: 100 }, () => run('one', limited)));
  await assert.rejects(run('one', limited), { code: 'unavailable' });
  waiting.push(run('one', { isLimited: true, isUrgent: true }), run('one'), run('other', limited));
  running.resolve();
  await Promise.all(waiting);
  await run('one', limited);
});

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { until } from '../../../testkit/src/until.ts';
import { send } from '../../src/storage/postgres/connection.ts';
import { Pool } from '../../src/storage/postgres/pool.ts';
import { databaseFor } from './support.ts';

const SETTINGS = { poolSize: 8, statementTimeoutMs: 30_000, preparesStatements: true };

async function poolFor(t: TestContext): Promise<Pool> {
  const { url } = await databaseFor(t);
  const pool = new Pool(url, SETTINGS);
  defer(t, () => pool.close());
  return pool;
}

/** Reads that last until `open` is called. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const work = () => {
    count += 1;
    return promise;
  };
  return { work, open: resolve, count: () => count };
}

test('an account with slow requests leaves connections to other accounts and to key lookups', async (t) => {
  const pool = await poolFor(t);
  const busy = gate();
  const all = Array.from({ length: 20 }, () => pool.use(busy.work, 'one'));
  await until('some requests run', () => busy.count() > 0);
  const ask = () => pool.use((client) => send(client, { text: 'select 1' }), 'other');
  assert.deepEqual((await ask()).rows, [[1]]);
  assert.deepEqual((await pool.share((client) => send(client, { text: 'select 2' }), 'key')).rows, [[2]]);
  assert.ok(busy.count() <= SETTINGS.poolSize / 2, `${busy.count()} requests at once`);
  busy.open();
  await Promise.all(all);
  assert.equal(busy.count(), 20);
});

test('equal reads that have not been sent are joined, and reads of different names take turns', async (t) => {
  const pool = await poolFor(t);
  const busy = gate();
  // Both connections for shared reads are in use.
  const held = ['a', 'b'].map((name) => pool.share(busy.work, name));
  await until('both connections are in use', () => busy.count() === 2);
  const sent: string[] = [];
  const ask = (name: string) => async () => {
    sent.push(name);
    return sent.length;
  };
  const read = Array.from({ length: 40 }, () => pool.shareRead(ask('read'), 'read'));
  const counted = Array.from({ length: 40 }, () => pool.share(ask('one'), 'one'));
  const last = pool.share(ask('other'), 'other');
  busy.open();
  await Promise.all([...held, ...counted, last]);
  assert.deepEqual(
    await Promise.all(read),
    Array.from({ length: 40 }, () => 1),
  );
  assert.deepEqual(sent.slice(0, 3), ['read', 'one', 'other']);
  assert.equal(sent.length, 42);
  assert.equal(await pool.shareRead(ask('again'), 'read'), 43, 'a sent read is not joined');
});

test('a failed read rejects only its own caller, and others on its connection continue', async (t) => {
  const pool = await poolFor(t);
  const query = (text: string) => pool.share((client) => send(client, { text }), text);
  const results = await Promise.allSettled([query('select 1'), query('select 1 / 0'), query('select 3')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

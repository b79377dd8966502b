import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../../testkit/src/until.ts';
import { send } from '../../src/storage/postgres/connection.ts';
import { Pool } from '../../src/storage/postgres/pool.ts';
import { databaseFor } from './support.ts';

const SETTINGS = { poolSize: 8, statementTimeoutMs: 30_000, preparesStatements: true };

async function poolFor(t: TestContext): Promise<Pool> {
  const { url } = await databaseFor(t);
  const pool = new Pool(url, SETTINGS);
  t.after(() => pool.close());
  return pool;
}

/** What runs until it is told to end. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const work = () => {
    count += 1;
    return promise;
  };
  return { work, open: resolve, count: () => count };
}

test('an account whose requests take all their time leaves connections to others, and to the look for keys', async (t) => {
  const pool = await poolFor(t);
  const busy = gate();
  const all = Array.from({ length: 20 }, () => pool.use(busy.work, 'one'));
  await until('some of them run', () => busy.count() > 0);
  const ask = () => pool.use((client) => send(client, { text: 'select 1' }), 'other');
  assert.deepEqual((await ask()).rows, [[1]]);
  assert.deepEqual((await pool.share((client) => send(client, { text: 'select 2' }), 'key')).rows, [[2]]);
  assert.ok(busy.count() <= SETTINGS.poolSize / 2, `${busy.count()} at once`);
  busy.open();
  await Promise.all(all);
  assert.equal(busy.count(), 20);
});

test('what is asked again before it was sent is read once, and names alternate', async (t) => {
  const pool = await poolFor(t);
  const busy = gate();
  // Two shared connections, each with one that holds it.
  const held = ['a', 'b'].map((name) => pool.share(busy.work, name));
  await until('both are held', () => busy.count() === 2);
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
  assert.equal(await pool.shareRead(ask('again'), 'read'), 43, 'what was sent is not joined');
});

test('what fails is told to whom it belongs, and what shares its connection goes on', async (t) => {
  const pool = await poolFor(t);
  const query = (text: string) => pool.share((client) => send(client, { text }), text);
  const results = await Promise.allSettled([query('select 1'), query('select 1 / 0'), query('select 3')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

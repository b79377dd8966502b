import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ENGINE } from '../support/database.ts';
import { countReads, hold, isAnyHeld } from '../support/held.ts';
import { fill } from '../support/listings.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

/** PostgreSQL answers each over the network, by one of ten connections, and whoever gets none in two seconds is put off. */
const WAITERS = ENGINE === 'sqlite' ? 1_000 : 200;
const ACCOUNTS = 250;

describe('very many requests that wait', () => {
  test('cost one query at a time, and are all answered by one change', async () => {
    const tenant = await service.createTenant();
    const replies = await hold(service, Array(WAITERS).fill(tenant), 'wait=60');
    const reads = countReads(service);
    await until('others have been looked for', () => reads.others >= 3);
    assert.ok(reads.others < WAITERS / 10);

    const [id] = await fill(service, tenant, 1);
    for (const { status, body } of await Promise.all(replies)) {
      assert.equal(status, 200);
      const { data, nextAfter } = JSON.parse(body);
      assert.deepEqual([data.length, data[0].listingId, nextAfter], [1, id, 1]);
    }
    assert.ok(!isAnyHeld());
  });

  test('are all answered at once, empty, when the service stops', async () => {
    const stopping = await startTestService();
    const tenant = await stopping.createTenant();
    await fill(stopping, tenant, 1);
    const replies = await hold(stopping, Array(WAITERS).fill(tenant), 'after=1&wait=60');
    const stopped = stopping[Symbol.asyncDispose]();
    for (const { status, headers, body } of await Promise.all(replies)) {
      assert.deepEqual([status, headers.connection], [200, 'close']);
      const { data, nextAfter } = JSON.parse(body);
      assert.deepEqual([data, nextAfter], [[], 1]);
    }
    await stopped;
  });
});

test('requests of many accounts are each answered with what is theirs', async () => {
  const tenants = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.createTenant()));
  const replies = await hold(service, tenants, 'wait=60');
  const ids = await Promise.all(tenants.map(async (tenant) => (await fill(service, tenant, 1))[0]));
  for (const [index, { body }] of (await Promise.all(replies)).entries()) {
    const { data } = JSON.parse(body);
    assert.deepEqual([data.length, data[0].listingId], [1, ids[index]]);
  }
});

test('a database that fails while requests wait is told to them, as to all others', async () => {
  await using failing = await startTestService();
  const replies = await hold(failing, [await failing.createTenant()], 'wait=60');
  const { execute } = failing.database;
  failing.database.execute = () => Promise.reject(new Error('the disk is gone'));
  const [reply] = await Promise.all(replies);
  assert.deepEqual([reply?.status, JSON.parse(reply?.body ?? '').error.code], [500, 'internal_error']);
  failing.database.execute = execute;
});

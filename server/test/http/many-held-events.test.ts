import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fill } from '../../../testkit/src/listings.ts';
import { startTestService, type Tenant, type TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { AppError } from '../../src/model/errors.ts';
import { countReads, hold, isAnyHeld, untilAllWoken } from '../support/held.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const WAITERS = 400;
/** Concurrent event reads, out of a pool of ten connections. */
const READING_MAX = 4;
const ACCOUNTS = 100;

describe('many waiting requests', () => {
  test('cost one query at a time, and one change ends them all', async () => {
    const tenant = await service.createTenant();
    const replies = await hold(service, Array(WAITERS).fill(tenant), 'wait=60');
    const reads = countReads(service);
    await until('the database was polled', () => reads.others >= 3);
    assert.ok(reads.others < WAITERS / 10);

    const [id] = await fill(service, tenant, 1);
    for (const { status, body } of await Promise.all(replies)) {
      assert.equal(status, 200);
      const { data, nextAfter } = JSON.parse(body);
      assert.deepEqual([data.length, data[0].listingId, nextAfter], [1, id, 1]);
    }
    assert.ok(!isAnyHeld());
  });

  test('all get an empty response when the service stops', async () => {
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

test("waiting requests of many accounts each get their own account's event", async () => {
  const tenants = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.createTenant()));
  const replies = await hold(service, tenants, 'wait=60');
  const ids = await Promise.all(tenants.map(async (tenant) => (await fill(service, tenant, 1))[0]));
  for (const [index, { body }] of (await Promise.all(replies)).entries()) {
    const { data } = JSON.parse(body);
    assert.deepEqual([data.length, data[0].listingId], [1, ids[index]]);
  }
});

/**
 * Counts an account's reads, and the maximum that run at a time, but not reads for other accounts or for the service's
 * background work. Each counted read waits until all requests are woken.
 */
function watchReads({ database }: TestService, { accountId }: Tenant) {
  const reads = { running: 0, most: 0 };
  const { execute, executeRun } = database;
  const watch = async <T>(parameters: unknown, read: () => Promise<T>): Promise<T> => {
    if (Object(parameters).accountId !== accountId) return read();
    reads.running += 1;
    reads.most = Math.max(reads.most, reads.running);
    try {
      await untilAllWoken();
      return await read();
    } finally {
      reads.running -= 1;
    }
  };
  database.execute = (statement, parameters) => watch(parameters, () => execute(statement, parameters));
  database.executeRun = (statement, parameters, bytesMax) =>
    watch(parameters, () => executeRun(statement, parameters, bytesMax));
  return reads;
}

describe('requests woken together', () => {
  test('read a few at a time', async () => {
    await using slow = await startTestService();
    const tenant = await slow.createTenant();
    const replies = await hold(slow, Array(WAITERS).fill(tenant), 'wait=60');
    const reads = watchReads(slow, tenant);
    await fill(slow, tenant, 1);
    for (const { status } of await Promise.all(replies)) assert.equal(status, 200);
    assert.ok(reads.most > 0 && reads.most <= READING_MAX, `${reads.most} reads at a time`);
  });

  test('all fail with one read if the database is lost', async () => {
    await using lost = await startTestService();
    const tenant = await lost.createTenant();
    const replies = await hold(lost, Array(WAITERS).fill(tenant), 'wait=60');
    let reads = 0;
    lost.database.execute = async () => {
      reads += 1;
      // The hub's own read is the first, and wakes all requests.
      if (reads > 1) await untilAllWoken();
      throw new AppError('unavailable', 'The database is gone.');
    };
    for (const { status, body } of await Promise.all(replies)) {
      assert.deepEqual([status, JSON.parse(body).error.code], [503, 'unavailable']);
    }
    assert.ok(reads < WAITERS / 10, `${reads} reads`);
  });
});

test('waiting requests get 500 if the database fails', async () => {
  await using failing = await startTestService();
  const replies = await hold(failing, [await failing.createTenant()], 'wait=60');
  const { execute } = failing.database;
  failing.database.execute = () => Promise.reject(new Error('the disk is gone'));
  const [reply] = await Promise.all(replies);
  assert.deepEqual([reply?.status, JSON.parse(reply?.body ?? '').error.code], [500, 'internal_error']);
  failing.database.execute = execute;
});

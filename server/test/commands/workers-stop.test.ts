import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { ENGINE } from '../../../testkit/src/database.ts';
import { beginRequest, readReply, requestText } from '../../../testkit/src/raw-http.ts';
import { exitOf, hasEnded, isRunning, waitUntilRefused } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { ask, openToEach, serveByTwo, workersOf } from '../../../testkit/src/workers.ts';
import { startCreating } from '../support/load.ts';
import { assertStoredIn } from '../support/stored.ts';

const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal}: every worker finishes running requests and accepts no new ones, and the service exits with 0`, async (t) => {
    const { directory, database, tenant, service } = await serveByTwo(t);
    const { child, log, url } = service;
    const workers = await workersOf(service);
    const running = await openToEach(t, service);
    const idle = await openToEach(t, service);
    for (const socket of running) await beginRequest(socket, requestText('POST', '/v1/listings', tenant.key, BODY));
    // All processes get the signal, as with Ctrl-C in a terminal.
    for (const pid of workers) process.kill(pid, signal);
    child.kill(signal);
    for (const socket of idle) {
      await until('an idle connection is closed or gets 503', async () => {
        socket.write(requestText('GET', '/readyz', ''));
        const reply = await readReply(socket);
        assert.ok(reply === undefined || reply.status === 200 || (reply.status === 503 && reply.closes));
        return reply?.status !== 200;
      });
    }
    await waitUntilRefused(url);
    assert.ok(!hasEnded(child) && workers.every(isRunning), 'the service waits for running requests');
    const created: string[] = [];
    for (const socket of running) {
      const reply = await ask(socket, BODY.slice(-1));
      assert.deepEqual([reply.status, reply.closes], [201, true]);
      created.push(JSON.parse(reply.body).id);
    }
    assert.equal(await exitOf(child), 0);
    assert.deepEqual(workers.filter(isRunning), []);
    await until('the log is complete', () => log.at(-1)?.msg === 'stopped');
    assert.equal(log.filter(({ method, status }) => method === 'POST' && status === 201).length, 2);
    if (ENGINE === 'sqlite') assert.deepEqual(await readdir(directory), ['listings.db', 'listings.requests.db']);
    await assertStoredIn(database, tenant.accountId, created);
  });
}

test('a signal under load: every response is complete, and every acknowledged listing is stored', async (t) => {
  const { database, tenant, service } = await serveByTwo(t, { RATE_LIMIT: 'off' });
  const load = startCreating(service.url, tenant.key, 16);
  await until('listings are created', () => load.created.length >= 200);
  service.child.kill('SIGTERM');
  await load.ended;
  assert.deepEqual(load.refused, []);
  assert.equal(await exitOf(service.child), 0);
  await assertStoredIn(database, tenant.accountId, load.created);
});

test('a second signal after at least a second stops all processes at once, even if requests hang', async (t) => {
  const { tenant, service } = await serveByTwo(t);
  const { child, log } = service;
  const workers = await workersOf(service);
  for (const socket of await openToEach(t, service)) {
    await beginRequest(socket, requestText('POST', '/v1/listings', tenant.key, BODY));
  }
  const startTimeMs = performance.now();
  child.kill('SIGTERM');
  await waitUntilRefused(service.url);
  await until('a later signal stops the service', () => {
    child.kill('SIGINT');
    return hasEnded(child);
  });
  assert.ok(performance.now() - startTimeMs >= 1_000, 'a signal within the first second does not count');
  assert.equal(await exitOf(child), 1);
  assert.deepEqual(workers.filter(isRunning), []);
  await until('the log gives the reason', () =>
    log.some(({ msg }) => msg === 'got a second signal; exiting immediately'),
  );
});

test('a second signal kills a worker that no longer responds', async (t) => {
  const { service } = await serveByTwo(t);
  const workers = await workersOf(service);
  process.kill(Number(workers[0]), 'SIGSTOP');
  await until('later signals stop the service', () => {
    service.child.kill('SIGTERM');
    return hasEnded(service.child);
  });
  assert.deepEqual(workers.filter(isRunning), []);
});

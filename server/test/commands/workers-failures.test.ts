import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { only } from '../../../testkit/src/database.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { runCommand } from '../../../testkit/src/process.ts';
import { beginRequest, requestText } from '../../../testkit/src/raw-http.ts';
import { directoryFor, exitOf, isRunning, serveFor, waitUntilRefused } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { ask, openToEach, serveByTwo, workersOf } from '../../../testkit/src/workers.ts';
import { startCreating } from '../support/load.ts';
import { assertStoredIn } from '../support/stored.ts';
import { startVisits, visitOf } from '../support/visits.ts';

const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });

test('a killed worker is replaced and logged, and every acknowledged listing is stored', async (t) => {
  const { database, tenant, service } = await serveByTwo(t, { RATE_LIMIT: 'off' });
  const { url, log } = service;
  const before = await workersOf(service);
  const load = startCreating(url, tenant.key, 8);
  // Each request has its own connection, so some connections are always on their way to a worker.
  const visit = { ...visitOf(200, 'GET', '/livez', ''), isAlone: true };
  const visits = Array.from({ length: 16 }, () => startVisits(url, visit));
  await until('listings are created', () => load.created.length >= 100);
  process.kill(Number(before[0]), 'SIGKILL');
  const lines = await until('the log has the replacement', () => {
    const index = log.findIndex(({ msg }) => msg === 'a worker ended unexpectedly and is replaced');
    return index >= 0 && log.slice(index).some(({ msg }) => msg === 'a worker listens') && log.slice(index);
  });
  assert.deepEqual([lines[0]?.worker, lines[0]?.signal], [before[0], 'SIGKILL']);
  const after = await workersOf(service);
  assert.equal(after.length, 2);
  assert.equal(after.filter((pid) => before.includes(pid)).length, 1);
  load.finish();
  await load.ended.catch(() => undefined);
  assert.deepEqual(load.refused, []);
  // Resolves only if no connection waits for the killed worker.
  await Promise.all(visits.map((each) => each.finish()));
  for (const socket of await openToEach(t, service)) {
    assert.equal((await ask(socket, requestText('GET', '/readyz', ''))).status, 200);
  }
  assert.equal(await service.end(), 0);
  await assertStoredIn(database, tenant.accountId, load.created);
});

test(
  'workers that fail to start are retried until they succeed',
  only('sqlite', 'the test sets its table version by a pragma'),
  async (t) => {
    const { database, service } = await serveByTwo(t);
    const { log } = service;
    const [row] = await database.sql('pragma user_version');
    await database.script('pragma user_version = 999');
    for (const pid of await workersOf(service)) process.kill(pid, 'SIGKILL');
    const isFailure = ({ msg }: Record<string, unknown>) => msg === 'a worker could not start; retrying';
    await until('two attempts have failed', () => log.filter(isFailure).length >= 2);
    assert.match(JSON.stringify(log.find(isFailure)), /schema version 999/);
    await waitUntilRefused(service.url);
    await database.script(`pragma user_version = ${row?.user_version}`);
    const again = () => log.filter(({ msg }) => msg === 'a worker listens');
    await until('there are two workers again', () => again().length === 2);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200, 'the new workers listen on the same port');
    assert.equal(await service.end(), 0);
  },
);

test('when the first process is killed, workers finish running requests, exit, and free the port', async (t) => {
  const { database, settings, tenant, service } = await serveByTwo(t);
  const workers = await workersOf(service);
  const sockets = await openToEach(t, service);
  for (const socket of sockets) await beginRequest(socket, requestText('POST', '/v1/listings', tenant.key, BODY));
  service.child.kill('SIGKILL');
  await exitOf(service.child);
  await waitUntilRefused(service.url);
  const created: string[] = [];
  for (const socket of sockets) {
    const reply = await ask(socket, BODY.slice(-1));
    assert.deepEqual([reply.status, reply.closes], [201, true]);
    created.push(JSON.parse(reply.body).id);
  }
  await until('no worker is left', () => !workers.some(isRunning));
  await assertStoredIn(database, tenant.accountId, created);
  const next = await serveFor(t, { ...settings, PORT: new URL(service.url).port });
  assert.equal(await next.end(), 0);
});

test('if workers cannot start, the error is one line, and no process remains', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  defer(t, () => other.close());
  await once(other, 'listening');
  const address = other.address();
  const port = String(typeof address === 'object' ? address?.port : '');
  const directory = await directoryFor(t);
  const taken = await runCommand(['serve'], { DATA_DIR: directory, WORKERS: '3', PORT: port });
  assert.deepEqual(taken, {
    code: 1,
    stdout: '',
    stderr: `error: Cannot listen on HOST 127.0.0.1, PORT ${port}: address already in use.\n`,
  });
  const foreign = join(directory, 'foreign.db');
  await writeFile(foreign, 'not a database '.repeat(100));
  const wrong = await runCommand(['serve'], { DATABASE_URL: `file:${foreign}`, WORKERS: '3', PORT: '0' });
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(
    wrong.stderr,
    /^error: [^\n]*foreign\.db is truncated, or is not a database\. If the database belongs [^\n]*\n$/,
  );
});

test('if the address for metrics is in use, no worker remains', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  defer(t, () => other.close());
  await once(other, 'listening');
  const { port } = Object(other.address());
  const settings = { DATA_DIR: await directoryFor(t), WORKERS: '2', PORT: '0', METRICS_ADDRESS: `127.0.0.1:${port}` };
  const { code, stderr } = await runCommand(['serve'], settings);
  assert.equal(code, 1);
  assert.match(stderr, /^error: Cannot listen on METRICS_ADDRESS 127\.0\.0\.1, port \d+: address already in use\.\n$/);
});

test('of two services that start on the same port at the same time, one listens', async (t) => {
  const PORT = String(await findFreePort());
  for (const WORKERS of ['2', '']) {
    const starts = [await directoryFor(t), await directoryFor(t)].map((DATA_DIR) =>
      serveFor(t, { DATA_DIR, WORKERS, PORT }),
    );
    const [first, second] = await Promise.allSettled(starts);
    const [listening, failed] = first?.status === 'fulfilled' ? [first, second] : [second, first];
    assert.ok(listening?.status === 'fulfilled' && failed?.status === 'rejected');
    assert.match(String(failed.reason), /Cannot listen on HOST 127\.0\.0\.1, PORT \d+: address already in use\.\n$/);
    assert.equal(await listening.value.end(), 0);
  }
});

test('a worker cannot be started by hand', async (t) => {
  const { code, stderr } = await runCommand(['worker'], { DATA_DIR: await directoryFor(t) });
  assert.deepEqual([code, stderr], [1, 'error: Only serve starts workers: set WORKERS and run serve.\n']);
});

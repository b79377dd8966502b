import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { only } from '../../../testkit/src/database.ts';
import { createTenantByCommand, type ServeProcess } from '../../../testkit/src/process.ts';
import { openSocket, requestText } from '../../../testkit/src/raw-http.ts';
import { directoryFor, exitOf, serveFor, waitUntilRefused } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { ask, openToEach, serveByTwo, tenantFor, workersOf } from '../../../testkit/src/workers.ts';
import { createListing } from '../../src/domain/listings/listings.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { copyProgram } from '../support/program-copy.ts';
import { assertStoredIn } from '../support/stored.ts';
import { startVisits, visitOf } from '../support/visits.ts';

const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
/** Enough that a list exceeds the sockets' buffers and a worker must stop in its middle. */
const LISTINGS = 8_000;
const DESCRIPTION = 'x'.repeat(2_000);

function countLines({ log }: ServeProcess, message: string): number {
  return log.filter(({ msg }) => msg === message).length;
}

/** Sends SIGHUP, and resolves when all workers are replaced or the reload has failed. */
async function reload(service: ServeProcess): Promise<string> {
  const isEnd = ({ msg }: Record<string, unknown>) => /^reloaded|^not reloaded/.test(String(msg));
  const before = service.log.filter(isEnd).length;
  service.child.kill('SIGHUP');
  const line = await until('the reload has an end', () => service.log.filter(isEnd)[before]);
  return String(line.msg);
}

test('SIGHUP under load replaces every worker, and no request fails', async (t) => {
  const { database, tenant, service } = await serveByTwo(t, { RATE_LIMIT: 'off' });
  const before = await workersOf(service);
  const { url } = service;
  const create = visitOf(201, 'POST', '/v1/listings', tenant.key, BODY);
  const page = visitOf(200, 'GET', '/v1/listings?limit=20', tenant.key);
  const ready = visitOf(200, 'GET', '/readyz', tenant.key);
  const loads = [create, create, page, page, ready, { ...page, isAlone: true }, { ...create, isAlone: true }];
  const visits = loads.map((visit) => startVisits(url, visit));
  await until('all connections get responses', () => visits.every(({ good }) => good >= 10));
  assert.equal(await reload(service), 'reloaded');
  const goodThen = visits.map(({ good }) => good);
  await until('all connections continue to get responses', () =>
    visits.every(({ good }, index) => good >= Number(goodThen[index]) + 10),
  );
  await Promise.all(visits.map((visit) => visit.finish()));
  assert.deepEqual(
    visits.flatMap(({ failures }) => failures),
    [],
  );

  const after = await workersOf(service);
  assert.equal(after.length, 2);
  assert.deepEqual(
    after.filter((pid) => before.includes(pid)),
    [],
  );
  assert.equal(await service.end(), 0);
  const created = [visits[0], visits[1], visits[6]].reduce((sum, visit) => sum + Number(visit?.good), 0);
  assert.equal((await database.sql('select count(*) as count from listings'))[0]?.count, created);
  await assertStoredIn(database, tenant.accountId, []);
});

test('SIGHUP: long polls get the usual empty response, and a list that is being sent is complete', async (t) => {
  const { directory, database, tenant } = await tenantFor(t);
  const opened = await openDatabase(database.url);
  const input = { address: '12 Elm Street', beds: 3, baths: 2, description: DESCRIPTION };
  const { accountId } = tenant;
  await Promise.all(Array.from({ length: LISTINGS }, () => createListing(opened, { accountId }, input)));
  await opened.close();
  const service = await serveFor(t, { DATA_DIR: directory, DATABASE_URL: database.url, WORKERS: '2' });

  const sockets = await openToEach(t, service);
  const request = requestText('GET', `/v1/events?after=${LISTINGS}&wait=60`, tenant.key);
  for (const socket of sockets) assert.equal((await ask(socket, requestText('GET', '/v1/me', tenant.key))).status, 200);
  const held = sockets.map((socket) => ask(socket, request));
  const listing = get(`${service.url}/v1/listings`, { headers: { Authorization: `Bearer ${tenant.key}` } });
  const [response]: IncomingMessage[] = await once(listing, 'response');
  const reloaded = reload(service);
  // The first response shows that a worker is stopping: the one that sends the list, or the other.
  await Promise.race(held);
  const chunks = await response?.setEncoding('utf8').toArray();
  assert.equal(JSON.parse(chunks?.join('') ?? '').data.length, LISTINGS);
  for (const { status, body, closes } of await Promise.all(held)) {
    const { data, nextAfter } = JSON.parse(body);
    assert.deepEqual([status, closes, data, nextAfter], [200, true, [], LISTINGS]);
  }
  assert.equal(await reloaded, 'reloaded');
  assert.equal(await service.end(), 0);
});

test('SIGHUP applies the current settings, or none of them if one is invalid', async (t) => {
  const { elsewhere, program } = await copyProgram(t, { name: 'the-operators-own-package' });
  const { directory, database, tenant } = await tenantFor(t);
  const setTo = (settings: string, databaseUrl = database.url) =>
    writeFile(join(elsewhere, '.env'), `DATABASE_URL=${databaseUrl}\n${settings}\n`);
  await setTo('WORKERS=1\nRATE_LIMIT=5/1h');
  const service = await serveFor(t, { DATA_DIR: directory }, { program, cwd: elsewhere });
  const policy = async () => {
    // The connection is new and short, because a reload would wait for an open one.
    const socket = await openSocket(service.url);
    const { head } = await ask(socket, requestText('GET', '/v1/me', tenant.key));
    socket.destroy();
    return /^RateLimit-Policy: (.*)\r$/m.exec(head)?.[1];
  };
  assert.equal(await policy(), '"default";q=5;w=3600');

  await setTo('WORKERS=2');
  assert.equal(await reload(service), 'reloaded');
  assert.equal(await policy(), '"default";q=600;w=10');
  assert.equal((await workersOf(service)).length, 2);

  const workers = await workersOf(service);
  await setTo('WORKERS=3\nRATE_LIMIT=plenty');
  assert.match(await reload(service), /^not reloaded: RATE_LIMIT must be/);
  await setTo('WORKERS=3', 'file:other.db');
  assert.match(await reload(service), /^not reloaded: DATABASE_URL/);
  assert.deepEqual(await workersOf(service), workers);
  assert.equal(await policy(), '"default";q=600;w=10');

  await setTo('WORKERS=1');
  assert.equal(await reload(service), 'reloaded');
  assert.equal((await workersOf(service)).length, 1);
  assert.equal(await service.end(), 0);
});

test('SIGHUP starts more or fewer workers and moves them to another address, and no request fails', async (t) => {
  const { elsewhere, program } = await copyProgram(t, { name: 'the-operators-own-package' });
  const { directory, database } = await tenantFor(t);
  const setTo = (workers: number, host: string) =>
    writeFile(
      join(elsewhere, '.env'),
      `DATABASE_URL=${database.url}\nRATE_LIMIT=off\nWORKERS=${workers}\nHOST=${host}\n`,
    );
  await setTo(2, '127.0.0.1');
  const service = await serveFor(t, { DATA_DIR: directory }, { program, cwd: elsewhere });
  const live = { ...visitOf(200, 'GET', '/livez', ''), isAlone: true };
  const visits = Array.from({ length: 4 }, () => startVisits(service.url, live));
  for (const workers of [3, 1]) {
    // While old workers wait for their idle connections, new connections must not wait.
    const idle = await openToEach(t, service);
    await setTo(workers, '127.0.0.1');
    const listening = countLines(service, 'a worker listens');
    const reloading = reload(service);
    await until('the first new worker listens', () => countLines(service, 'a worker listens') > listening);
    const before = visits.map(({ good }) => good);
    await until('all visits continue', () => visits.every(({ good }, index) => good >= Number(before[index]) + 10));
    assert.ok(idle.some((socket) => !socket.closed));
    for (const socket of idle) socket.destroy();
    assert.equal(await reloading, 'reloaded');
    assert.equal((await workersOf(service)).length, workers);
  }
  await setTo(2, '192.0.2.1');
  assert.match(
    await reload(service),
    /^not reloaded: Cannot listen on HOST 192\.0\.2\.1, PORT 0: address not available/,
  );
  await Promise.all(visits.map((visit) => visit.finish()));
  assert.deepEqual(
    visits.flatMap(({ failures }) => failures),
    [],
  );
  assert.ok(visits.every(({ good }) => good > 0));

  await setTo(2, '127.0.0.2');
  assert.equal(await reload(service), 'reloaded');
  const { url } = service.log.findLast(({ msg }) => msg === 'a worker listens') ?? {};
  assert.match(String(url), /^http:\/\/127\.0\.0\.2:/);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  await waitUntilRefused(service.url);
  assert.equal(await service.end(), 0);
});

test(
  'SIGHUP keeps the current workers if new ones cannot start',
  only('sqlite', 'the test sets its table version by a pragma'),
  async (t) => {
    const { database, tenant, service } = await serveByTwo(t);
    const workers = await workersOf(service);
    await database.script('pragma user_version = 999');
    assert.match(await reload(service), /^not reloaded: workers that are not replaced continue$/);
    await until('the failed worker is gone', async () => (await workersOf(service)).length === 2);
    assert.deepEqual(await workersOf(service), workers);
    for (const socket of await openToEach(t, service)) {
      assert.equal((await ask(socket, requestText('GET', '/v1/me', tenant.key))).status, 200);
    }
  },
);

test(
  'SIGHUP: after a reload that failed halfway, every connection gets a response, and a killed worker is replaced',
  only('sqlite', 'the test sets its table version by a pragma'),
  async (t) => {
    const { elsewhere, program } = await copyProgram(t, { name: 'the-operators-own-package' });
    const { directory, database } = await tenantFor(t);
    const setTo = (workers: number) =>
      writeFile(join(elsewhere, '.env'), `DATABASE_URL=${database.url}\nWORKERS=${workers}\n`);
    await setTo(2);
    const service = await serveFor(t, { DATA_DIR: directory }, { program, cwd: elsewhere });
    const [row] = await database.sql('pragma user_version');
    await setTo(3);
    const reloading = reload(service);
    await until('one new worker listens', () => countLines(service, 'a worker listens') === 1);
    await database.script('pragma user_version = 999');
    assert.match(await reloading, /^not reloaded: workers/);
    const live = { headers: { Connection: 'close' } };
    const statuses = async () => {
      const responses = Array.from({ length: 40 }, () => fetch(`${service.url}/livez`, live));
      return new Set((await Promise.all(responses)).map(({ status }) => status));
    };
    assert.deepEqual(await statuses(), new Set([200]));
    await database.script(`pragma user_version = ${row?.user_version}`);
    for (const pid of await workersOf(service)) {
      const lines = countLines(service, 'a worker listens');
      process.kill(pid, 'SIGKILL');
      await until('a worker listens', () => countLines(service, 'a worker listens') > lines);
      assert.deepEqual(await statuses(), new Set([200]));
    }
    assert.equal(await service.end(), 0);
  },
);

test('SIGHUP: a new worker that is killed while the old one finishes its requests is replaced', async (t) => {
  const { tenant } = await tenantFor(t);
  const service = await serveFor(t, { DATA_DIR: await directoryFor(t), WORKERS: '1' });
  // The old worker waits for the rest of this request.
  const slow = await openSocket(service.url);
  defer(t, () => slow.destroy());
  slow.write(requestText('GET', '/v1/me', tenant.key).slice(0, -2));
  const listening = () => service.log.filter(({ msg }) => msg === 'a worker listens');
  const reloading = reload(service);
  const [line] = await until('the new worker listens', () => listening().length === 1 && listening());
  process.kill(Number(line?.worker), 'SIGKILL');
  await until('another worker listens', () => listening().length >= 2);
  const live = { headers: { Connection: 'close' } };
  const statuses = async () => {
    const responses = Array.from({ length: 20 }, () => fetch(`${service.url}/livez`, live));
    return new Set((await Promise.all(responses)).map(({ status }) => status));
  };
  assert.deepEqual(await statuses(), new Set([200]));
  slow.destroy();
  assert.equal(await reloading, 'reloaded');
  assert.deepEqual(await statuses(), new Set([200]));
  await until('there is one worker', async () => (await workersOf(service)).length === 1);
  assert.equal(await service.end(), 0);
});

test('SIGHUP without WORKERS only logs a line', async (t) => {
  const settings = { DATA_DIR: await directoryFor(t) };
  const { key } = await createTenantByCommand(settings);
  const service = await serveFor(t, settings);
  const socket = await openSocket(service.url);
  defer(t, () => socket.destroy());
  service.child.kill('SIGHUP');
  await until('the log has the line', () =>
    service.log.some(({ msg }) => String(msg).startsWith('SIGHUP does nothing')),
  );
  assert.equal((await ask(socket, requestText('GET', '/v1/me', key))).status, 200);
  assert.equal(await service.end(), 0);
  assert.equal(countLines(service, 'listening'), 1);
});

test('a signal stops the service even while workers are replaced', async (t) => {
  const { service } = await serveByTwo(t);
  service.child.kill('SIGHUP');
  await until('the service is reloading', () => countLines(service, 'reloading') === 1);
  service.child.kill('SIGTERM');
  assert.equal(await exitOf(service.child), 0);
  await until('the log is complete', () => service.log.at(-1)?.msg === 'stopped');
  assert.deepEqual(await workersOf(service), []);
});

test('workers of two releases never run together: a reload and a replacement fail with an explanation', async (t) => {
  const copy = await copyProgram(t, { name: 'property-listings-repository' });
  const settings = { DATA_DIR: await directoryFor(t), WORKERS: '2', DASHBOARD_BUILD: 'off' };
  const service = await serveFor(t, settings, { program: copy.program, cwd: copy.elsewhere });
  const [first, second] = await workersOf(service);
  const manifest = join(copy.root, 'server/package.json');
  const { version, ...rest } = JSON.parse(await readFile(manifest, 'utf8'));
  await writeFile(manifest, JSON.stringify({ ...rest, version: '99.0.0' }));
  assert.equal(
    await reload(service),
    `not reloaded: release 99.0.0 is installed, but ${version} is running; restart the service to use the installed release.`,
  );
  assert.deepEqual(await workersOf(service), [first, second]);
  process.kill(Number(first), 'SIGKILL');
  const failed = await until('the replacement has failed', () =>
    service.log.find(({ msg }) => msg === 'a worker could not start; retrying'),
  );
  assert.match(JSON.stringify(failed), new RegExp(`Release 99\\.0\\.0 is installed, but ${version} is running`));
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  await writeFile(manifest, JSON.stringify({ ...rest, version }));
  await until('the old release is complete again', async () => (await workersOf(service)).length === 2);
});

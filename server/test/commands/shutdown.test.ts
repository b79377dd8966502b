import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createTenantByCommand, environment, PROGRAM, type ServeProcess } from '../../../testkit/src/process.ts';
import { assertCut, beginCsv } from '../../../testkit/src/raw.ts';
import { openSocket, readReply, requestText } from '../../../testkit/src/raw-http.ts';
import { directoryFor, exitOf, hasEnded, serveFor, spawnFor, waitUntilRefused } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { createListing } from '../../src/domain/listings/listings.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { startCreating } from '../support/load.ts';
import { assertStored } from '../support/stored.ts';

const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
/** Enough that a list exceeds the sockets' buffers and the signal arrives in its middle. */
const LISTINGS = 8_000;
const BURST_MS = 50;
const BURST_SERVICES = 6;
const DESCRIPTION = 'x'.repeat(2_000);

async function start(t: TestContext) {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off' };
  const tenant = await createTenantByCommand(settings);
  return { directory, settings, tenant, service: await serveFor(t, settings) };
}

/** Sends a request without its last byte, and resolves when the service waits for that byte. */
async function sendAllButLastByte(t: TestContext, url: string, key: string): Promise<Socket> {
  const socket = await openSocket(url);
  defer(t, () => socket.destroy());
  const head = requestText('POST', '/v1/listings', key, BODY).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n');
  socket.write(head.slice(0, -BODY.length));
  const [interim] = await once(socket, 'data');
  assert.match(String(interim), /^HTTP\/1\.1 100 /);
  socket.write(BODY.slice(0, -1));
  return socket;
}

/** The service must exit with 0, write its last log line, and leave only the database file. */
async function assertStoppedCleanly({ child, log }: ServeProcess, directory: string): Promise<void> {
  assert.equal(await exitOf(child), 0);
  await until('the last log line is "stopped"', () => log.at(-1)?.msg === 'stopped');
  assert.deepEqual(await readdir(directory), ['listings.db', 'listings.requests.db']);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal}: running requests finish, new ones are rejected, and the service exits with 0`, async (t) => {
    const { directory, tenant, service } = await start(t);
    const { url, child, log } = service;
    const running = await sendAllButLastByte(t, url, tenant.key);
    const keptAlive = await openSocket(url);
    defer(t, () => keptAlive.destroy());
    const askIfReady = () => {
      keptAlive.write(requestText('GET', '/readyz', tenant.key));
      return readReply(keptAlive);
    };
    assert.equal((await askIfReady())?.status, 200);

    child.kill(signal);
    await until('a kept-alive connection gets 503 or closes', async () => {
      const reply = await askIfReady();
      if (reply === undefined) return true;
      if (reply.status === 200) return false;
      assert.equal(reply.status, 503);
      assert.equal(JSON.parse(reply.body).error.code, 'unavailable');
      return reply.closes;
    });
    await waitUntilRefused(url);
    assert.ok(!hasEnded(child), 'the service waits for the running request');

    running.write(BODY.slice(-1));
    const reply = await readReply(running);
    assert.equal(reply?.status, 201);
    assert.ok(reply?.closes, 'the response says Connection: close');
    await assertStoppedCleanly(service, directory);
    await assertStored(directory, tenant.accountId, [JSON.parse(reply?.body ?? '').id]);
    const messages = log.map(({ msg }) => msg);
    assert.ok(log.some(({ method, status }) => method === 'POST' && status === 201));
    assert.ok(messages.indexOf('listening') === 0 && messages.includes('stopping'));
    assert.ok(!JSON.stringify(log).includes(tenant.key.slice(8)), 'the log contains no key');
  });
}

/** A service with a list larger than the sockets' buffers. */
async function startWithList(t: TestContext) {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory };
  const { accountId, key } = await createTenantByCommand(settings);
  const database = await openDatabase(`file:${join(directory, 'listings.db')}`);
  const input = { address: '12 Elm Street', beds: 3, baths: 2, description: DESCRIPTION };
  await Promise.all(Array.from({ length: LISTINGS }, () => createListing(database, { accountId }, input)));
  await database.close();
  return { directory, key, service: await serveFor(t, settings) };
}

test('a signal does not cut off a list that is being sent', async (t) => {
  const { directory, key, service } = await startWithList(t);
  const request = get(`${service.url}/v1/listings`, { headers: { Authorization: `Bearer ${key}` } });
  const [response]: IncomingMessage[] = await once(request, 'response');
  service.child.kill('SIGTERM');
  await waitUntilRefused(service.url);
  assert.ok(!hasEnded(service.child), 'the service waits for the reader');
  const chunks = await response?.setEncoding('utf8').toArray();
  const list = JSON.parse(chunks?.join('') ?? '');
  assert.equal(list.data.length, LISTINGS);
  assert.equal(list.sequence, LISTINGS);
  await assertStoppedCleanly(service, directory);
});

test('a signal under load: every response is complete, and every acknowledged listing is stored', async (t) => {
  const { directory, tenant, service } = await start(t);
  const load = startCreating(service.url, tenant.key, 16);
  await until('listings are created', () => load.created.length >= 200);
  service.child.kill('SIGTERM');
  await load.ended;
  assert.deepEqual(load.refused, []);
  await assertStoppedCleanly(service, directory);
  await assertStored(directory, tenant.accountId, load.created);
});

test('a burst of signals, like one Ctrl-C under npm, counts as one', async (t) => {
  const { settings, tenant, service } = await start(t);
  // A further signal could do harm only for a short time, so send bursts to several services.
  const others = Array.from({ length: BURST_SERVICES - 1 }, () => serveFor(t, settings));
  for (const { url, child } of [service, ...(await Promise.all(others))]) {
    const running = await sendAllButLastByte(t, url, tenant.key);
    const endTimeMs = performance.now() + BURST_MS;
    while (performance.now() < endTimeMs) child.kill('SIGINT');
    running.write(BODY.slice(-1));
    assert.equal((await readReply(running))?.status, 201);
    assert.equal(await exitOf(child), 0);
  }
});

test('a second signal after at least a second stops the service at once, even if a request hangs', async (t) => {
  const { tenant, service } = await start(t);
  const { url, child, log } = service;
  await sendAllButLastByte(t, url, tenant.key);
  const startTimeMs = performance.now();
  child.kill('SIGTERM');
  await waitUntilRefused(url);
  await until('a later signal stops the service', () => {
    child.kill('SIGINT');
    return hasEnded(child);
  });
  assert.ok(performance.now() - startTimeMs >= 1_000, 'a signal within the first second does not count');
  assert.equal(await exitOf(child), 1);
  await until('the log gives the reason', () => log.at(-1)?.msg === 'got a second signal; exiting immediately');
});

/** `script` gives the service a terminal, which closes when `script` ends. */
const NEEDS_SCRIPT = { skip: existsSync('/usr/bin/script') ? false : 'needs the program script' };

test('a service whose terminal closes stops cleanly', NEEDS_SCRIPT, async (t) => {
  const directory = await directoryFor(t);
  const command = ['-qefc', `exec '${process.execPath}' '${PROGRAM}' serve`, '/dev/null'];
  const { child, output } = spawnFor(t, '/usr/bin/script', command, environment({ DATA_DIR: directory, PORT: '0' }));
  await until('the service listens', () => output.stdout.includes('http://'));
  child.kill('SIGKILL');
  await until('only the database files are left', async () => {
    const names = await readdir(directory);
    return names.sort().join() === 'listings.db,listings.requests.db';
  });
});

test('a second signal cuts off a list, so that it does not look complete', async (t) => {
  const { key, service } = await startWithList(t);
  using connection = await beginCsv(service.url, key);
  await until('later signals stop the service', () => {
    service.child.kill('SIGTERM');
    return hasEnded(service.child);
  });
  await assertCut(connection);
});

test('the database is intact after a second signal', async (t) => {
  const { directory, settings, tenant, service } = await start(t);
  const load = startCreating(service.url, tenant.key, 4);
  await until('listings are created', () => load.created.length >= 20);
  load.finish();
  await load.ended;
  await sendAllButLastByte(t, service.url, tenant.key);
  await until('later signals stop the service', () => {
    service.child.kill('SIGTERM');
    return hasEnded(service.child);
  });
  const again = await serveFor(t, settings);
  await assert.doesNotReject(fetch(`${again.url}/readyz`));
  assert.equal(await again.end(), 0);
  await assertStored(directory, tenant.accountId, load.created);
});

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Browser } from '../../../testkit/src/browser.ts';
import { fromPage, requestText } from '../../../testkit/src/raw-http.ts';
import { readListsWhileWriting } from '../../../testkit/src/stale-lists.ts';
import { until } from '../../../testkit/src/until.ts';
import { ask, openToEach, serveByTwo, workersOf } from '../../../testkit/src/workers.ts';

const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
/** `LISTS=1000000` takes about twenty minutes. */
const LISTS = Number(process.env.LISTS ?? 400);
const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };

test('two workers listen on one port, and one-time startup work runs once', async (t) => {
  const { directory, tenant, service } = await serveByTwo(t);
  const { log, child, stderr, url } = service;
  assert.equal((await workersOf(service)).length, 2);
  const [listening] = log;
  assert.deepEqual([listening?.msg, listening?.url, listening?.pid], ['listening', url, child.pid]);
  assert.deepEqual([listening?.workers, listening?.worker], [2, undefined], 'the first process is no worker');
  const link = await until('the link is printed', () => /^Set up .*: (\S+)\n$/.exec(stderr())?.[1]);
  assert.equal(await readFile(join(directory, 'setup-link.txt'), 'utf8'), `${link}\n`);
  for (const socket of await openToEach(t, service)) {
    assert.equal((await ask(socket, requestText('GET', '/readyz', tenant.key))).status, 200);
    assert.equal((await ask(socket, requestText('GET', '/v1/me', tenant.key))).status, 200);
    const setup = JSON.parse((await ask(socket, requestText('GET', '/admin/setup', tenant.key))).body);
    assert.deepEqual(setup, { isOpen: true, needsAccountName: false, file: 'setup-link.txt' });
  }
  assert.equal(await service.end(), 0);
  assert.equal(log.filter(({ msg }) => msg === 'listening').length, 1);
  assert.ok(!(await readdir(directory)).includes('setup-link.txt'));
});

test('the setup link works once, on any worker', async (t) => {
  const { directory, service } = await serveByTwo(t);
  const token = (await readFile(join(directory, 'setup-link.txt'), 'utf8')).trim().split('#token=')[1];
  const sockets = await openToEach(t, service);
  const person = { token, name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple' };
  const setUp = fromPage(requestText('POST', '/admin/setup', '', JSON.stringify(person)));
  const replies = await Promise.all(sockets.map((socket) => ask(socket, setUp)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409]);
  assert.ok(!(await readdir(directory)).includes('setup-link.txt'));
});

test('after one worker deletes a key, all reject its next request', async (t) => {
  const { tenant, service } = await serveByTwo(t, ADMINISTRATOR);
  const sockets = await openToEach(t, service);
  const me = requestText('GET', '/v1/me', tenant.key);
  for (const socket of sockets) assert.equal((await ask(socket, me)).status, 200);
  const browser = new Browser(service);
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = ADMINISTRATOR;
  await browser.ask('POST', '/admin/auth/sign-in/email', { email, password });
  await browser.ask('DELETE', `/admin/api-keys/${tenant.keyId}`, undefined, 204);
  for (const socket of sockets) assert.equal((await ask(socket, me)).status, 401);
});

test('after one worker rolls a key without a delay, all reject the old one; all requests are in the request log', async (t) => {
  const { tenant, service } = await serveByTwo(t, ADMINISTRATOR);
  const sockets = await openToEach(t, service);
  const paths = sockets.map((_, index) => `/v1/nothing/${index}`);
  for (const [index, socket] of sockets.entries())
    assert.equal((await ask(socket, requestText('GET', paths[index] ?? '', tenant.key))).status, 404);
  const browser = new Browser(service);
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = ADMINISTRATOR;
  await browser.ask('POST', '/admin/auth/sign-in/email', { email, password });
  await until('the requests of both workers are listed', async () => {
    const { data } = await browser.ask('GET', '/admin/requests');
    return data.length === paths.length && data.every(({ path }: { path: string }) => paths.includes(path));
  });
  const { key } = await browser.ask('POST', `/admin/api-keys/${tenant.keyId}/roll`, { expiresInHours: 0 }, 201);
  for (const socket of sockets) assert.equal((await ask(socket, requestText('GET', '/v1/me', tenant.key))).status, 401);
  for (const socket of sockets) assert.equal((await ask(socket, requestText('GET', '/v1/me', key))).status, 200);
});

test('while a listing changes, no list of any worker lacks a change acknowledged before its request', async (t) => {
  const { tenant, service } = await serveByTwo(t, { RATE_LIMIT: 'off' });
  await readListsWhileWriting({ url: service.url, key: tenant.key }, LISTS);
});

test('a long poll on one worker receives a change made on another', async (t) => {
  const { tenant, service } = await serveByTwo(t);
  const [holding, changing] = await openToEach(t, service);
  assert.ok(holding && changing);
  const held = ask(holding, requestText('GET', '/v1/events?wait=60', tenant.key));
  const created = await ask(changing, requestText('POST', '/v1/listings', tenant.key, BODY));
  const { data } = JSON.parse((await held).body);
  assert.deepEqual([data.length, data[0].listing], [1, JSON.parse(created.body)]);
});

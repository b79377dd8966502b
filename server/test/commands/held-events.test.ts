import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createTenantByCommand, runCommandWarm } from '../../../testkit/src/process.ts';
import { openSocket, readReply, requestText } from '../../../testkit/src/raw-http.ts';
import { directoryFor, exitOf, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';

const HELD = 50;
const LISTING = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });

async function startTwo(t: TestContext) {
  const settings = { DATA_DIR: await directoryFor(t) };
  const tenant = await createTenantByCommand(settings);
  const [one, other] = await Promise.all([serveFor(t, settings), serveFor(t, settings)]);
  return { settings, tenant, one, other };
}

/** Begins a request that is held, and gives its reply in a function: an async one would wait for it. */
async function hold(t: TestContext, url: string, key: string, query: string) {
  const socket = await openSocket(url);
  t.after(() => socket.destroy());
  // The service has taken the connection: no signal can come before it.
  socket.write(requestText('GET', '/v1/events', key));
  assert.equal((await readReply(socket))?.status, 200);
  socket.write(requestText('GET', `/v1/events?${query}`, key));
  const reply = readReply(socket);
  return () => reply;
}

async function create(url: string, key: string): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/v1/listings`, { method: 'POST', headers, body: LISTING });
  assert.equal(response.status, 201);
  return JSON.parse(await response.text()).id;
}

test('a held request hears of a change that another process has made', async (t) => {
  const { tenant, one, other } = await startTwo(t);
  const reply = await hold(t, one.url, tenant.key, 'wait=60');
  const id = await create(other.url, tenant.key);
  const { data, nextAfter } = JSON.parse((await reply())?.body ?? '');
  assert.deepEqual([data.length, data[0].type, data[0].listing.id, nextAfter], [1, 'listing.created', id, 1]);
});

test('a held request whose key another process has deleted is 401 at the next change', async (t) => {
  const { settings, tenant, one, other } = await startTwo(t);
  const args = ['keys', 'create', '--account', tenant.accountId, '--name', 'Short-lived', '--json'];
  const { id, key } = JSON.parse((await runCommandWarm(args, settings)).stdout);
  const reply = await hold(t, one.url, key, 'wait=60');
  assert.equal((await runCommandWarm(['keys', 'delete', id], settings)).code, 0);
  await create(other.url, tenant.key);
  const refused = await reply();
  assert.deepEqual(
    [refused?.status, refused?.body],
    [401, '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}'],
  );
});

test('a held request whose account another process has deleted is 401 at once', async (t) => {
  const { settings, tenant, one } = await startTwo(t);
  await create(one.url, tenant.key);
  const reply = await hold(t, one.url, tenant.key, 'after=1&wait=60');
  assert.equal((await runCommandWarm(['accounts', 'delete', tenant.accountId, '--yes'], settings)).code, 0);
  assert.equal((await reply())?.status, 401);
});

test('a signal: held requests are answered at once, empty, and the service ends with 0', async (t) => {
  const settings = { DATA_DIR: await directoryFor(t) };
  const tenant = await createTenantByCommand(settings);
  const { url, child, log } = await serveFor(t, settings);
  await create(url, tenant.key);
  const held = await Promise.all(Array.from({ length: HELD }, () => hold(t, url, tenant.key, 'after=1&wait=60')));
  child.kill('SIGTERM');
  for (const reply of held) {
    const { data, nextAfter } = JSON.parse((await reply())?.body ?? '');
    assert.deepEqual([data, nextAfter], [[], 1]);
  }
  assert.equal(await exitOf(child), 0);
  await until('the log is whole', () => log.at(-1)?.msg === 'stopped');
  const events = log.filter(({ path, status }) => path === '/v1/events' && status === 200);
  assert.equal(events.length, 2 * HELD);
});

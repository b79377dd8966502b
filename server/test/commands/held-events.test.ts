import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
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

/** Starts a long poll. Returns a function, so that awaiting `hold` does not await the response. */
async function hold(t: TestContext, url: string, key: string, query: string) {
  const socket = await openSocket(url);
  defer(t, () => socket.destroy());
  // The first response shows that the service has accepted the connection, so a signal cannot overtake the long poll.
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

test('a long poll receives a change made by another process', async (t) => {
  const { tenant, one, other } = await startTwo(t);
  const reply = await hold(t, one.url, tenant.key, 'wait=60');
  const id = await create(other.url, tenant.key);
  const { data, nextAfter } = JSON.parse((await reply())?.body ?? '');
  assert.deepEqual([data.length, data[0].type, data[0].listing.id, nextAfter], [1, 'listing.created', id, 1]);
});

test('a long poll gets 401 at the next change if another process has deleted its key', async (t) => {
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

test('a long poll gets 401 at once if another process deletes its account', async (t) => {
  const { settings, tenant, one } = await startTwo(t);
  await create(one.url, tenant.key);
  const reply = await hold(t, one.url, tenant.key, 'after=1&wait=60');
  assert.equal((await runCommandWarm(['accounts', 'delete', tenant.accountId, '--yes'], settings)).code, 0);
  assert.equal((await reply())?.status, 401);
});

test('on a signal, long polls get empty responses at once, and the service exits with 0', async (t) => {
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
  await until('the log is complete', () => log.at(-1)?.msg === 'stopped');
  const events = log.filter(({ path, status }) => path === '/v1/events' && status === 200);
  assert.equal(events.length, 2 * HELD);
});

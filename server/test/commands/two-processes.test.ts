import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createTenantByCommand, runCommandWarm } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { startCreating } from '../support/load.ts';
import { assertStored } from '../support/stored.ts';

const CREATED_BY_EACH = 300;
const LISTING = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });

async function startTwo(t: TestContext) {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off' };
  const tenant = await createTenantByCommand(settings);
  const services = await Promise.all([serveFor(t, settings), serveFor(t, settings)]);
  return { directory, settings, tenant, services };
}

/** Another program that holds the database's write lock until `release`. */
function holdLock(t: TestContext, directory: string): { release(): void } {
  const database = new DatabaseSync(join(directory, 'listings.db'), { timeout: 5_000 });
  defer(t, () => database.close());
  database.exec('begin immediate');
  return { release: () => database.exec('commit') };
}

function create(url: string, key: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return fetch(`${url}/v1/listings`, { method: 'POST', headers, body: LISTING });
}

function get(url: string, path: string, key: string): Promise<Response> {
  return fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
}

test('two processes write to one database at once, and no listing is lost, rejected, or duplicated', async (t) => {
  const { directory, tenant, services } = await startTwo(t);
  const loads = services.map(({ url }) => startCreating(url, tenant.key, 4));
  await until('both processes have created listings', () =>
    loads.every((load) => load.created.length >= CREATED_BY_EACH),
  );
  for (const load of loads) load.finish();
  await Promise.all(loads.map((load) => load.ended));

  const created = loads.flatMap((load) => load.created);
  assert.deepEqual(
    loads.flatMap((load) => load.refused),
    [],
  );
  assert.equal(new Set(created).size, created.length, 'no ID is used twice');
  for (const { url } of services) {
    const list = JSON.parse(await (await get(url, '/v1/listings', tenant.key)).text());
    assert.equal(list.sequence, created.length);
    assert.deepEqual(new Set(list.data.map((listing: { id: string }) => listing.id)), new Set(created));
  }
  await assertStored(directory, tenant.accountId, created);
});

test('every process rejects the first request after a command deletes its key', async (t) => {
  const { settings, tenant, services } = await startTwo(t);
  for (const { url } of services) assert.equal((await get(url, '/v1/me', tenant.key)).status, 200);
  assert.equal((await runCommandWarm(['keys', 'delete', tenant.keyId], settings)).code, 0);
  for (const { url } of services) {
    assert.equal((await get(url, '/v1/me', tenant.key)).status, 401);
    assert.equal((await create(url, tenant.key)).status, 401);
  }
});

test('while another process holds the write lock, writes wait and reads continue', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off' };
  const { accountId, key } = await createTenantByCommand(settings);
  const { url } = await serveFor(t, settings);
  const first = JSON.parse(await (await create(url, key)).text());

  const lock = holdLock(t, directory);
  const startTimeMs = performance.now();
  let answered = false;
  const waiting = create(url, key).finally(() => {
    answered = true;
  });
  let reads = 0;
  while (reads < 20 || performance.now() - startTimeMs < 1_000) {
    assert.equal((await get(url, `/v1/listings/${first.id}`, key)).status, 200);
    assert.equal((await get(url, '/v1/listings?limit=20', key)).status, 200);
    reads += 1;
  }
  assert.equal(answered, false, 'the write waits');
  lock.release();
  const second = await waiting;
  assert.equal(second.status, 201);
  await assertStored(directory, accountId, [first.id, JSON.parse(await second.text()).id]);
});

test('a write that never gets the lock gets 503 with Retry-After and stores nothing', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory };
  const { accountId, key } = await createTenantByCommand(settings);
  const { url } = await serveFor(t, settings);

  const lock = holdLock(t, directory);
  const refused = await create(url, key);
  assert.equal(refused.status, 503);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal(JSON.parse(await refused.text()).error.code, 'unavailable');
  lock.release();

  const created = await create(url, key);
  assert.equal(created.status, 201, 'writes succeed once the lock is free');
  const list = JSON.parse(await (await get(url, '/v1/listings', key)).text());
  assert.equal(list.data.length, 1);
  await assertStored(directory, accountId, [list.data[0].id]);
});

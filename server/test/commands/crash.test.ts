import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startCreating } from '../support/load.ts';
import { createTenantByCommand } from '../support/process.ts';
import { directoryFor, exitOf, serveFor } from '../support/serving.ts';
import { assertStored } from '../support/stored.ts';
import { until } from '../support/until.ts';

const CRASHES = 10;
const CONNECTIONS = 16;
const CREATED_BEFORE_CRASH = 100;

test('killed ten times under create load, the service starts again and has every listing it acknowledged', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off' };
  const { accountId, key } = await createTenantByCommand(settings);
  const acknowledged: string[] = [];

  for (let crash = 0; crash < CRASHES; crash += 1) {
    const { url, child } = await serveFor(t, settings);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    const load = startCreating(url, key, CONNECTIONS);
    await until('listings are created', () => load.created.length >= CREATED_BEFORE_CRASH);
    child.kill('SIGKILL');
    await exitOf(child);
    // A crash may cut a reply in the middle: that one was not acknowledged.
    await load.ended.catch(() => undefined);
    assert.deepEqual(load.refused, []);
    acknowledged.push(...load.created);
  }

  const { end } = await serveFor(t, settings);
  assert.equal(await end(), 0);
  assert.ok(acknowledged.length >= CRASHES * CREATED_BEFORE_CRASH);
  await assertStored(directory, accountId, acknowledged);
});

test('a create that was cut off by a crash is done once when it is sent again with its Idempotency-Key', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off' };
  const { accountId, key } = await createTenantByCommand(settings);
  const created: string[] = [];

  let running = await serveFor(t, settings);
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const { url, child } = running;
    const create = (base: string) =>
      fetch(`${base}/v1/listings`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `crash-${crash}`,
        },
        body: JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 }),
      });
    const cut = Promise.allSettled(Array.from({ length: 64 }, () => create(url)));
    // Some time in the middle: after none, some or all of them.
    for (let turn = 0; turn < crash * 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await exitOf(child);
    await cut;
    running = await serveFor(t, settings);
    const replies = await Promise.all([create(running.url), create(running.url)]);
    const ids = await Promise.all(replies.map(async (reply) => JSON.parse(await reply.text()).id));
    assert.equal(ids[0], ids[1]);
    created.push(ids[0]);
  }
  assert.equal(await running.end(), 0);

  assert.equal(new Set(created).size, CRASHES);
  await assertStored(directory, accountId, created);
});

test('an import that was cut off by a crash left whole rows, and sent again it brings in the rest', async (t) => {
  const ROWS = 10_000;
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off' };
  const { accountId, key } = await createTenantByCommand(settings);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' };
  const lines = Array.from({ length: ROWS }, (_, index) =>
    JSON.stringify({ externalId: `A-${index}`, address: '12 Elm Street', beds: 3, baths: 2 }),
  );
  const send = (url: string) => fetch(`${url}/v1/imports`, { method: 'POST', headers, body: lines.join('\n') });

  const { url, child } = await serveFor(t, settings);
  const cut = send(url).then(
    () => 'answered',
    () => 'cut',
  );
  const sequence = async () =>
    Number(Object(await (await fetch(`${url}/v1/listings?limit=1`, { headers })).json()).sequence);
  await until('rows are imported', async () => (await sequence()) > 0);
  child.kill('SIGKILL');
  await exitOf(child);
  assert.equal(await cut, 'cut');

  const next = await serveFor(t, settings);
  const { created, updated, unchanged, failed } = Object(await (await send(next.url)).json());
  assert.ok(created > 0 && unchanged > 0, `${created} created, ${unchanged} unchanged`);
  assert.deepEqual([created + unchanged, updated, failed], [ROWS, 0, 0]);
  assert.equal(await next.end(), 0);
  await assertStored(directory, accountId, []);
});

test('requests and errors that were counted stay counted after a crash, and those of a stop are written', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory };
  const { keyId, key } = await createTenantByCommand(settings);
  const ask = async (url: string, path: string) => {
    await (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).text();
  };

  const { url, child } = await serveFor(t, settings);
  for (const path of ['/v1/me', '/v1/me', '/v1/nothing']) await ask(url, path);
  // What a crash takes is younger than a minute.
  await until('the counts are written', () => countUse(directory, keyId).requests === 3, 60_000);
  child.kill('SIGKILL');
  await exitOf(child);
  assert.deepEqual(countUse(directory, keyId), { requests: 3, errors: 1 });

  const next = await serveFor(t, settings);
  for (const path of ['/v1/me', '/v1/nothing']) await ask(next.url, path);
  assert.equal(await next.end(), 0);
  assert.deepEqual(countUse(directory, keyId), { requests: 5, errors: 2 });
});

function countUse(directory: string, keyId: string) {
  const database = new DatabaseSync(join(directory, 'listings.db'), { readOnly: true, timeout: 5_000 });
  const query = 'select sum(requests) as requests, sum(errors) as errors from key_hours where key_id = ?';
  const { requests, errors } = Object(database.prepare(query).get(keyId));
  database.close();
  return { requests: Number(requests), errors: Number(errors) };
}

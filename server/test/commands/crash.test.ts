import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createTenantByCommand } from '../../../testkit/src/process.ts';
import { directoryFor, exitOf, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertStored } from '../support/stored.ts';

test('an import cut by a crash saves complete rows, and sending it again saves the rest', async (t) => {
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

test('written request and error counts survive a crash, and a stop writes the rest', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory };
  const { keyId, key } = await createTenantByCommand(settings);
  const ask = async (url: string, path: string) => {
    await (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).text();
  };

  const { url, child } = await serveFor(t, settings);
  for (const path of ['/v1/me', '/v1/me', '/v1/nothing']) await ask(url, path);
  // The service writes counts every five seconds, or later on a busy machine.
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

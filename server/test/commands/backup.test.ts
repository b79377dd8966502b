import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startCreating } from '../support/load.ts';
import { createTenantByCommand, runCommand } from '../support/process.ts';
import { directoryFor, serveFor } from '../support/serving.ts';
import { until } from '../support/until.ts';

const BACKUPS = 3;
const CREATED_BETWEEN = 100;

interface Feed {
  data: { sequence: number; type: string; listingId: string }[];
  epoch: string;
}

async function read<T>(url: string, key: string): Promise<T> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(response.status, 200);
  return JSON.parse(await response.text());
}

/** A database with one account and its key, and a directory beside it for backups. */
async function tenantFor(t: TestContext) {
  const directory = await directoryFor(t);
  const backups = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off' };
  return { settings, backups, ...(await createTenantByCommand(settings)) };
}

async function backUp(file: string, settings: Record<string, string>) {
  const { code, stdout, stderr } = await runCommand(['backup', file, '--json'], settings);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('backups that are made under load are each a state the service had, and no write is refused for them', async (t) => {
  const { settings, backups, key } = await tenantFor(t);
  const { url, end } = await serveFor(t, settings);
  const load = startCreating(url, key, 8);
  const made: { file: string; acknowledged: string[] }[] = [];
  for (let count = 0; count < BACKUPS; count += 1) {
    const before = load.created.length;
    await until('more listings are created', () => load.created.length >= before + CREATED_BETWEEN);
    const file = join(backups, `${count}.db`);
    const acknowledged = [...load.created];
    await backUp(file, settings);
    made.push({ file, acknowledged });
  }
  load.finish();
  await load.ended;
  assert.deepEqual(load.refused, []);
  const busy = await runCommand(['restore', join(backups, '0.db'), '--force'], settings);
  assert.equal(busy.code, 1);
  assert.match(busy.stderr, /stop the service/);
  const all = await read<{ epoch: string; sequence: number }>(`${url}/v1/listings?limit=1`, key);
  assert.equal(all.sequence, load.created.length);
  assert.equal(await end(), 0);

  for (const { file, acknowledged } of made) {
    const elsewhere = { ...settings, DATA_DIR: await directoryFor(t) };
    assert.equal((await runCommand(['restore', file], elsewhere)).code, 0);
    const restored = await serveFor(t, elsewhere);
    const list = await read<{ data: { id: string }[]; sequence: number; epoch: string }>(
      `${restored.url}/v1/listings`,
      key,
    );
    const events: Feed['data'] = [];
    while (events.length < list.sequence) {
      const { data } = await read<Feed>(`${restored.url}/v1/events?limit=1000&after=${events.length}`, key);
      assert.ok(data.length > 0);
      events.push(...data);
    }
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: list.sequence }, (_, index) => index + 1),
    );
    const ids = new Set(list.data.map(({ id }) => id));
    assert.deepEqual(new Set(events.map(({ listingId }) => listingId)), ids);
    assert.deepEqual(
      acknowledged.filter((id) => !ids.has(id)),
      [],
    );
    assert.notEqual(list.epoch, all.epoch);
    assert.equal(await restored.end(), 0);
  }
});

test('the epoch can be renewed while the service runs', async (t) => {
  const { settings, key } = await tenantFor(t);
  const { url } = await serveFor(t, settings);
  const { epoch } = await read<Feed>(`${url}/v1/events`, key);
  const { stdout } = await runCommand(['renew-epoch', '--json'], settings);
  const renewed = await read<Feed>(`${url}/v1/events`, key);
  assert.equal(renewed.epoch, JSON.parse(stdout).epoch);
  assert.notEqual(renewed.epoch, epoch);
});

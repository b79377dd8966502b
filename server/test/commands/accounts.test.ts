import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { createTenantByCommand, environment, PROGRAM, runCommandWarm } from '../../../testkit/src/process.ts';
import { createDirectory } from '../../../testkit/src/service.ts';
import { serveFor } from '../../../testkit/src/serving.ts';

const directory = await createDirectory();
const settings = { DATA_DIR: directory };
const { url } = await serveFor({ after }, settings);
after(() => rm(directory, { recursive: true, force: true }));
const run = (...args: string[]) => runCommandWarm(args, settings);

/** Creates a listing with a price and an area, and returns it as served. */
async function createPriced(url: string, key: string, fields: object = {}) {
  const response = await fetch(`${url}/v1/listings`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2, listPrice: 1, livingArea: 2, ...fields }),
  });
  assert.equal(response.status, 201);
  return JSON.parse(await response.text());
}

test('accounts update changes the running service’s defaults at once, but no existing listing', async () => {
  const { accountId, key } = await createTenantByCommand(settings);
  const before = await createPriced(url, key);
  assert.deepEqual([before.currency, before.livingAreaUnits], ['USD', 'sqft']);
  const { stdout } = await run('accounts', 'update', accountId, '--currency', 'EUR', '--area-units', 'sqm', '--json');
  assert.deepEqual(JSON.parse(stdout), { id: accountId, name: 'Ada', currency: 'EUR', areaUnits: 'sqm' });
  const later = await createPriced(url, key);
  assert.deepEqual([later.currency, later.livingAreaUnits], ['EUR', 'sqm']);
  const same = await fetch(`${url}/v1/listings/${before.id}`, { headers: { Authorization: `Bearer ${key}` } });
  assert.deepEqual(JSON.parse(await same.text()), before);
});

test('accounts update renames an account and changes nothing else', async () => {
  const { accountId } = await createTenantByCommand(settings);
  const { stdout } = await run('accounts', 'update', '--account', accountId, '--name', 'Ada & Sons', '--json');
  assert.deepEqual(JSON.parse(stdout), { id: accountId, name: 'Ada & Sons', currency: 'USD', areaUnits: 'sqft' });
});

describe('accounts update rejects invalid values and changes nothing', async () => {
  const { accountId } = await createTenantByCommand(settings);
  for (const [name, args, expected, message] of [
    ['an invalid currency', ['--currency', 'usd'], 2, /ISO 4217/],
    ['invalid units', ['--area-units', 'acres'], 2, /sqft, sqm/],
    ['a blank name', ['--name', ' '], 1, /1 to 100 characters/],
  ] as const) {
    test(name, async () => {
      const { code, stderr } = await run('accounts', 'update', accountId, '--name', 'Bob', ...args);
      assert.equal(code, expected);
      assert.match(stderr, message);
      const accounts: { id: string; name: string }[] = JSON.parse((await run('accounts', 'list', '--json')).stdout);
      assert.equal(accounts.find(({ id }) => id === accountId)?.name, 'Ada');
    });
  }
});

test('an unknown account cannot be changed or deleted', async () => {
  for (const args of [
    ['update', 'acc_0', '--name', 'Bob'],
    ['delete', 'acc_0', '--yes'],
  ]) {
    const { code, stderr } = await run('accounts', ...args);
    assert.equal(code, 1);
    assert.match(stderr, /There is no account acc_0/);
  }
});

/** Counts the account's rows, and the listings of all accounts in the search columns. */
function countTraces(accountId: string) {
  const database = new DatabaseSync(join(directory, 'listings.db'), { readOnly: true });
  const count = (query: string, ...values: string[]) => Number(database.prepare(query).get(...values)?.count);
  const tables = [
    'account_heads',
    'listings',
    'listing_history',
    'events',
    'idempotency_keys',
    'api_keys',
    'account_numbers',
  ];
  const rows = tables.map((table) => count(`select count(*) as count from ${table} where account_id = ?`, accountId));
  const found = count('select count(*) as count from listing_facets');
  database.close();
  return { rows: rows.reduce((sum, number) => sum + number, 0), found };
}

test('accounts delete --yes deletes the account’s keys, listings, and events, and nothing else', async () => {
  const [ada, bob] = [await createTenantByCommand(settings), await createTenantByCommand(settings)];
  for (let index = 0; index < 450; index += 50) {
    await Promise.all(Array.from({ length: 50 }, () => createPriced(url, ada.key)));
  }
  const kept = await createPriced(url, bob.key);
  const { found } = countTraces(bob.accountId);
  const { code, stdout, stderr } = await run('accounts', 'delete', ada.accountId, '--yes', '--json');
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { id: ada.accountId, deleted: true });
  assert.deepEqual(countTraces(ada.accountId), { rows: 0, found: found - 450 });
  const me = await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${ada.key}` } });
  assert.equal(me.status, 401);
  const list = await fetch(`${url}/v1/listings`, { headers: { Authorization: `Bearer ${bob.key}` } });
  assert.deepEqual(JSON.parse(await list.text()).data, [kept]);
});

/** Runs `accounts delete` and answers its prompt. */
async function answer(accountId: string, text: string): Promise<number | null> {
  const child = spawn(process.execPath, [PROGRAM, 'accounts', 'delete', accountId], { env: environment(settings) });
  child.stdin.end(text);
  const [code] = await once(child, 'exit');
  return code;
}

test('accounts delete asks for the name, and deletes nothing if it is wrong or missing', async () => {
  const { accountId, keyId } = await createTenantByCommand(settings);
  for (const wrong of ['', '\n', 'Bob\n', 'yes\n']) assert.equal(await answer(accountId, wrong), 1, wrong);
  const keys: { id: string }[] = JSON.parse((await run('keys', 'list', '--account', accountId, '--json')).stdout);
  assert.deepEqual(
    keys.map(({ id }) => id),
    [keyId],
  );
  // Also without a line break.
  assert.equal(await answer(accountId, 'Ada'), 0);
  assert.equal(countTraces(accountId).rows, 0);
});

test('the command line sets and shows quotas, and off removes them', async () => {
  const args = ['--listings-max', '2', '--bytes-max', '500MB', '--rate-limit', '1000/10s'];
  const quotas = { listingsMax: 2, bytesMax: 500_000_000, rateLimit: '1000/10s' };
  const made = JSON.parse((await run('accounts', 'create', '--name', 'Quota', ...args, '--json')).stdout);
  assert.deepEqual(made, { id: made.id, name: 'Quota', ...quotas });
  const listed = async () => {
    const all: { id: string; [member: string]: unknown }[] = JSON.parse(
      (await run('accounts', 'list', '--json')).stdout,
    );
    return all.find(({ id }) => id === made.id);
  };
  const { createdAt, ...shown } = (await listed()) ?? { createdAt: '' };
  const defaults = { currency: 'USD', areaUnits: 'sqft', suspendedFor: null };
  assert.deepEqual(shown, { id: made.id, name: 'Quota', ...defaults, listings: 0, bytes: 0, ...quotas });
  const { stdout } = await run('accounts', 'update', made.id, '--bytes-max', 'off', '--rate-limit', 'off');
  assert.match(stdout, /at most 2 listings, any number of bytes, the rate limit in RATE_LIMIT/);
});

test('the command line suspends an account with a reason and resumes it while the service runs', async () => {
  const { accountId, key } = await createTenantByCommand(settings);
  const status = async () => (await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } })).status;
  assert.equal((await run('accounts', 'suspend', accountId, '--reason', 'Unpaid invoice')).code, 0);
  assert.equal(await status(), 401);
  assert.match((await run('accounts', 'list')).stdout, /Ada \(suspended: Unpaid invoice\)/);
  assert.equal((await run('accounts', 'resume', accountId)).code, 0);
  assert.equal(await status(), 200);
  assert.equal((await run('accounts', 'resume', accountId)).code, 1);
  const foreign = await run('accounts', 'suspend', accountId, '--reason', ' 請求書 ', '--json');
  assert.deepEqual(JSON.parse(foreign.stdout), { id: accountId, suspendedFor: '請求書' });
  assert.match(foreign.stderr, /^warning: API errors show the reason in ASCII/m);
});

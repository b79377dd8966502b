import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { KEY_REJECTED } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { rollApiKey } from '../../src/domain/keys/api-keys.ts';

const service = await startSharedService();
const HOUR_MS = 3_600_000;

/** An administrator with a key. */
async function enter(given: object = {}) {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const { key, ...row } = await browser.ask('POST', '/admin/api-keys', { name: 'Website', ...given }, 201);
  const list = async () => (await browser.ask('GET', '/admin/api-keys')).data;
  const use = (secret: string) => service.fetch({ accountId: person.accountId, keyId: '', key: secret }, '/v1/me');
  const actions = async () =>
    (await browser.ask('GET', '/admin/activity')).data
      .map(({ action, target }: Record<string, { name: string }>) => `${action} ${target?.name}`)
      .filter((text: string) => text.startsWith('api_key'));
  const roll = (body: object, status = 201) => browser.ask('POST', `/admin/api-keys/${row.id}/roll`, body, status);
  return { person, browser, key, row, list, use, actions, roll };
}

test('a rolled key has a new key with its name and access, and both work until the old one expires', async () => {
  const { key, row, list, use, actions, roll } = await enter({ access: 'read' });
  const before = Date.now();
  const { key: newKey, ...newRow } = await roll({ expiresInHours: 2 });
  assert.match(newKey, /^plk_[0-9A-Za-z]{38}$/);
  assert.notEqual(newKey, key);
  assert.deepEqual([newRow.name, newRow.access, newRow.expiresAt, newRow.replacedBy], ['Website', 'read', null, null]);
  assert.equal((await use(key)).status, 200);
  const [old, other] = await list();
  assert.deepEqual([old.id, old.replacedBy, other.id], [row.id, newRow.id, newRow.id]);
  const expiresAt = Date.parse(old.expiresAt);
  assert.ok(expiresAt >= before + 2 * HOUR_MS && expiresAt <= Date.now() + 2 * HOUR_MS);
  assert.deepEqual([old.requests24h, other.requests24h, other.lastUsedAt], [1, 0, null]);
  assert.equal((await use(newKey)).status, 200);
  const [rolled, created] = await actions();
  const { start, id } = newRow;
  assert.equal(rolled, `api_key.rolled Website: replaced by ${start}… (${id}); the old key expires ${old.expiresAt}`);
  assert.equal(created, 'api_key.created Website');

  await service.sql('update api_keys set expires_at = ? where id = ?', Date.now() - 1, row.id);
  const rejected = await use(key);
  assert.deepEqual([rejected.status, await rejected.text()], [401, KEY_REJECTED]);
  assert.match(rejected.headers.get('www-authenticate') ?? '', /has expired/);
  assert.equal((await use(newKey)).status, 200);
});

test('with 0 hours, the old key is deleted and rejected at once, even for a long poll that is waiting', async () => {
  const { key, list, use, actions, roll, person } = await enter();
  const tenant = { accountId: person.accountId, keyId: '', key };
  const held = service.fetch(tenant, '/v1/events?wait=20');
  await until('the request is counted', async () => (await list())[0].requests24h === 1);
  const { key: newKey, id, start } = await roll({ expiresInHours: 0 });
  const rejected = await use(key);
  assert.deepEqual([rejected.status, await rejected.text()], [401, KEY_REJECTED]);
  assert.deepEqual(
    (await list()).map((row: { id: string }) => row.id),
    [id],
  );
  assert.equal((await post(service, { ...tenant, key: newKey }, MINIMAL)).status, 201);
  assert.equal((await held).status, 401);
  assert.deepEqual((await actions()).slice(0, 2), [
    'api_key.deleted Website',
    `api_key.rolled Website: replaced by ${start}… (${id}); the old key is deleted`,
  ]);
});

test('without hours, the old key expires after a day; the new key has the same lifetime as the old one', async () => {
  const expiresAt = new Date(Date.now() + 1_000 * HOUR_MS).toISOString();
  const { row, list, roll } = await enter({ expiresAt });
  const rolled = await roll({});
  const [old] = await list();
  assert.ok(Math.abs(Date.parse(old.expiresAt) - Date.now() - 24 * HOUR_MS) < HOUR_MS);
  const lifetime = (key: Record<string, string>) => Date.parse(key.expiresAt ?? '') - Date.parse(key.createdAt ?? '');
  assert.ok(Math.abs(lifetime(rolled) - lifetime(row)) < 1_000);
});

test('a roll never lets the old key live longer', async () => {
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const { list, roll } = await enter({ expiresAt });
  await roll({ expiresInHours: 168 });
  assert.equal((await list())[0].expiresAt, expiresAt);
});

test('a key is rolled only once, even by simultaneous requests, and a new key can be rolled again', async () => {
  const { browser, row, list, roll } = await enter();
  const rolls = await Promise.all(
    Array.from({ length: 4 }, () => browser.send('POST', `/admin/api-keys/${row.id}/roll`, { expiresInHours: 1 })),
  );
  assert.deepEqual(rolls.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  const { error } = await roll({}, 409);
  const [, { id }] = await list();
  assert.equal(error.message, `The key ${row.id} has already been rolled; roll its replacement ${id} instead.`);
  await browser.ask('POST', `/admin/api-keys/${id}/roll`, {}, 201);
  assert.equal((await list()).length, 3);
});

test('a rolled key whose replacement was deleted cannot be rolled, and the error says what to do', async () => {
  const { browser, row, list, roll } = await enter();
  const { id } = await roll({});
  await browser.ask('DELETE', `/admin/api-keys/${id}`, undefined, 204);
  const before = await list();
  const { error } = await roll({}, 409);
  assert.equal(
    error.message,
    `The key ${row.id} has already been rolled, and its replacement was deleted; create a new key instead.`,
  );
  assert.deepEqual(await list(), before);
});

test('an invalid roll or name changes nothing', async () => {
  const { browser, row, list, roll, actions } = await enter();
  const before = await list();
  for (const [expiresInHours, code] of [
    [-1, 'out_of_range'],
    [169, 'out_of_range'],
    [1.5, 'not_an_integer'],
    ['1', 'invalid_type'],
  ] as const) {
    const { error } = await roll({ expiresInHours }, 422);
    assert.deepEqual(
      error.details.map((issue: { code: string }) => issue.code),
      [code],
      String(expiresInHours),
    );
  }
  await roll({ name: 'Other' }, 422);
  for (const body of [{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'A', access: 'read' }])
    assert.equal((await browser.ask('PATCH', `/admin/api-keys/${row.id}`, body, 422)).error.code, 'validation_failed');
  assert.deepEqual([await list(), await actions()], [before, ['api_key.created Website']]);
});

test('a key is renamed, and still works', async () => {
  const { browser, key, row, list, use, actions } = await enter();
  await (await use(key)).text();
  const [used] = await list();
  const renamed = await browser.ask('PATCH', `/admin/api-keys/${row.id}`, { name: ' Portal ' });
  assert.deepEqual(renamed, { ...used, name: 'Portal' });
  assert.deepEqual(await list(), [renamed]);
  assert.equal((await use(key)).status, 200);
  await browser.ask('PATCH', `/admin/api-keys/${row.id}`, { name: 'Portal' });
  assert.deepEqual(await actions(), ['api_key.renamed Website: now called Portal', 'api_key.created Website']);
});

test("another account's key is not found, and former administrators cannot roll a key", async () => {
  const [one, other] = [await enter(), await enter()];
  const before = await one.list();
  await other.browser.ask('POST', `/admin/api-keys/${one.row.id}/roll`, {}, 404);
  await other.browser.ask('PATCH', `/admin/api-keys/${one.row.id}`, { name: 'A' }, 404);
  const { accountId, userId, email } = one.person;
  const former = {
    sessionId: 'none',
    userId,
    userName: 'Bob',
    email,
    accountId,
    role: 'administrator',
    address: '',
  } as const;
  await assert.rejects(rollApiKey(service.database, one.row.id, 1, former), { code: 'unauthorized' });
  assert.deepEqual(await one.list(), before);
});

test('a rolled key never outlives the year 9999, the last one that a time can have', async () => {
  const { key, row, list, roll, use } = await enter();
  await service.sql(
    'update api_keys set created_at = created_at - 2000, expires_at = ? where id = ?',
    Date.parse('9999-12-31T23:59:59Z'),
    row.id,
  );
  const { key: secret, id } = await roll({});
  const expiresAt = '9999-12-31T23:59:59.999Z';
  assert.equal((await list()).find((shown: { id: string }) => shown.id === id).expiresAt, expiresAt);
  assert.equal(JSON.parse(await (await use(secret)).text()).key.expiresAt, expiresAt);
  assert.notEqual(secret, key);
});

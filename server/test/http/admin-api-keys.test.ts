import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { KEY_REJECTED, linesOf } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { deleteApiKey, issueApiKey } from '../../src/domain/keys/api-keys.ts';

const service = await startSharedService();

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An administrator of a new account, signed in. */
async function enter() {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const actions = async () => (await browser.ask('GET', '/admin/activity')).data.map((entry: object) => summary(entry));
  return { person, browser, actions };
}

function summary(entry: object): string {
  const { action, actor, target, address } = Object(entry);
  return [action, actor.type, actor.name, target?.type, target?.name, address].join(' ');
}

test('a new key works at once, is shown once, and stops working when deleted', async () => {
  const { person, browser, actions } = await enter();
  const { key, ...row } = await browser.ask('POST', '/admin/api-keys', { name: ' Website ' }, 201);
  assert.match(key, /^plk_[0-9A-Za-z]{38}$/);
  assert.match(row.createdAt, TIME);
  assert.deepEqual(row, {
    id: row.id,
    name: 'Website',
    start: key.slice(0, 8),
    access: 'full',
    createdBy: person.name,
    createdAt: row.createdAt,
    lastUsedAt: null,
    expiresAt: null,
    replacedBy: null,
    requests24h: 0,
    errors24h: 0,
  });
  const tenant = { accountId: person.accountId, keyId: row.id, key };
  assert.equal((await post(service, tenant, MINIMAL)).status, 201);
  const listed = await browser.send('GET', '/admin/api-keys');
  const text = await listed.text();
  const { lastUsedAt } = JSON.parse(text).data[0];
  assert.match(lastUsedAt, TIME);
  assert.deepEqual(JSON.parse(text), { data: [{ ...row, lastUsedAt, requests24h: 1 }], nextCursor: null });
  assert.ok(!text.includes(key));

  const gone = await browser.send('DELETE', `/admin/api-keys/${row.id}`);
  assert.deepEqual([gone.status, await gone.text()], [204, '']);
  const rejected = await service.fetch(tenant, '/v1/listings');
  assert.deepEqual([rejected.status, await rejected.text()], [401, KEY_REJECTED]);
  assert.deepEqual((await browser.ask('GET', '/admin/api-keys')).data, []);
  assert.equal((await browser.ask('DELETE', `/admin/api-keys/${row.id}`, undefined, 404)).error.code, 'not_found');
  const ada = 'administrator Ada Lovelace api_key Website 127.0.0.1';
  assert.deepEqual((await actions()).slice(0, 2), [`api_key.deleted ${ada}`, `api_key.created ${ada}`]);
});

test('access and expiry are stored; null selects the default', async () => {
  const { browser } = await enter();
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const read = await browser.ask('POST', '/admin/api-keys', { name: 'A', access: 'read', expiresAt }, 201);
  assert.deepEqual([read.access, read.expiresAt], ['read', expiresAt]);
  const full = await browser.ask('POST', '/admin/api-keys', { name: 'B', access: null, expiresAt: null }, 201);
  assert.deepEqual([full.access, full.expiresAt], ['full', null]);
  const { data } = await browser.ask('GET', '/admin/api-keys');
  assert.deepEqual(linesOf(data, 'name'), ['A', 'B']);
});

describe('an invalid request lists every issue and creates no key', () => {
  const BODIES: [body: unknown, faults: string[]][] = [
    [{}, ['name: required']],
    [{ name: ' ' }, ['name: blank']],
    [{ name: 'x'.repeat(101) }, ['name: too_long']],
    [{ name: 'a\u0000b' }, ['name: invalid_format']],
    [{ name: 1, access: 'all' }, ['access: invalid_choice', 'name: invalid_type']],
    [{ name: 'A', expiresAt: 'tomorrow' }, ['expiresAt: invalid_format']],
    [{ name: 'A', expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt: out_of_range']],
    [{ name: 'A', expiresAt: 1 }, ['expiresAt: invalid_type']],
    [{ name: 'A', accountId: 'acc_x' }, ['accountId: unknown_field']],
    [{ name: 'A', createdBy: 'Eve' }, ['createdBy: unknown_field']],
    [[], ['body: invalid_type']],
  ];
  for (const [body, faults] of BODIES) {
    test(JSON.stringify(body).slice(0, 60), async () => {
      const { browser, actions } = await enter();
      const { error } = await browser.ask('POST', '/admin/api-keys', body, 422);
      assert.equal(error.code, 'validation_failed');
      const named = error.details.map(({ field, code }: Record<string, string>) => `${field}: ${code}`);
      assert.deepEqual(named.sort(), faults);
      assert.deepEqual((await browser.ask('GET', '/admin/api-keys')).data, []);
      assert.ok(!(await actions()).some((action: string) => action.startsWith('api_key')));
    });
  }
});

test('a key shows its requests and errors of the last 24 hours, not counting invalid keys', async () => {
  const { person, browser } = await enter();
  const { key, id } = await browser.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
  const tenant = { accountId: person.accountId, keyId: id, key };
  for (const path of ['/v1/me', '/v1/listings', '/v1/nothing', '/v1/listings?limit=0']) {
    await (await service.fetch(tenant, path)).text();
  }
  await (await service.fetch({ ...tenant, key: `${key}x` }, '/v1/me')).text();
  const { requests24h, errors24h, lastUsedAt } = (await browser.ask('GET', '/admin/api-keys')).data[0];
  assert.deepEqual([requests24h, errors24h], [4, 2]);
  assert.match(lastUsedAt, TIME);
});

test('a key made on the command line has no creator, and the audit log names the operator', async () => {
  const { person, browser, actions } = await enter();
  const request = { accountId: person.accountId, name: 'Import', access: 'read', expiresAt: null } as const;
  const { key } = await issueApiKey(service.database, { ...request, createdBy: null });
  assert.equal((await browser.ask('GET', '/admin/api-keys')).data[0].createdBy, null);
  await deleteApiKey(service.database, key.id);
  const operator = 'operator Operator api_key Import ';
  assert.deepEqual((await actions()).slice(0, 2), [`api_key.deleted ${operator}`, `api_key.created ${operator}`]);
});

test('a former administrator cannot create a key', async () => {
  const { person } = await enter();
  const member = await createPerson(service, { accountId: person.accountId, role: 'member', name: 'Bob' });
  const administrator = {
    sessionId: 'none',
    userId: member.userId,
    userName: 'Bob',
    email: member.email,
    accountId: person.accountId,
    role: 'administrator',
    address: '127.0.0.1',
  } as const;
  const request = { accountId: person.accountId, name: 'A', access: 'full', expiresAt: null, createdBy: null } as const;
  await assert.rejects(issueApiKey(service.database, request, administrator), { code: 'unauthorized' });
});

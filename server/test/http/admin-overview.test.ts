import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { ENGINE } from '../../../testkit/src/database.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { faultsOf, linesOf, readError } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';
import { nextTotp, totp } from '../../../testkit/src/totp.ts';
import { until } from '../../../testkit/src/until.ts';
import { changeAccount } from '../../src/domain/accounts/accounts.ts';
import { startReceiver } from '../support/receiver.ts';

const service = await startSharedService();

async function enter() {
  const person = await createPerson(service);
  return { person, accountId: person.accountId, browser: await signIn(service, person) };
}

const NOTHING = {
  listings: {
    total: 0,
    byStatus: {
      ...{ coming_soon: 0, active: 0, active_under_contract: 0, pending: 0, hold: 0, withdrawn: 0, closed: 0 },
      ...{ expired: 0, canceled: 0 },
    },
  },
  usage: { keys: [], hours: [] },
  lastListingAt: null,
  keyCount: 0,
  failingWebhooks: [],
};

test('the overview of a new account is empty', async () => {
  const { browser } = await enter();
  assert.deepEqual(await browser.ask('GET', '/admin/overview'), NOTHING);
});

test('the overview counts listings by status and has the time of the last creation', async () => {
  const { browser } = await enter();
  const other = await enter();
  await other.browser.ask('POST', '/admin/listings', MINIMAL, 201);
  for (const status of ['active', 'pending', 'pending']) {
    await browser.ask('POST', '/admin/listings', { ...MINIMAL, status }, 201);
  }
  const { createdAt } = await browser.ask('POST', '/admin/listings', MINIMAL, 201);
  const { listings, lastListingAt } = await browser.ask('GET', '/admin/overview');
  assert.deepEqual(listings, { total: 4, byStatus: { ...NOTHING.listings.byStatus, active: 2, pending: 2 } });
  assert.equal(lastListingAt, createdAt);
});

test('the overview shows failing endpoints to administrators only, since a URL may contain a secret', async (t) => {
  const { accountId, browser } = await enter();
  const member = await signIn(service, await createPerson(service, { accountId, role: 'member' }));
  const receiver = await startReceiver(t);
  receiver.respond = (_, response) => void response.writeHead(500).end();
  const { id } = await browser.ask('POST', '/admin/webhooks', { url: receiver.url }, 201);
  await browser.ask('POST', '/admin/listings', MINIMAL, 201);
  const [failing] = await until('the endpoint fails', async () => {
    const { failingWebhooks } = await browser.ask('GET', '/admin/overview');
    return failingWebhooks.length > 0 && failingWebhooks;
  });
  assert.deepEqual([failing.id, failing.url, failing.disabledAt], [id, receiver.url, null]);
  assert.ok(failing.failingSince);
  assert.deepEqual((await member.ask('GET', '/admin/overview')).failingWebhooks, []);
});

test('listings are recounted only after a change, however many requests arrive', async (t) => {
  const { browser } = await enter();
  const counts = t.mock.method(service.database.search, 'countByStatus').mock;
  const overview = () => browser.ask('GET', '/admin/overview');
  for (let turn = 0; turn < 2; turn += 1) await overview();
  await Promise.all([overview(), overview()]);
  assert.equal(counts.callCount(), 1);
  await browser.ask('POST', '/admin/listings', MINIMAL, 201);
  await Promise.all([overview(), overview(), overview()]);
  assert.equal(counts.callCount(), 2);
  assert.equal((await overview()).listings.total, 1);
});

test('usage is counted by key and hour, and a deleted key keeps its name and usage', async () => {
  const { browser, accountId } = await enter();
  const tenants = await Promise.all(
    ['Website', 'Import'].map(async (name) => {
      const { id, key } = await browser.ask('POST', '/admin/api-keys', { name }, 201);
      return { accountId, keyId: id, key };
    }),
  );
  const [website, imports] = tenants;
  assert.ok(website && imports);
  for (const path of ['/v1/me', '/v1/me', '/v1/nothing']) await (await service.fetch(website, path)).text();
  await (await service.fetch(imports, '/v1/me')).text();
  // The usage of the deleted key is not stored yet.
  await browser.ask('DELETE', `/admin/api-keys/${imports.keyId}`, undefined, 204);
  await (await service.fetch(imports, '/v1/me')).text();

  const overview = () => browser.ask('GET', '/admin/overview');
  await until('the usage is stored', async () => (await overview()).usage.keys.length === 2);
  const { usage, keyCount } = await overview();
  assert.equal(keyCount, 1);
  const expected = [`${website.keyId} Website false`, `${imports.keyId} Import true`];
  assert.deepEqual(linesOf(usage.keys, 'id', 'name', 'isDeleted').sort(), expected.sort());
  for (const { hour } of usage.hours) assert.match(hour, /T\d\d:00:00\.000Z$/);
  const sum = (keyId: string, name: string) => {
    const own = usage.hours.filter((hour: { keyId: string }) => hour.keyId === keyId);
    return own.reduce((total: number, hour: Record<string, number>) => total + Number(hour[name]), 0);
  };
  assert.deepEqual([sum(website.keyId, 'requests'), sum(website.keyId, 'errors')], [3, 1]);
  assert.deepEqual([sum(imports.keyId, 'requests'), sum(imports.keyId, 'errors')], [1, 0]);
});

test('requests above the rate limit are not counted', async () => {
  await using limited = await startTestService({ rateLimit: { points: 2, seconds: 3600 } });
  const browser = await signIn(limited, await createPerson(limited));
  const { id, key } = await browser.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
  const tenant = { accountId: '', keyId: id, key };
  const statuses: number[] = [];
  for (let index = 0; index < 4; index += 1) statuses.push((await limited.fetch(tenant, '/v1/me')).status);
  assert.deepEqual(statuses, [200, 200, 429, 429]);
  const row = async () => (await browser.ask('GET', '/admin/api-keys')).data[0];
  await until('the usage is stored', async () => (await row()).requests24h > 0);
  assert.deepEqual([(await row()).requests24h, (await row()).errors24h], [2, 0]);
});

test('the audit log is paged newest first, and new entries do not move the pages', async () => {
  const { browser } = await enter();
  for (let index = 0; index < 7; index += 1) {
    await browser.ask('POST', '/admin/api-keys', { name: `Key ${index}` }, 201);
  }
  const all = linesOf((await browser.ask('GET', '/admin/activity?limit=1000')).data, 'id');
  const ids: string[] = [];
  let query = '?limit=3';
  for (;;) {
    const { data, nextCursor } = await browser.ask('GET', `/admin/activity${query}`);
    ids.push(...linesOf(data, 'id'));
    await browser.ask('POST', '/admin/api-keys', { name: 'Meanwhile' }, 201);
    if (nextCursor === null) break;
    query = `?limit=3&cursor=${nextCursor}`;
  }
  assert.deepEqual(ids, all);
  assert.deepEqual(ids, [...ids].sort().reverse());
});

test("another account's cursor for the audit log is rejected", async () => {
  const ada = await enter();
  const eve = await enter();
  await ada.browser.ask('POST', '/admin/api-keys', { name: 'A' }, 201);
  const { nextCursor } = await ada.browser.ask('GET', '/admin/activity?limit=1');
  const { error } = await eve.browser.ask('GET', `/admin/activity?limit=1&cursor=${nextCursor}`, undefined, 400);
  assert.equal(error.code, 'invalid_cursor');
});

test('administrators change the account; invalid fields are named and the audit log records it', async () => {
  const { browser, person, accountId } = await enter();
  const account = { id: accountId, name: 'Hill Country Homes', currency: 'USD', areaUnits: 'sqft' };
  assert.deepEqual(await browser.ask('GET', '/admin/account'), account);
  assert.deepEqual(await browser.ask('PATCH', '/admin/account', {}), account);
  assert.deepEqual(await browser.ask('PATCH', '/admin/account', { currency: 'USD' }), account);
  const changed = { ...account, name: 'Ada & Söhne', currency: 'EUR', areaUnits: 'sqm' };
  const { id: _id, ...patch } = changed;
  assert.deepEqual(await browser.ask('PATCH', '/admin/account', patch), changed);
  const wrong = { name: '', currency: 'eur', areaUnits: null, id: 'x' };
  const rejected = await browser.send('PATCH', '/admin/account', wrong);
  const faults = ['areaUnits: invalid_type', 'currency: invalid_choice', 'id: unknown_field', 'name: blank'];
  assert.deepEqual(faultsOf(await readError(rejected, 422, 'validation_failed')), faults);
  assert.deepEqual(await browser.ask('GET', '/admin/account'), changed);
  const listing = await browser.ask('POST', '/admin/listings', { ...MINIMAL, listPrice: 1, livingArea: 1 }, 201);
  assert.deepEqual([listing.currency, listing.livingAreaUnits], ['EUR', 'sqm']);

  await changeAccount(service.database, accountId, { name: 'By the operator' });
  const { data } = await browser.ask('GET', '/admin/activity');
  const updates = data.filter(({ action }: { action: string }) => action === 'account.updated');
  assert.deepEqual(linesOf(updates, 'actor.name', 'target.name'), [
    'Operator Ada & Söhne: now called By the operator',
    `${person.name} Hill Country Homes: now called Ada & Söhne, prices in EUR, areas in sqm`,
  ]);
});

/** Makes every insert into the audit log fail. */
const REFUSE_AUDIT = {
  sqlite: "create trigger rejected before insert on audit_log begin select raise(abort, 'no'); end",
  postgres: 'alter table audit_log add constraint rejected check (false) not valid',
};

test('changes and their audit log entries are stored together or not at all', async () => {
  await using own = await startTestService();
  const browser = await signIn(own, await createPerson(own));
  const { id } = await browser.ask('POST', '/admin/listings', MINIMAL, 201);
  const key = await browser.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
  const { id: accountId } = await browser.ask('GET', '/admin/account');
  const member = await createPerson(own, { accountId, role: 'member' });
  const invitation = await browser.ask('POST', '/admin/invitations', { email: 'a@example.com', role: 'member' }, 201);
  const tables = ['/listings', '/events', '/api-keys', '/account', '/members', '/invitations', '/session'];
  const stateOf = async () => [
    ...(await Promise.all(tables.map((path) => browser.ask('GET', `/admin${path}`)))),
    await own.sql('select user_id, password from credentials order by 1'),
    await own.sql('select user_id, backup_codes from two_factors order by 1'),
  ];
  const { totpURI, backupCodes } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
  await browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI) });
  const before = await stateOf();
  await own.script(REFUSE_AUDIT[ENGINE]);
  const changes: [method: string, path: string, body?: unknown][] = [
    ['POST', '/listings', MINIMAL],
    ['PATCH', `/listings/${id}`, { beds: 4 }],
    ['DELETE', `/listings/${id}`],
    ['POST', '/api-keys', { name: 'Second' }],
    ['DELETE', `/api-keys/${key.id}`],
    ['PATCH', '/account', { name: 'Other' }],
    ['POST', '/invitations', { email: 'b@example.com', role: 'member' }],
    ['DELETE', `/invitations/${invitation.id}`],
    ['PATCH', `/members/${member.userId}`, { role: 'administrator' }],
    ['DELETE', `/members/${member.userId}`],
    ['POST', '/auth/update-user', { name: 'Grace' }],
    ['POST', '/auth/change-password', { currentPassword: PASSWORD, newPassword: 'staple battery horse' }],
    ['POST', '/auth/two-factor/generate-backup-codes', { password: PASSWORD, code: nextTotp(totpURI) }],
    ['POST', '/auth/two-factor/disable', { password: PASSWORD, code: backupCodes[0] }],
  ];
  for (const [method, path, body] of changes) {
    const response = await browser.send(method, `/admin${path}`, body);
    assert.ok(response.status >= 500, `${method} ${path}: ${response.status}`);
    assert.doesNotMatch(await response.text(), /audit|sqlite|raise|constraint/i);
  }
  assert.deepEqual(await stateOf(), before);
});

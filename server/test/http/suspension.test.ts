import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { NDJSON, sendFile } from '../../../testkit/src/imports.ts';
import { fillBeyondBuffers, MINIMAL, openList, post, readAll } from '../../../testkit/src/listings.ts';
import { KEY_REJECTED, readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { OPERATOR } from '../../src/domain/access/audit.ts';
import { resumeAccount, suspendAccount } from '../../src/domain/accounts/account-limits.ts';
import { createAdministrator } from '../../src/domain/accounts/administrators.ts';
import { hold } from '../support/held.ts';

const service = await startSharedService();
const { database } = service;

const REASON = 'Rechnung "42" ist überfällig\u{1f4b8}';

test("a suspended account's keys get 401 with the reason, and work again after it is resumed", async () => {
  const [tenant, other] = [await service.createTenant(), await service.createTenant()];
  const created = await readListing(await post(service, tenant, MINIMAL), 201);
  await suspendAccount(database, tenant.accountId, REASON);
  for (const path of ['/v1/me', '/v1/listings', '/v1/nothing']) {
    const response = await service.fetch(tenant, path);
    assert.equal(response.status, 401);
    assert.equal(await response.text(), KEY_REJECTED);
    const description = /error_description="(.*)"$/.exec(response.headers.get('www-authenticate') ?? '')?.[1];
    assert.equal(description, "This API key's account is suspended: Rechnung '42' ist uberfallig?");
  }
  assert.equal((await post(service, tenant, MINIMAL)).status, 401);
  assert.equal((await service.fetch(other, '/v1/me')).status, 200);
  await resumeAccount(database, tenant.accountId);
  const { data, sequence } = await readList(await service.fetch(tenant, '/v1/listings'));
  assert.deepEqual([data, sequence], [[created], 1]);
});

test('a waiting request gets 401 when its account is suspended', async () => {
  const tenant = await service.createTenant();
  const [reply] = await hold(service, [tenant], 'wait=60');
  await suspendAccount(database, tenant.accountId, 'Unpaid');
  const { status, body } = (await reply) ?? {};
  assert.deepEqual([status, body], [401, KEY_REJECTED]);
});

test('a list that is being sent is cut off when its account is suspended', async () => {
  const tenant = await service.createTenant();
  await fillBeyondBuffers(service, tenant);
  const response = await openList(service, tenant);
  await suspendAccount(database, tenant.accountId, 'Unpaid');
  assert.equal((await readAll(response)).isComplete, false);
});

test('an import stops when its account is suspended, and its saved rows stay', async () => {
  const tenant = await service.createTenant();
  const row = `${JSON.stringify(MINIMAL)}\n`;
  async function* body() {
    yield Buffer.from(row);
    await suspendAccount(database, tenant.accountId, 'Unpaid');
    for (let count = 0; count < 100; count += 1) yield Buffer.from(row.repeat(1000));
  }
  const response = await sendFile(service, tenant, { type: NDJSON, body: body() }).catch(() => undefined);
  if (response !== undefined) assert.deepEqual([response.status, await response.text()], [401, KEY_REJECTED]);
  await resumeAccount(database, tenant.accountId);
  const { data } = await readList(await service.fetch(tenant, '/v1/listings'));
  assert.ok(data.length <= 1, `${data.length} listings`);
});

test('users of a suspended account cannot sign in or continue until it is resumed', async () => {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  await suspendAccount(database, person.accountId, 'Unpaid');
  const { message } = await readError(await browser.send('GET', '/admin/overview'), 403, 'forbidden');
  assert.match(message, /suspended: Unpaid/);
  const given = { email: person.email, password: PASSWORD };
  const late = new Browser(service);
  const rejected = await late.send('POST', '/admin/auth/sign-in/email', given);
  assert.deepEqual(rejected.headers.getSetCookie(), []);
  assert.match((await readError(rejected, 403, 'forbidden')).message, /suspended: Unpaid/);
  const sessions = await service.sql('select id from sessions where user_id = ?', person.userId);
  assert.equal(sessions.length, 1, 'the rejected sign-in leaves no session');
  await resumeAccount(database, person.accountId);
  await browser.ask('GET', '/admin/overview');
  await late.ask('POST', '/admin/auth/sign-in/email', given);
});

test('users of a suspended account get the reason however often they try to sign in', async () => {
  const { email, accountId } = await createPerson(service);
  await suspendAccount(database, accountId, 'Unpaid');
  for (let count = 0; count < 11; count += 1) {
    const given = { email, password: PASSWORD };
    await readError(await new Browser(service).send('POST', '/admin/auth/sign-in/email', given), 403, 'forbidden');
  }
});

test('a user with another account is signed in to that one', async () => {
  const person = await createPerson(service);
  const second = await createPerson(service);
  await createAdministrator(database, second.accountId, { email: person.email }, 'member', OPERATOR);
  await suspendAccount(database, person.accountId, 'Unpaid');
  const browser = new Browser(service);
  const session = await browser.ask('POST', '/admin/auth/sign-in/email', { email: person.email, password: PASSWORD });
  assert.equal(session.account.id, second.accountId);
  const choice = await browser.send('PUT', '/admin/session/account', { accountId: person.accountId });
  await readError(choice, 403, 'forbidden');
  await browser.ask('GET', '/admin/overview');
});

test('an invitation to a suspended account is rejected but not used up', async () => {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const invitation = { email: 'grace@example.com', role: 'member' };
  const { url } = await browser.ask('POST', '/admin/invitations', invitation, 201);
  const given = { token: String(url).split('#token=')[1], name: 'Grace Hopper', password: PASSWORD };
  await suspendAccount(database, person.accountId, 'Unpaid');
  await readError(await new Browser(service).send('POST', '/admin/invitations/accept', given), 403, 'forbidden');
  await resumeAccount(database, person.accountId);
  const session = await new Browser(service).ask('POST', '/admin/invitations/accept', given);
  assert.equal(session.account.id, person.accountId);
});

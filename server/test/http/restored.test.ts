import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { MINIMAL, send } from '../../../testkit/src/listings.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';
import { getInvitation } from '../../src/domain/accounts/acceptance.ts';
import { invite } from '../../src/domain/accounts/invitations.ts';
import { renewSetupLink } from '../../src/domain/accounts/setup.ts';
import { renewEpoch, versionFloorOf } from '../../src/storage/database-info.ts';
import { endCredentials } from '../../src/storage/restored.ts';
import { findSetupLink } from '../../src/storage/setup-links.ts';

const service = await startSharedService();
const { database } = service;

test('a restore ends all sessions, invitations, and setup links, and lists the keys', async () => {
  await renewSetupLink(database);
  const tenant = await service.createTenant('Hill Country Homes');
  const person = await createPerson(service, { accountId: tenant.accountId });
  const browser = await signIn(service, person);
  const given = { email: 'grace@example.com', role: 'member' } as const;
  const { token } = await invite(database, person.accountId, given, 'operator');
  await getInvitation(database, token);
  const ended = await database.write(endCredentials);
  assert.deepEqual([ended.sessions, ended.invitations, ended.twoFactors], [1, 1, 0]);
  const [key] = ended.keys;
  assert.deepEqual(
    [ended.keys.length, key?.id, key?.name, key?.accountId, key?.accountName, key?.start],
    [1, tenant.keyId, 'Website', tenant.accountId, 'Hill Country Homes', tenant.key.slice(0, 8)],
  );
  assert.equal(await browser.ask('GET', '/admin/session'), null);
  await assert.rejects(getInvitation(database, token), { code: 'not_found' });
  assert.equal(await findSetupLink(database), undefined);
  assert.equal((await service.fetch(tenant, '/v1/me')).status, 200, 'keys stay valid until the operator deletes them');
  await new Browser(service).ask('POST', '/admin/auth/sign-in/email', { email: person.email, password: PASSWORD });
});

test('versions of undone changes are skipped, also by a listing that has an external id again', async (t) => {
  await using own = await startTestService();
  const tenant = await own.createTenant();
  const call = async (method: string, path: string, body?: object) =>
    JSON.parse(await (await send(own, tenant, method, path, body)).text());
  const write = (mode: string, row: object) => call('POST', `/imports${mode}`, [row]);
  const versionOf = async (externalId: string) => (await call('GET', `/listings/external/${externalId}`)).version;
  const writers: Record<string, (externalId: string, beds: number) => Promise<unknown>> = {
    single: (externalId, beds) => call('PUT', `/listings/external/${externalId}`, { ...MINIMAL, beds }),
    import: (externalId, beds) => write('', { ...MINIMAL, externalId, beds }),
    atomic: (externalId, beds) => write('?atomic=true', { ...MINIMAL, externalId, beds }),
    feed: (externalId, beds) => call('PUT', '/feeds/mls', [{ ...MINIMAL, externalId, beds }]),
  };
  for (const [name, save] of Object.entries(writers)) await save(`old-${name}`, 1);
  const floor = versionFloorOf(await renewEpoch(own.database));
  for (const [name, save] of Object.entries(writers)) {
    await save(`old-${name}`, 2);
    assert.equal(await versionOf(`old-${name}`), floor, name);
    await save(`old-${name}`, 3);
    assert.equal(await versionOf(`old-${name}`), floor + 1, name);
    await send(own, tenant, 'DELETE', `/listings/external/old-${name}`);
    await save(`old-${name}`, 1);
    await save(`old-${name}`, 2);
    assert.equal(await versionOf(`old-${name}`), floor, name);
  }
  // An epoch begins after all listings, whose ids are in the future if a test of this process has moved the clock.
  t.mock.timers.enable({ apis: ['Date'], now: floor * 100 });
  const { id } = await call('POST', '/listings', MINIMAL);
  assert.equal((await call('PATCH', `/listings/${id}`, { beds: 9 })).version, 2);
});

test('an epoch begins after the newest listing, even if the clock of the renewing machine is behind', async (t) => {
  await using own = await startTestService();
  const tenant = await own.createTenant();
  const call = async (method: string, path: string, body: object) =>
    JSON.parse(await (await send(own, tenant, method, path, body)).text());
  const { id } = await call('POST', '/listings', MINIMAL);
  const now = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: now - 3_600_000 });
  const floor = versionFloorOf(await renewEpoch(own.database));
  t.mock.timers.reset();
  assert.equal((await call('PATCH', `/listings/${id}`, { beds: 9 })).version, floor);
});

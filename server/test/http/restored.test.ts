import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { getInvitation } from '../../src/domain/accounts/acceptance.ts';
import { invite } from '../../src/domain/accounts/invitations.ts';
import { renewSetupLink } from '../../src/domain/accounts/setup.ts';
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

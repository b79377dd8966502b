import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, createPerson, PASSWORD, signIn } from '../../../testkit/src/browser.ts';
import { routesOfBetterAuth } from '../../../testkit/src/identity-routes.ts';
import { startSharedService } from '../../../testkit/src/service.ts';

const service = await startSharedService();

const administrator = await createPerson(service);
const person = await createPerson(service, { accountId: administrator.accountId, role: 'member' });
const anonymous = new Browser(service);

/** Routes that the dashboard uses: statuses for an empty body, signed out and as a member. */
const MOUNTED: Record<string, [asAnonymous: number, asMember: number]> = {
  'GET /list-sessions': [401, 200],
  'POST /change-password': [401, 422],
  'POST /revoke-other-sessions': [401, 204],
  'POST /revoke-session': [401, 422],
  'POST /sign-in/email': [422, 422],
  'POST /sign-out': [204, 204],
  'POST /two-factor/disable': [401, 422],
  'POST /two-factor/enable': [401, 422],
  'POST /two-factor/generate-backup-codes': [401, 422],
  'POST /two-factor/verify-backup-code': [422, 422],
  'POST /two-factor/verify-totp': [422, 422],
  'POST /update-user': [401, 422],
};

/** All stored identity data except sessions. */
async function state(): Promise<string> {
  const tables = ['users', 'credentials', 'two_factors', 'memberships', 'invitations', 'accounts', 'verifications'];
  const rows = await Promise.all(tables.map((table) => service.sql(`select * from ${table} order by 1, 2`)));
  return JSON.stringify(rows);
}

/** A body with fields for every route. */
const EVERYTHING = {
  name: 'Mallory',
  email: person.email,
  newEmail: 'mallory@example.com',
  password: PASSWORD,
  currentPassword: PASSWORD,
  newPassword: 'mallory was here',
  token: 'x',
  code: '000000',
  userId: administrator.userId,
  accountId: administrator.accountId,
  role: 'administrator',
  provider: 'google',
  providerId: 'credential',
  callbackURL: 'https://evil.example',
};

const routes = await routesOfBetterAuth(service.database);
const before = await state();

test('better-auth has the mounted routes, and many more', () => {
  for (const route of Object.keys(MOUNTED)) assert.ok(routes.includes(route), route);
  assert.ok(routes.length > 2 * Object.keys(MOUNTED).length, routes.join('\n'));
  assert.ok(routes.includes('POST /sign-up/email') && routes.includes('POST /delete-user'));
});

describe('a route of better-auth that the dashboard uses', () => {
  for (const [route, [asAnonymous, asMember]] of Object.entries(MOUNTED)) {
    const [method = '', path = ''] = route.split(' ');
    const body = method === 'GET' ? undefined : {};
    test(`${route} without fields is ${asAnonymous} signed out and ${asMember} for a member`, async () => {
      const own = await signIn(service, person);
      for (const [browser, status] of [
        [anonymous, asAnonymous],
        [own, asMember],
      ] as const) {
        const response = await browser.send(method, `/admin/auth${path}`, body);
        assert.equal(response.status, status, await response.text());
      }
      assert.equal(await state(), before);
    });

    test(`${route} rejects fields of other routes`, async () => {
      if (method === 'GET' || path === '/revoke-other-sessions' || path === '/sign-out') return;
      const own = await signIn(service, person);
      const response = await own.send(method, `/admin/auth${path}`, EVERYTHING);
      assert.equal(response.status, 422, await response.text());
      assert.equal(await state(), before);
    });
  }
});

import assert from 'node:assert/strict';
import { routesOfBetterAuthAt } from '../../../../testkit/src/identity-routes.ts';
import { readDocument } from '../../../../testkit/src/openapi.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import { settingsOf } from '../../service.ts';
import { addPerson, type Figure, nameOf, PASSWORD, type Person, randomToken, type Scene, stateOf } from './scene.ts';

const BASES = ['/admin/auth', '/api/auth', '/auth'];

/** Undocumented routes of better-auth return 404. Documented ones reject a body with every possible member. */
export async function tryIdentityRoutes(scene: Scene): Promise<Figure[]> {
  // Do not use the document that the service serves, because it would list an added route too.
  const told = new Set(readDocument('admin').operations.map(nameOf));
  const routes = await routesOfBetterAuthAt(scene.database.url);
  const isTold = (route: string) => told.has(route.replace(' ', ' /admin/auth'));
  const mounted = routes.filter(isTold);
  assert.ok(
    mounted.length > 5 && routes.length > 2 * mounted.length,
    `better-auth has ${routes.length} routes, of which ${mounted.length} are documented`,
  );
  const member = await addPerson(scene);
  const before = await stateOf(scene);
  const body = everythingFor(scene, member.email);
  for (const route of routes.filter((each) => !isTold(each))) {
    const [method = '', path = ''] = route.replaceAll(/:\w+/g, 'x').split(' ');
    for (const browser of [scene.visitor(), member.browser]) {
      for (const base of BASES) {
        const { status, headers } = await browser.get(method, base + path, method === 'GET' ? undefined : body);
        assert.equal(status, 404, `${method} ${base}${path}: a route of better-auth returns ${status}`);
        assert.deepEqual(headers.getSetCookie(), [], `${method} ${base}${path} sets a cookie`);
      }
    }
  }
  for (const route of mounted) {
    const [method = '', path = ''] = route.split(' ');
    if (method === 'GET' || /revoke-other-sessions|sign-out/.test(path)) continue;
    for (const browser of [scene.visitor(), member.browser]) {
      const { status } = await browser.get(method, `/admin/auth${path}`, body);
      assert.ok([401, 422].includes(status), `${route} with every possible member returns ${status}`);
    }
  }
  assert.equal(await stateOf(scene), before, 'a route of better-auth changed something');
  return [['routes of better-auth', `${routes.length}; ${mounted.length} are available, each with its own checks`]];
}

function everythingFor({ ada, accountId }: Scene, email: string): Record<string, string> {
  return {
    name: 'Mallory',
    email,
    newEmail: 'mallory2@example.com',
    password: PASSWORD,
    currentPassword: PASSWORD,
    newPassword: 'mallory was here',
    token: 'x',
    code: '000000',
    userId: ada.id,
    accountId,
    role: 'administrator',
    provider: 'google',
    providerId: 'credential',
    callbackURL: 'https://evil.example',
    redirectTo: 'https://evil.example',
  };
}

const NEW_PASSWORD = 'staple battery horse correct';
/** Paths at which some version of better-auth sets, resets, or verifies passwords or emails. */
const PATHS = [
  ...['request-password-reset', 'forget-password', 'forget-password/email-otp', 'set-password', 'verify-password'],
  ...['reset-password', 'reset-password/TOKEN', 'reset-password?token=TOKEN', 'reset-password/TOKEN?callbackURL=/'],
  ...['send-verification-email', 'verify-email?token=TOKEN', 'change-email'],
];

/** The service does not have reset links. Instead, the operator sets a new password. */
export async function tryPasswordResets(scene: Scene): Promise<Figure[]> {
  const person = await addPerson(scene);
  const before = await stateOf(scene);
  const given = { email: person.email, newEmail: 'mallory2@example.com', password: PASSWORD, redirectTo: '/' };
  const body = { ...given, currentPassword: PASSWORD, newPassword: NEW_PASSWORD, token: randomToken() };
  let sent = 0;
  for (const base of BASES) {
    for (const path of PATHS.map((each) => `${base}/${each.replace('TOKEN', body.token)}`)) {
      for (const browser of [scene.visitor(), person.browser, scene.mallory.browser]) {
        for (const method of ['GET', 'POST']) {
          const { status, headers } = await browser.get(method, path, method === 'GET' ? undefined : body);
          assert.equal(status, 404, `${method} ${path} returns ${status}`);
          assert.deepEqual(headers.getSetCookie(), [], `${method} ${path} sets a cookie`);
          sent += 1;
        }
      }
    }
  }
  assert.equal(await stateOf(scene), before, 'a request for a new password changed something');
  const told = `none exist: ${sent} requests for one or with one get 404, whether signed out, as the user, or as another user`;
  return [['password reset links', told], ...(scene.trial.size === 'full' ? await resetByCommand(scene, person) : [])];
}

async function resetByCommand(scene: Scene, { email, browser }: Person): Promise<Figure[]> {
  const args = ['administrators', 'reset-password', '--account', scene.accountId, '--email', email, '--password-stdin'];
  const { code, stdout, stderr } = await runCommand(args, settingsOf(scene.trial), `${NEW_PASSWORD}\n`);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /token=|staple battery/, 'the command shows a link or the password');
  assert.equal(await browser.whoIsHere(), undefined, 'an older session still works after the command');
  for (const [password, expected] of [
    [PASSWORD, 401],
    [NEW_PASSWORD, 200],
  ] as const) {
    const { status } = await scene.visitor().enter(email, password);
    assert.equal(status, expected, `after the command, the password “${password}” gets ${status}`);
  }
  return [['a password set by `administrators reset-password`', 'ends the sessions and invalidates the old password']];
}

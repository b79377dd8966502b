import assert from 'node:assert/strict';
import { routesOfBetterAuthAt } from '../../../../testkit/src/identity-routes.ts';
import { nameOf, stateOf } from './operations.ts';
import { addPerson, type Figure, PASSWORD, type Scene } from './scene.ts';

const BASES = ['/admin/auth', '/api/auth', '/auth'];

/** better-auth's own routes return 404, signed in or not, unless the service documents them. */
export async function tryIdentityRoutes(scene: Scene): Promise<Figure[]> {
  const told = new Set(scene.operations.map(nameOf));
  const routes = await routesOfBetterAuthAt(scene.database.url);
  const isTold = (route: string) => told.has(route.replace(' ', ' /admin/auth'));
  const mounted = routes.filter(isTold);
  assert.ok(mounted.length > 5 && routes.length > 2 * mounted.length, `better-auth has ${routes.length} routes`);
  const member = await addPerson(scene);
  const before = await stateOf(scene);
  const body = everythingFor(scene, member.email);
  for (const route of routes.filter((each) => !isTold(each))) {
    const [method = '', path = ''] = route.replaceAll(/:\w+/g, 'x').split(' ');
    for (const browser of [scene.visitor(), member.browser]) {
      for (const base of BASES) {
        const { status, headers } = await browser.get(method, base + path, method === 'GET' ? undefined : body);
        assert.equal(status, 404, `${method} ${base}${path}, which only better-auth has, is answered ${status}`);
        assert.deepEqual(headers.getSetCookie(), [], `${method} ${base}${path} gives a cookie`);
      }
    }
  }
  for (const route of mounted) {
    const [method = '', path = ''] = route.split(' ');
    if (method === 'GET' || /revoke-other-sessions|sign-out/.test(path)) continue;
    for (const browser of [scene.visitor(), member.browser]) {
      const { status } = await browser.get(method, `/admin/auth${path}`, body);
      assert.ok([401, 422].includes(status), `${route} with a member for every purpose is answered ${status}`);
    }
  }
  assert.equal(await stateOf(scene), before, 'a route of better-auth has changed something');
  return [['routes of better-auth', `${routes.length}; ${mounted.length} are available, each with checks of its own`]];
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

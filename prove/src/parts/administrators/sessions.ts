import assert from 'node:assert/strict';
import { serve } from '../../service.ts';
import { addPerson, BEHIND_PROXY, type Figure, PASSWORD, type Person, type Scene, Visitor } from './scene.ts';

const NEW_PASSWORD = 'staple battery horse correct';
/** This many requests, each on a new connection, almost certainly reach both workers. */
const TURNS = 16;

export async function trySessions(scene: Scene): Promise<Figure[]> {
  const person = await addPerson(scene);
  await tryFixation(scene, person);
  await trySignOut(scene, person);
  await tryPasswordChange(scene, person);
  await tryCookies(scene, person);
  return [
    ['cookies set before the sign-in', '0 became a session'],
    ['cookies of ended sessions that two workers accepted', `0 of ${TURNS * 5}`],
  ];
}

/** Checks that a cookie set before the sign-in never becomes the session cookie. */
async function tryFixation(scene: Scene, person: Person): Promise<void> {
  const { mallory, visitor } = scene;
  const [[name = '', real = ''] = []] = mallory.browser.cookies;
  const seen = new Set<string>([real, ...person.browser.cookies.values()]);
  for (const planted of [
    real,
    'chosen-by-mallory',
    `${real.split('.')[0]}.chosen`,
    [...person.browser.cookies.values()].join(),
  ]) {
    const browser = await visitor()
      .steal(new Map([[name, planted]]))
      .signIn(person);
    const given = browser.cookies.get(name) ?? '';
    assert.ok(given !== '' && !seen.has(given), 'a sign-in kept an earlier cookie');
    seen.add(given);
    const thief = visitor().steal(new Map([[name, planted]]));
    assert.equal(await thief.whoIsHere(), undefined, 'a cookie from before the sign-in is a session');
    // In this case, the planted cookie was Mallory's own session, which the victim's sign-in ended.
    if (planted === real) await mallory.browser.signIn(mallory);
  }
  person.browser.cookies.clear();
  await person.browser.signIn(person);
}

async function trySignOut(scene: Scene, person: Person): Promise<void> {
  const browser = await scene.visitor().signIn(person);
  const stolen = new Map(browser.cookies);
  await assertEach(scene, stolen, person.email, 'a worker does not recognize a valid session');
  await browser.ask('POST', '/admin/auth/sign-out', undefined, 204);
  await assertEach(scene, stolen, undefined, 'the session still works after sign-out');
}

/** Checks that a password change ends all other sessions and renews the token of the current one. */
async function tryPasswordChange(scene: Scene, person: Person): Promise<void> {
  const signIn = () => scene.visitor().signIn(person);
  const others = [await signIn(), await signIn(), person.browser];
  const browser = await signIn();
  const before = new Map(browser.cookies);
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await browser.ask('POST', '/admin/auth/change-password', change);
  for (const other of others) {
    await assertEach(scene, other.cookies, undefined, 'an older session still works after a password change');
  }
  await assertEach(scene, before, undefined, 'a password change does not renew the session token');
  assert.equal(await browser.whoIsHere(), person.email, 'a password change ended its own session');
  const { status } = await scene.visitor().enter(person.email, PASSWORD);
  assert.equal(status, 401, `the old password gets ${status}`);
  await browser.ask('POST', '/admin/auth/change-password', { currentPassword: NEW_PASSWORD, newPassword: PASSWORD });
  person.browser.steal(browser.cookies);
}

async function assertEach(scene: Scene, cookies: ReadonlyMap<string, string>, who: string | undefined, what: string) {
  const thief = scene.visitor().steal(cookies);
  for (let turn = 0; turn < TURNS; turn += 1) {
    // A new connection can reach another worker.
    const response = await thief.fetch('/admin/session', { headers: { Connection: 'close' } });
    assert.equal(Object(await response.json())?.user?.email, who, what);
    thief.steal(cookies);
  }
}

async function tryCookies(scene: Scene, { email }: Person): Promise<void> {
  const publicUrl = 'https://listings.example.com';
  await tryCookiesOf(scene, email, scene.url);
  // The small form omits this, because starting a second service takes as long as all other checks.
  if (scene.trial.size === 'small') return;
  const secure = await serve(scene.trial, { ...BEHIND_PROXY, PUBLIC_URL: publicUrl, WORKERS: '1' });
  await tryCookiesOf(scene, email, secure.url, publicUrl);
  await secure.end();
}

async function tryCookiesOf(scene: Scene, email: string, url: string, publicUrl?: string): Promise<void> {
  const browser = new Visitor(url, scene.visitor().address);
  const given = { email, password: PASSWORD };
  const { headers } = await browser.get('POST', '/admin/auth/sign-in/email', given, { Origin: publicUrl ?? url });
  const cookies = headers.getSetCookie();
  assert.ok(cookies.length > 0, 'a sign-in sets no cookie');
  for (const cookie of cookies) assertAttributes(cookie, publicUrl !== undefined);
  const insecure = { Origin: 'http://listings.example.com' };
  const { status } = await browser.get('POST', '/admin/auth/sign-out', undefined, insecure);
  assert.equal(status, 403, `a change from an HTTP origin returns ${status}`);
}

function assertAttributes(cookie: string, isSecure: boolean): void {
  const [pair = '', ...attributes] = cookie.toLowerCase().split(/; */);
  const told = cookie.replace(/=[^;]*/, '=…');
  for (const wanted of ['httponly', 'samesite=lax', 'path=/']) {
    assert.ok(attributes.includes(wanted), `the cookie has no ${wanted}: ${told}`);
  }
  assert.ok(!attributes.some((each) => each.startsWith('domain')), `other hosts get the cookie: ${told}`);
  assert.equal(attributes.includes('secure'), isSecure, `the cookie's Secure attribute is wrong: ${told}`);
  assert.equal(pair.startsWith('__host-'), isSecure, `the cookie's __Host- prefix is wrong: ${told}`);
}

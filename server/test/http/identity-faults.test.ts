import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { Browser, createPerson, PASSWORD, type Person, signIn } from '../../../testkit/src/browser.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { nextTotp, totp } from '../../../testkit/src/totp.ts';
import { AppError } from '../../src/model/errors.ts';
import { enrol, giveCode, guard, isSignedIn, NEW_PASSWORD, typePassword } from '../support/two-factor.ts';

const service = await startSharedService();

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether the caller is the dispatcher of webhooks, which looks for endpoints every few seconds. */
function isDispatcher(): boolean {
  return new Error().stack?.includes('webhooks/dispatch') ?? false;
}

/** Makes the database unavailable after this many uses, except to the webhook dispatcher. */
function breakAfter(t: TestContext, uses: number) {
  const { database } = service;
  let used = 0;
  const methods = [
    t.mock.method(database, 'execute', fail(database.execute)),
    t.mock.method(database, 'write', fail(database.write)),
  ];
  function fail<A extends unknown[], R>(method: (...given: A) => Promise<R>) {
    return (...given: A): Promise<R> => {
      if (isDispatcher()) return method.apply(database, given);
      used += 1;
      if (used > uses) return Promise.reject(new AppError('unavailable', 'The database is not available.'));
      return method.apply(database, given);
    };
  }
  return {
    hasFailed: () => used > uses,
    restore: () => {
      for (const method of methods) method.mock.restore();
    },
  };
}

interface Scene {
  person: Person;
  browser: Browser;
  send(): Promise<Response>;
}

/** Repeats the scene, failing the database one use later each time, until no use fails. */
async function failEverywhere(
  t: TestContext,
  arrange: () => Promise<Scene>,
  check: (scene: Scene, status: number) => Promise<void>,
) {
  for (let uses = 0; ; uses += 1) {
    const scene = await arrange();
    const broken = breakAfter(t, uses);
    const response = await scene.send();
    broken.restore();
    if (!broken.hasFailed()) {
      assert.ok(response.ok, await response.text());
      assert.ok(uses > 3);
      return;
    }
    // A browser that is already signed out gets 204.
    if (response.status !== 204) await readError(response, 503, 'unavailable');
    await check(scene, response.status);
  }
}

/** A user's stored data. */
async function stored({ userId }: Person) {
  const all = (sql: string) => service.sql(sql, userId);
  const actions = await all('select action from audit_log where actor_id = ? order by id');
  const sessions = await all('select id from sessions where user_id = ?');
  const [user] = await all('select two_factor_enabled from users where id = ?');
  const factors = await all('select verified from two_factors where user_id = ?');
  return {
    actions: actions.map(({ action }) => action),
    sessions: sessions.length,
    isGuarded: user?.two_factor_enabled === 1,
    factors: factors.map(({ verified }) => verified === 1),
  };
}

async function arrange(path: string, body: unknown, prepare = signIn): Promise<Scene> {
  const person = await createPerson(service);
  const browser = await prepare(service, person);
  return { person, browser, send: () => browser.send('POST', path, body) };
}

test('a sign-in while the database fails gets 503, and no session exists without an audit log entry', async (t) => {
  const begin = async () => {
    const person = await createPerson(service);
    const browser = new Browser(service);
    const given = { email: person.email, password: PASSWORD };
    return { person, browser, send: () => browser.send('POST', '/admin/auth/sign-in/email', given) };
  };
  await failEverywhere(t, begin, async ({ browser }) => {
    assert.equal(browser.cookies.size, 0);
  });
});

test('a password change while the database fails gets 503, and is in the audit log if it took effect', async (t) => {
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  const begin = () => arrange('/admin/auth/change-password', change);
  await failEverywhere(t, begin, async ({ person, browser }) => {
    const { actions, sessions } = await stored(person);
    const isChanged = actions.includes('administrator.password_changed');
    const given = { email: person.email, password: isChanged ? NEW_PASSWORD : PASSWORD };
    if (isChanged) assert.equal(sessions, (await isSignedIn(browser)) ? 1 : 0, 'the other sessions have ended');
    else assert.ok(await isSignedIn(browser));
    await new Browser(service).ask('POST', '/admin/auth/sign-in/email', given);
  });
});

test('turning on the second factor while the database fails gets 503, and the factor is fully on or off', async (t) => {
  const begin = async () => {
    const { person, browser, totpURI } = await enrol(service);
    return { person, browser, send: () => giveCode(browser, 'totp', totp(totpURI)) };
  };
  await failEverywhere(t, begin, async ({ person }) => {
    const { actions, isGuarded, factors } = await stored(person);
    assert.equal(isGuarded, actions.includes('administrator.two_factor_enabled'));
    assert.deepEqual(factors, [isGuarded]);
  });
});

test('turning off the second factor while the database fails gets 503, and the factor is fully on or off', async (t) => {
  const begin = async () => {
    const scene = await guard(service);
    const given = { password: PASSWORD, code: nextTotp(scene.totpURI) };
    const send = () => scene.browser.send('POST', '/admin/auth/two-factor/disable', given);
    return { ...scene, send };
  };
  await failEverywhere(t, begin, async ({ person }) => {
    const { actions, isGuarded, factors } = await stored(person);
    assert.equal(isGuarded, !actions.includes('administrator.two_factor_disabled'));
    assert.equal(factors.length, isGuarded ? 1 : 0);
  });
});

test('a code entered while the database fails gets 503, does not count as wrong, and does not sign in', async (t) => {
  const begin = async () => {
    const { person, totpURI } = await guard(service);
    const browser = await typePassword(service, person);
    return { person, browser, send: () => giveCode(browser, 'totp', nextTotp(totpURI)) };
  };
  await failEverywhere(t, begin, async ({ browser }) => assert.equal(await isSignedIn(browser), false));
});

test('a sign-out while the database fails gets 503, and is in the audit log if the session ended', async (t) => {
  await failEverywhere(
    t,
    () => arrange('/admin/auth/sign-out', undefined),
    async ({ person, browser }, status) => {
      const isOver = (await stored(person)).actions.includes('administrator.signed_out');
      assert.equal(status, isOver ? 204 : 503);
      assert.equal(await isSignedIn(browser), !isOver);
    },
  );
});

test('on a full disk, a session that cannot be extended stays valid', async (t) => {
  const browser = await signIn(service, await createPerson(service));
  const newest = 'select expires_at from sessions order by id desc limit 1';
  const before = await service.sql(newest);
  const write = t.mock.method(service.database, 'write', async () => {
    throw new AppError('storage_full', 'The disk is full.');
  });
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * DAY_MS });
  defer(t, () => mock.timers.reset());
  await browser.ask('GET', '/admin/listings?limit=1');
  assert.ok(write.mock.callCount() > 0, 'the session was due to be extended');
  write.mock.restore();
  assert.deepEqual(await service.sql(newest), before);
  await browser.ask('GET', '/admin/listings?limit=1');
  assert.notDeepEqual(await service.sql(newest), before);
});

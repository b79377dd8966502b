import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Browser, createPerson, PASSWORD, type Person, signIn } from '../../../testkit/src/browser.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';
import { nextTotp, totp } from '../../../testkit/src/totp.ts';
import { resetPassword } from '../../src/domain/accounts/password-reset.ts';
import { enrol, giveCode, guard, NEW_PASSWORD, typePassword } from '../support/two-factor.ts';

const RESET_PASSWORD = 'horse staple correct battery';

/** A request that the old password authorizes, and its user. */
interface Scene {
  person: Person;
  browser: Browser;
  send(): Promise<Response>;
}

/** Runs an action just before the nth write, as another process could. */
function before(t: TestContext, { database }: TestService, nth: number, action: () => Promise<unknown>) {
  const { write } = database;
  let writes = 0;
  const mocked = t.mock.method(database, 'write', async (job: Parameters<typeof write>[0]) => {
    writes += 1;
    if (writes === nth) {
      mocked.mock.restore();
      await action();
    }
    return write.call(database, job);
  });
  return { hasCome: () => writes >= nth, restore: () => mocked.mock.restore() };
}

/** Resets the password before each write in turn: the old password must never lead to a session. */
function testEveryMoment(
  name: string,
  arrange: (service: TestService) => Promise<Scene>,
  check?: (scene: Scene) => Promise<void>,
): void {
  test(name, async (t) => {
    await using service = await startTestService();
    for (let nth = 1; ; nth += 1) {
      const scene = await arrange(service);
      const { email, accountId } = scene.person;
      const given = { email, password: RESET_PASSWORD, removeTwoFactor: false };
      const resetting = before(t, service, nth, () => resetPassword(service.database, accountId, given));
      const response = await scene.send();
      await response.text();
      resetting.restore();
      if (!resetting.hasCome()) {
        assert.ok(response.ok && nth > 1);
        return;
      }
      assert.ok([200, 401].includes(response.status), `write ${nth}: ${response.status}`);
      assert.equal(await scene.browser.ask('GET', '/admin/session'), null, `write ${nth}`);
      await check?.(scene);
      await signInWith(RESET_PASSWORD, scene.person, new Browser(service));
    }
  });
}

async function signInWith(password: string, { email }: Person, browser: Browser): Promise<void> {
  await browser.ask('POST', '/admin/auth/sign-in/email', { email, password });
}

function signingIn(service: TestService, person: Person): Scene {
  const browser = new Browser(service);
  const given = { email: person.email, password: PASSWORD };
  return { person, browser, send: () => browser.send('POST', '/admin/auth/sign-in/email', given) };
}

testEveryMoment('a password reset during sign-in leaves no session', async (service) =>
  signingIn(service, await createPerson(service)),
);

const codes = new WeakMap<Browser, string>();

testEveryMoment(
  'a password reset during sign-in leaves no sign-in that needs only the second factor',
  async (service) => {
    const { person, totpURI } = await guard(service);
    const scene = signingIn(service, person);
    codes.set(scene.browser, nextTotp(totpURI));
    return scene;
  },
  async ({ browser }) => {
    assert.equal((await giveCode(browser, 'totp', codes.get(browser))).status, 401);
  },
);

for (const factor of ['totp', 'backup-code'] as const) {
  testEveryMoment(`a password reset before the second factor leaves no session: ${factor}`, async (service) => {
    const { person, totpURI, backupCodes } = await guard(service);
    const browser = await typePassword(service, person);
    const code = factor === 'totp' ? nextTotp(totpURI) : backupCodes[0];
    return { person, browser, send: () => giveCode(browser, factor, code) };
  });
}

testEveryMoment('a password reset overrides a concurrent password change', async (service) => {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  return { person, browser, send: () => browser.send('POST', '/admin/auth/change-password', change) };
});

testEveryMoment('a password reset ends the session that turns on the second factor', async (service) => {
  const { person, browser, totpURI } = await enrol(service);
  return { person, browser, send: () => giveCode(browser, 'totp', totp(totpURI)) };
});

testEveryMoment('a password reset ends the session that turns off the second factor', async (service) => {
  const { person, browser, totpURI } = await guard(service);
  const given = { password: PASSWORD, code: nextTotp(totpURI) };
  return { person, browser, send: () => browser.send('POST', '/admin/auth/two-factor/disable', given) };
});

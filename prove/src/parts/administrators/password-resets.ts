import assert from 'node:assert/strict';
import { runCommand } from '../../../../testkit/src/process.ts';
import { settingsOf } from '../../service.ts';
import { stateOf } from './operations.ts';
import { addPerson, type Figure, PASSWORD, type Person, randomToken, type Scene } from './scene.ts';

const NEW_PASSWORD = 'staple battery horse correct';
/** Where better-auth, old or new, would offer a password or email reset. */
const PATHS = [
  ...['request-password-reset', 'forget-password', 'forget-password/email-otp', 'set-password', 'verify-password'],
  ...['reset-password', 'reset-password/TOKEN', 'reset-password?token=TOKEN', 'reset-password/TOKEN?callbackURL=/'],
  ...['send-verification-email', 'verify-email?token=TOKEN', 'change-email'],
];
const BASES = ['/admin/auth', '/api/auth', '/auth'];

/** There are no reset links; the operator sets a new password. */
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
          assert.equal(status, 404, `${method} ${path} is answered ${status}`);
          assert.deepEqual(headers.getSetCookie(), [], `${method} ${path} gives a cookie`);
          sent += 1;
        }
      }
    }
  }
  assert.equal(await stateOf(scene), before, 'a request for a new password has changed something');
  const link = 'password reset links';
  const told = `none exist: ${sent} requests for or with one are 404, signed out, as the user, and as another user`;
  return [[link, told], ...(scene.trial.size === 'full' ? await resetByCommand(scene, person) : [])];
}

async function resetByCommand(scene: Scene, { email, browser }: Person): Promise<Figure[]> {
  const args = ['administrators', 'reset-password', '--account', scene.accountId, '--email', email, '--password-stdin'];
  const { code, stdout, stderr } = await runCommand(args, settingsOf(scene.trial), `${NEW_PASSWORD}\n`);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /token=|staple battery/, 'the command shows a link or the password');
  assert.equal(await browser.whoIsHere(), undefined, 'after the command an older session goes on');
  for (const [password, expected] of [
    [PASSWORD, 401],
    [NEW_PASSWORD, 200],
  ] as const) {
    const { status } = await scene.visitor().enter(email, password);
    assert.equal(status, expected, `after the command the password is answered ${status}`);
  }
  return [['a new password by `administrators reset-password`', 'ends the sessions and the old one']];
}

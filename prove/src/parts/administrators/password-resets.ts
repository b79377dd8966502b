import assert from 'node:assert/strict';
import { runCommand } from '../../../../testkit/src/process.ts';
import { settingsOf } from '../../service.ts';
import { stateOf } from './operations.ts';
import { addPerson, type Figure, PASSWORD, type Person, type Scene } from './scene.ts';
import { randomToken } from './tokens.ts';

const NEW_PASSWORD = 'staple battery horse correct';
/** Where a link to a new password, or to another address, would be asked for and used: of better-auth, old and new. */
const PATHS = [
  'request-password-reset',
  'forget-password',
  'forget-password/email-otp',
  'reset-password',
  'reset-password/TOKEN',
  'reset-password?token=TOKEN',
  'reset-password/TOKEN?callbackURL=/',
  'set-password',
  'verify-password',
  'send-verification-email',
  'verify-email?token=TOKEN',
  'change-email',
];
const BASES = ['/admin/auth', '/api/auth', '/auth'];

/** There is no link to a new password that could be guessed or used again: who runs the service sets one. */
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
  const link = 'links to a new password';
  const told = `there are none: ${sent} requests for one, or with one, as nobody, as the person and as a stranger, are 404`;
  return [[link, told], ...(scene.trial.size === 'full' ? await resetByCommand(scene, person) : [])];
}

/** What there is instead: the sessions and the old password have ended with it. */
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

import assert from 'node:assert/strict';
import { Browser, createPerson, PASSWORD, type Person, signIn } from '../../../testkit/src/browser.ts';
import type { TestService } from '../../../testkit/src/service.ts';
import { totp } from '../../../testkit/src/totp.ts';

export const NEW_PASSWORD = 'staple battery horse correct';

interface Enrolled {
  person: Person;
  browser: Browser;
  totpURI: string;
  backupCodes: string[];
}

/** Sets up a second factor, except for its first code. */
export async function enrol(service: TestService): Promise<Enrolled> {
  const person = await createPerson(service);
  const browser = await signIn(service, person);
  const given = await browser.ask('POST', '/admin/auth/two-factor/enable', { password: PASSWORD });
  return { person, browser, ...given };
}

interface Guarded extends Enrolled {
  usedCode: string;
}

/** Signs in a user and turns on the second factor with `usedCode`. */
export async function guard(service: TestService): Promise<Guarded> {
  const enrolled = await enrol(service);
  const usedCode = totp(enrolled.totpURI);
  const { user } = Object(await (await giveCode(enrolled.browser, 'totp', usedCode)).json());
  assert.equal(user.hasTwoFactor, true);
  return { ...enrolled, usedCode };
}

/** Enters the password, so that only the code is missing. */
export async function typePassword(service: TestService, { email }: Person): Promise<Browser> {
  const browser = new Browser(service);
  const answer = await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
  assert.deepEqual(answer, { twoFactorRedirect: true });
  assert.equal(await isSignedIn(browser), false);
  return browser;
}

export function giveCode(browser: Browser, factor: 'totp' | 'backup-code', code?: string): Promise<Response> {
  return browser.send('POST', `/admin/auth/two-factor/verify-${factor}`, { code });
}

export async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.ask('GET', '/admin/session')) !== null;
}

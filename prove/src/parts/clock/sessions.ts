import assert from 'node:assert/strict';
import { Browser } from '../../../../testkit/src/browser.ts';
import { totp } from '../../../../testkit/src/totp.ts';
import type { Caller } from './caller.ts';
import { DAY_MS } from './jumps.ts';

export const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };
const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = ADMINISTRATOR;
const LIFETIME_MS = 7 * DAY_MS;
/** A session is prolonged after a day of use. */
const PROLONGED_MS = DAY_MS;
const KEPT = 3;

interface Session {
  browser: Browser;
  what: string;
  endMs: number;
}

/** A sign-in works after each change, and lasts until it expires by the clock. */
export class Sessions {
  readonly #caller: Caller;
  #totpUri = '';
  #kept: Session[] = [];
  readonly counts = { signIns: 0, good: 0, over: 0 };

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Enables a second factor. */
  async prepare(): Promise<Browser> {
    const browser = new Browser(this.#caller.service);
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password });
    const { totpURI } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password });
    this.#totpUri = totpURI;
    await browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI, this.#caller.nowMs) });
    this.#keep('right', browser);
    return browser;
  }

  /** With the password and a code by the same clock. */
  async signIn(what: string): Promise<void> {
    const browser = new Browser(this.#caller.service);
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password });
    const code = totp(this.#totpUri, this.#caller.nowMs);
    const { status } = await browser.send('POST', '/admin/auth/two-factor/verify-totp', { code });
    assert.equal(status, 200, `${what}: a right code is refused`);
    this.counts.signIns += 1;
    this.#keep(what, browser);
  }

  moveOn(): void {
    for (const session of this.#kept) {
      const browser = new Browser(this.#caller.service);
      for (const [name, value] of session.browser.cookies) browser.cookies.set(name, value);
      session.browser = browser;
    }
  }

  async check(what: string): Promise<void> {
    const good: Session[] = [];
    for (const session of this.#kept) {
      const { nowMs } = this.#caller;
      const isGood = nowMs < session.endMs;
      const user = await session.browser.ask('GET', '/admin/session');
      const words = `${what}: a session that was begun when the clock was ${session.what}`;
      assert.equal(Boolean(user), isGood, `${words} is ${isGood ? 'over' : 'good'}`);
      this.counts[isGood ? 'good' : 'over'] += 1;
      // An expired session stays expired.
      if (!isGood) continue;
      if (nowMs >= session.endMs - LIFETIME_MS + PROLONGED_MS) session.endMs = nowMs + LIFETIME_MS;
      good.push(session);
    }
    this.#kept = good;
  }

  #keep(what: string, browser: Browser): void {
    const session = { what, browser, endMs: this.#caller.nowMs + LIFETIME_MS };
    this.#kept = [...this.#kept, session].slice(-KEPT);
  }
}

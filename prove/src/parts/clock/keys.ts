import assert from 'node:assert/strict';
import { Browser } from '../../../../testkit/src/browser.ts';
import { totp } from '../../../../testkit/src/totp.ts';
import { atOnce } from '../../at-once.ts';
import { CREDENTIALS } from '../../service.ts';
import { type Caller, DAY_MS } from './caller.ts';
import { LISTING, type World } from './world.ts';

const KEY_LIFETIME_MS = 30 * DAY_MS;

/** Checks that keys expire according to the current time of the clock. */
export class Keys {
  readonly #caller: Caller;
  readonly #world: World;
  #secret = '';
  #endMs = 0;
  readonly counts = { good: 0, refused: 0 };

  constructor(caller: Caller, world: World) {
    this.#caller = caller;
    this.#world = world;
  }

  async prepare(browser: Browser): Promise<void> {
    this.#endMs = this.#caller.nowMs + KEY_LIFETIME_MS;
    const given = { name: 'Short', expiresAt: new Date(this.#endMs).toISOString() };
    this.#secret = (await browser.ask('POST', '/admin/api-keys', given, 201)).key;
  }

  async check(what: string): Promise<void> {
    for (const method of ['GET', 'POST']) {
      const isGood = this.#caller.nowMs < this.#endMs;
      const body = method === 'POST' ? LISTING : undefined;
      const { status, text } = await this.#caller.send(method, '/listings', { key: this.#secret, body });
      const words = `${what}: a key that expires at ${new Date(this.#endMs).toISOString()} gets ${status}`;
      assert.equal(isGood ? status < 300 : status === 401, true, words);
      if (method === 'POST' && isGood) this.#world.note(JSON.parse(text).id);
      this.counts[isGood ? 'good' : 'refused'] += 1;
    }
  }
}

const WINDOW_SECONDS = 3_600;
/** The rate limit, in requests per window: enough for all checks. */
const POINTS = { full: 4_000, small: 250 };
const AT_ONCE = 8;

/** Checks that requests are counted whatever the clock does, and that no key has to wait longer than one window. */
export class Limits {
  readonly #caller: Caller;
  readonly #points: number;
  /** A key that cannot send requests until the service's clock reaches this time. */
  readonly #usedUp = { key: '', untilMs: Number.NEGATIVE_INFINITY };
  readonly counts = { counted: 0, refused: 0, usedUp: 0 };

  constructor(caller: Caller, size: 'full' | 'small') {
    this.#caller = caller;
    this.#points = POINTS[size];
  }

  static settingsOf(size: 'full' | 'small'): Record<string, string> {
    return { RATE_LIMIT: `${POINTS[size]}/1h` };
  }

  async prepare(browser: Browser): Promise<void> {
    this.#usedUp.key = (await browser.ask('POST', '/admin/api-keys', { name: 'Limited' }, 201)).key;
    await this.#useUp('right');
  }

  /** Call this after a restart of the service, which resets its counts to zero. */
  beginAnew(): void {
    this.#usedUp.untilMs = Number.NEGATIVE_INFINITY;
  }

  async check(what: string): Promise<void> {
    const first = await this.#read(what, this.#caller.key);
    const second = await this.#read(what, this.#caller.key);
    const words = `${what}: two requests in a row leave ${first.remaining} and ${second.remaining} more`;
    assert.equal(second.remaining, first.remaining - 1, words);
    this.counts.counted += 1;
    // If the clock has reached the end of the window, a new window has begun.
    if (this.#caller.nowMs >= this.#usedUp.untilMs) await this.#useUp(what);
    const reading = await this.#read(what, this.#usedUp.key);
    assert.deepEqual(reading, { status: 429, remaining: 0 }, `${what}: a key without requests left is accepted`);
    this.counts.refused += 1;
  }

  async #useUp(what: string): Promise<void> {
    const { key } = this.#usedUp;
    this.#usedUp.untilMs = this.#caller.nowMs + WINDOW_SECONDS * 1_000;
    let accepted = 0;
    await atOnce(AT_ONCE, async () => {
      while (accepted <= this.#points && (await this.#read(what, key)).status === 200) accepted += 1;
    });
    assert.equal(accepted, this.#points, `${what}: ${accepted} of a new window's ${this.#points} requests succeed`);
    this.counts.usedUp += 1;
  }

  async #read(what: string, key: string): Promise<{ status: number; remaining: number }> {
    const { status, headers } = await this.#caller.send('GET', '/me', { key });
    const [, remaining, reset] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    const waits = status === 429 ? [reset, headers.get('retry-after')] : [reset];
    for (const seconds of waits.map(Number)) {
      assert.ok(seconds >= 1 && seconds <= WINDOW_SECONDS, `${what}: a key has to wait for ${seconds} s`);
    }
    return { status, remaining: Number(remaining) };
  }
}

const SESSION_LIFETIME_MS = 7 * DAY_MS;
/** A session is extended if it is used at least a day after it was created or last extended. */
const PROLONGED_MS = DAY_MS;
const KEPT = 3;

interface Session {
  browser: Browser;
  what: string;
  endMs: number;
}

/** Checks that sign-ins work after each change of the clock, and that sessions expire according to the clock. */
export class Sessions {
  readonly #caller: Caller;
  #totpUri = '';
  #kept: Session[] = [];
  readonly counts = { signIns: 0, good: 0, over: 0 };

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Enables a second factor. @returns a signed-in browser */
  async prepare(): Promise<Browser> {
    const browser = new Browser(this.#caller.service);
    await browser.ask('POST', '/admin/auth/sign-in/email', CREDENTIALS);
    const { totpURI } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password: CREDENTIALS.password });
    this.#totpUri = totpURI;
    await browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI, this.#caller.nowMs) });
    this.#keep('right', browser);
    return browser;
  }

  /** Signs in with the password and a code from an authenticator with the same clock. */
  async signIn(what: string): Promise<void> {
    const browser = new Browser(this.#caller.service);
    await browser.ask('POST', '/admin/auth/sign-in/email', CREDENTIALS);
    const code = totp(this.#totpUri, this.#caller.nowMs);
    const { status } = await browser.send('POST', '/admin/auth/two-factor/verify-totp', { code });
    assert.equal(status, 200, `${what}: a valid code is rejected`);
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
      const words = `${what}: a session created when the clock was ${session.what}`;
      assert.equal(Boolean(user), isGood, `${words} is ${isGood ? 'expired' : 'valid'}`);
      this.counts[isGood ? 'good' : 'over'] += 1;
      // An expired session stays expired.
      if (!isGood) continue;
      if (nowMs >= session.endMs - SESSION_LIFETIME_MS + PROLONGED_MS) session.endMs = nowMs + SESSION_LIFETIME_MS;
      good.push(session);
    }
    this.#kept = good;
  }

  #keep(what: string, browser: Browser): void {
    const session = { what, browser, endMs: this.#caller.nowMs + SESSION_LIFETIME_MS };
    this.#kept = [...this.#kept, session].slice(-KEPT);
  }
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Browser } from '../../../../server/test/support/browser.ts';
import type { ServeProcess } from '../../../../server/test/support/process.ts';
import type { Tenant } from '../../../../server/test/support/service.ts';
import { totp } from '../../../../server/test/support/totp.ts';

export const DAY_MS = 24 * 60 * 60 * 1_000;
export const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };
const WINDOW_SECONDS = 3_600;
/** What a key may send in a window: enough for all that is looked at. */
export const POINTS = { full: 5_000, small: 500 };
/** So many of the oldest and of the newest are looked at. */
const RETRIES = 5;
const KEY_LIFETIME_MS = 30 * DAY_MS;
/** Between what is asked and what is answered. */
const LATE_MAX_MS = 30_000;
const LISTING = { address: '12 Elm Street', beds: 3, baths: 2 };
const LISTINGS = 6;
const PAGE_LENGTH = 2;

interface Listing {
  id: string;
  version: number;
  createdAt: string;
  updatedAt: string;
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** What there is, was said and is known when the clock jumps. */
export class World {
  #service: ServeProcess;
  readonly #tenant: Tenant;
  readonly #ids: string[] = [];
  /** Of the process that runs. */
  #lastId = '';
  /** The first page's cursor, and what follows it. */
  #later: { cursor: string; ids: string[] } = { cursor: '', ids: [] };
  #sequence = 0;
  /** What was sent with an Idempotency-Key, and what came of it. */
  readonly #retries: { key: string; id: string; madeMs: number }[] = [];
  /** Whether the process that runs has seen how its clock was set. */
  #hasSeenAll = true;
  #shortKey = { secret: '', endMs: 0 };
  #limitedKey = '';
  #totpUri = '';
  /** What was looked at. */
  readonly counts = { ids: 0, retries: 0, pages: 0, events: 0, signIns: 0 };
  /** How much the service's clock is ahead. */
  aheadMs = 0;

  constructor(service: ServeProcess, tenant: Tenant) {
    this.#service = service;
    this.#tenant = tenant;
  }

  get nowMs(): number {
    return Date.now() + this.aheadMs;
  }

  /** Another process, whose ids begin anew. */
  moveTo(service: ServeProcess): void {
    this.#service = service;
    this.#lastId = '';
    this.#hasSeenAll = false;
  }

  async prepare(): Promise<Browser> {
    for (let count = 0; count < LISTINGS; count += 1) await this.#create();
    const { data, nextCursor } = await this.#list(`?limit=${PAGE_LENGTH}`);
    const ids = [...this.#ids].reverse().slice(PAGE_LENGTH);
    this.#later = { cursor: String(nextCursor), ids };
    assert.equal(data.length, PAGE_LENGTH);
    const browser = new Browser(this.#service);
    await this.#giveSecondFactor(browser);
    const endMs = this.nowMs + KEY_LIFETIME_MS;
    const given = { name: 'Short', expiresAt: new Date(endMs).toISOString() };
    this.#shortKey = { secret: (await browser.ask('POST', '/admin/api-keys', given, 201)).key, endMs };
    this.#limitedKey = (await browser.ask('POST', '/admin/api-keys', { name: 'Limited' }, 201)).key;
    await this.#useUpPoints();
    await this.createOnce();
    return browser;
  }

  async #useUpPoints(): Promise<void> {
    const ask = () => this.#send('GET', '/me', { key: this.#limitedKey });
    const inTurn = async () => {
      while ((await ask()).status !== 429);
    };
    await Promise.all(Array.from({ length: 8 }, inTurn));
  }

  async #giveSecondFactor(browser: Browser): Promise<void> {
    const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = ADMINISTRATOR;
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password });
    const { totpURI } = await browser.ask('POST', '/admin/auth/two-factor/enable', { password });
    this.#totpUri = totpURI;
    await browser.ask('POST', '/admin/auth/two-factor/verify-totp', { code: totp(totpURI, this.nowMs) });
  }

  /** With the password and what an app of the same clock shows. */
  async signIn(what: string): Promise<Browser> {
    const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = ADMINISTRATOR;
    const browser = new Browser(this.#service);
    await browser.ask('POST', '/admin/auth/sign-in/email', { email, password });
    const code = totp(this.#totpUri, this.nowMs);
    const { status } = await browser.send('POST', '/admin/auth/two-factor/verify-totp', { code });
    assert.equal(status, 200, `${what}: a right code is refused`);
    this.counts.signIns += 1;
    return browser;
  }

  /** What is created has the time of the clock, and its place in the list. */
  async checkCreated(what: string): Promise<void> {
    const { createdAt } = await this.#create();
    const lateMs = Math.abs(Date.parse(createdAt) - this.nowMs);
    assert.ok(lateMs < LATE_MAX_MS, `${what}: a listing was created ${createdAt}`);
    const stored = (await this.#list('')).data.map(({ id }) => id);
    assert.deepEqual(stored, [...this.#ids].sort().reverse(), `${what}: the list is not that of what was created`);
  }

  async checkChange(what: string): Promise<void> {
    for (const id of [this.#ids[0], this.#ids.at(-1)]) {
      const body = { description: randomUUID() };
      const { status, text } = await this.#send('PATCH', `/listings/${id}`, { body });
      assert.equal(status, 200, text);
      const { createdAt, updatedAt }: Listing = JSON.parse(text);
      assert.ok(updatedAt >= createdAt, `${what}: a listing of ${createdAt} was updated before that, ${updatedAt}`);
      this.#sequence += 1;
    }
  }

  /** None is forgotten, and they have no gap. */
  async checkEvents(what: string): Promise<void> {
    const { status, text } = await this.#send('GET', '/events?limit=1000');
    assert.equal(status, 200, `${what}: events are gone: ${text}`);
    const { data } = JSON.parse(text);
    this.counts.events = data.length;
    const sequences = data.map(({ sequence }: { sequence: number }) => sequence);
    assert.deepEqual(
      sequences,
      Array.from({ length: this.#sequence }, (_, index) => index + 1),
      `${what}: events are gone`,
    );
  }

  /** A cursor goes on where its page has ended. */
  async checkCursor(what: string): Promise<void> {
    const ids: string[] = [];
    let limit = PAGE_LENGTH;
    for (let cursor: string | null = this.#later.cursor; cursor !== null; ) {
      const { status, text } = await this.#send('GET', `/listings?limit=${limit}&cursor=${cursor}`);
      limit = Math.min(2 * limit, 1_000);
      assert.equal(status, 200, `${what}: a cursor is refused: ${text}`);
      const page: Page = JSON.parse(text);
      this.counts.pages += 1;
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    // What was created with a clock that was behind comes later in the list.
    const old = ids.filter((id) => this.#later.ids.includes(id));
    assert.deepEqual(old, this.#later.ids, `${what}: pages skip or repeat a listing`);
    assert.equal(new Set(ids).size, ids.length, `${what}: pages repeat a listing`);
  }

  async createOnce(): Promise<void> {
    const key = randomUUID();
    const { status, text } = await this.#send('POST', '/listings', { body: LISTING, retryKey: key });
    assert.equal(status, 201, text);
    const { id } = JSON.parse(text);
    this.#note(id);
    this.#retries.push({ key, id, madeMs: this.nowMs });
  }

  /** What came with the same Idempotency-Key some seconds ago is not done again. */
  async checkRetries(what: string): Promise<void> {
    const looked = new Set([...this.#retries.slice(0, RETRIES), ...this.#retries.slice(-RETRIES)]);
    for (const { key, id, madeMs } of looked) {
      // After a start the clock is all there is to go by.
      if (!this.#hasSeenAll && madeMs + DAY_MS < this.nowMs) continue;
      const { headers, text } = await this.#send('POST', '/listings', { body: LISTING, retryKey: key });
      assert.equal(headers.get('idempotent-replayed'), 'true', `${what}: a retry is done again`);
      assert.equal(JSON.parse(text).id, id);
      this.counts.retries += 1;
    }
  }

  async checkKeys(what: string): Promise<void> {
    const { secret, endMs } = this.#shortKey;
    for (const method of ['GET', 'POST']) {
      const isGood = this.nowMs < endMs;
      const body = method === 'POST' ? LISTING : undefined;
      const { status, text } = await this.#send(method, '/listings', { key: secret, body });
      const words = `${what}: a key that is good until ${new Date(endMs).toISOString()} is answered with ${status}`;
      assert.equal(status < 300, isGood, words);
      if (method === 'POST' && isGood) this.#note(JSON.parse(text).id);
    }
  }

  /** Nobody is told to wait longer than a window takes. */
  async checkLimits(what: string): Promise<void> {
    for (const key of [this.#tenant.key, this.#limitedKey]) {
      const { status, headers } = await this.#send('GET', '/me', { key });
      const reset = Number(/;t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
      const waits = status === 429 ? [reset, Number(headers.get('retry-after'))] : [reset];
      for (const seconds of waits) {
        assert.ok(seconds >= 1 && seconds <= WINDOW_SECONDS, `${what}: a key is to wait for ${seconds} s`);
      }
    }
  }

  /** The day that a listing is created on is the one by which it is found. */
  async checkDays(what: string): Promise<void> {
    const { id, createdAt } = await this.#create();
    const day = createdAt.slice(0, 10);
    for (const [filter, isFound] of [
      ['gte', true],
      ['lt', false],
    ] as const) {
      const { data } = await this.#list(`?createdAt[${filter}]=${day}`);
      assert.equal(
        data.some((each) => each.id === id),
        isFound,
        `${what}: a listing of ${createdAt}, [${filter}]=${day}`,
      );
    }
  }

  /** Five years ahead can be told, six cannot. */
  async checkYears(what: string): Promise<void> {
    const year = new Date(this.nowMs).getUTCFullYear();
    for (const [years, expected] of [
      [5, 201],
      [6, 422],
    ] as const) {
      const { status, text } = await this.#send('POST', '/listings', { body: { ...LISTING, yearBuilt: year + years } });
      assert.equal(status, expected, `${what}: yearBuilt ${year + years}`);
      if (status === 201) this.#note(JSON.parse(text).id);
    }
  }

  async #create(): Promise<Listing> {
    const { status, text } = await this.#send('POST', '/listings', { body: LISTING });
    assert.equal(status, 201, text);
    const listing: Listing = JSON.parse(text);
    this.#note(listing.id);
    return listing;
  }

  /** Ids of a process grow, whatever its clock does. */
  #note(id: string): void {
    const inDays = Math.round(this.aheadMs / DAY_MS);
    assert.ok(id > this.#lastId, `the id ${id} does not come after ${this.#lastId} (${inDays} days ahead)`);
    this.#lastId = id;
    this.#ids.push(id);
    this.counts.ids += 1;
    this.#sequence += 1;
  }

  async #list(query: string): Promise<Page> {
    const { status, text } = await this.#send('GET', `/listings${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  }

  async #send(
    method: string,
    path: string,
    given: { body?: unknown; key?: string; retryKey?: string } = {},
  ): Promise<Answer> {
    const { body, key = this.#tenant.key, retryKey } = given;
    const headers = new Headers({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });
    if (retryKey !== undefined) headers.set('Idempotency-Key', retryKey);
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    const response = await fetch(`${this.#service.url}/v1${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

interface Page {
  data: Listing[];
  nextCursor: string | null;
}

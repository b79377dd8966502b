import assert from 'node:assert/strict';
import type { Browser } from '../../../../testkit/src/browser.ts';
import type { Caller } from './caller.ts';
import { DAY_MS } from './jumps.ts';
import { LISTING, type World } from './world.ts';

const LIFETIME_MS = 30 * DAY_MS;

/** A key expires by the clock as it is. */
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
    this.#endMs = this.#caller.nowMs + LIFETIME_MS;
    const given = { name: 'Short', expiresAt: new Date(this.#endMs).toISOString() };
    this.#secret = (await browser.ask('POST', '/admin/api-keys', given, 201)).key;
  }

  async check(what: string): Promise<void> {
    for (const method of ['GET', 'POST']) {
      const isGood = this.#caller.nowMs < this.#endMs;
      const body = method === 'POST' ? LISTING : undefined;
      const { status, text } = await this.#caller.send(method, '/listings', { key: this.#secret, body });
      const words = `${what}: a key that is good until ${new Date(this.#endMs).toISOString()} is answered with ${status}`;
      assert.equal(isGood ? status < 300 : status === 401, true, words);
      if (method === 'POST' && isGood) this.#world.note(JSON.parse(text).id);
      this.counts[isGood ? 'good' : 'refused'] += 1;
    }
  }
}

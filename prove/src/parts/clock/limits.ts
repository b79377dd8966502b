import assert from 'node:assert/strict';
import type { Browser } from '../../../../testkit/src/browser.ts';
import type { Caller } from './caller.ts';

const WINDOW_SECONDS = 3_600;
/** Requests per window: enough for all checks. */
const POINTS = { full: 4_000, small: 250 };
const AT_ONCE = 8;

interface Reading {
  status: number;
  remaining: number;
}

/** Requests are counted whatever the clock does, and no wait exceeds the window. */
export class Limits {
  readonly #caller: Caller;
  readonly #points: number;
  /** A key without requests left, until this time of the service's clock. */
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

  /** A new process counts from zero. */
  beginAnew(): void {
    this.#usedUp.untilMs = Number.NEGATIVE_INFINITY;
  }

  async check(what: string): Promise<void> {
    const first = await this.#read(what, this.#caller.key);
    const second = await this.#read(what, this.#caller.key);
    const words = `${what}: two requests in a row leave ${first.remaining} and ${second.remaining} more`;
    assert.equal(second.remaining, first.remaining - 1, words);
    this.counts.counted += 1;
    // The next hour is a new window.
    if (this.#caller.nowMs >= this.#usedUp.untilMs) await this.#useUp(what);
    const { status, remaining } = await this.#read(what, this.#usedUp.key);
    assert.deepEqual({ status, remaining }, { status: 429, remaining: 0 }, `${what}: a used-up key is let in`);
    this.counts.refused += 1;
  }

  async #useUp(what: string): Promise<void> {
    const { key } = this.#usedUp;
    this.#usedUp.untilMs = this.#caller.nowMs + WINDOW_SECONDS * 1_000;
    let accepted = 0;
    const inTurn = async () => {
      while (accepted <= this.#points && (await this.#read(what, key)).status === 200) accepted += 1;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    assert.equal(accepted, this.#points, `${what}: ${accepted} of a new window's ${this.#points} requests are let in`);
    this.counts.usedUp += 1;
  }

  async #read(what: string, key: string): Promise<Reading> {
    const { status, headers } = await this.#caller.send('GET', '/me', { key });
    const [, remaining, reset] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    const waits = status === 429 ? [reset, headers.get('retry-after')] : [reset];
    for (const seconds of waits.map(Number)) {
      assert.ok(seconds >= 1 && seconds <= WINDOW_SECONDS, `${what}: a key is to wait for ${seconds} s`);
    }
    return { status, remaining: Number(remaining) };
  }
}

import { createHmac, hkdfSync } from 'node:crypto';
import { type Allowance, type CreateLimiter, type Limiter, type Taken, waitMsOf } from '../../lib/limiter.ts';

/**
 * Slots per table; their number bounds the memory. A string has a slot in each of two tables, and is limited when both
 * slots are used up. If n slots of each table are used up, one in (65,536 / n)² other strings is limited by mistake.
 */
const SLOTS = 65_536;
const TABLES = [0, 1];

/** Limits attempts by a string that clients choose, such as an email address. */
export class SlottedLimiter {
  readonly #limiter: Limiter;
  /** Secret, so clients cannot choose strings that share a slot. */
  readonly #salt: Uint8Array;

  /** All processes that share the counts need the same `secret`. */
  constructor(secret: string, createLimiter: CreateLimiter, name: string, allowance: Allowance) {
    this.#limiter = createLimiter(name, allowance);
    this.#salt = new Uint8Array(hkdfSync('sha256', secret, '', 'password attempts', 32));
  }

  /** Returns 0, or the milliseconds until a point is available. Does not take a point. */
  look(text: string): Promise<number> {
    return this.#waitMs(text, async (slot) => {
      const counted = await this.#limiter.get(slot);
      return counted === null || counted.consumedPoints < this.#limiter.points ? undefined : counted;
    });
  }

  /** Takes a point. @returns 0, or the milliseconds until a point is available */
  take(text: string): Promise<number> {
    return this.#waitMs(text, async (slot) => {
      const counted = await this.#limiter.penalty(slot);
      return counted.consumedPoints <= this.#limiter.points ? undefined : counted;
    });
  }

  async reward(text: string): Promise<void> {
    await Promise.all(this.#slots(text).map((slot) => this.#limiter.reward(slot)));
  }

  async clear(text: string): Promise<void> {
    for (const slot of this.#slots(text)) await this.#limiter.delete(slot);
  }

  async #waitMs(text: string, findUsedUp: (slot: number) => Promise<Taken | undefined>): Promise<number> {
    const usedUp = await Promise.all(this.#slots(text).map(findUsedUp));
    return Math.min(...usedUp.map((taken) => (taken === undefined ? 0 : waitMsOf(this.#limiter, taken))));
  }

  #slots(text: string): number[] {
    const digest = createHmac('sha256', this.#salt).update(text).digest();
    return TABLES.map((table) => table * SLOTS + (digest.readUInt32BE(table * Uint32Array.BYTES_PER_ELEMENT) % SLOTS));
  }
}

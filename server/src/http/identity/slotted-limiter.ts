import { createHmac, hkdfSync } from 'node:crypto';
import { type Allowance, type CreateLimiter, type Limiter, type Taken, waitMsOf } from '../../lib/limiter.ts';

/**
 * Bounds the memory. A text has a slot in each of two tables, and is limited when both are used up:
 * with n used slots in each, that also limits one in (65,536 / n)² other texts.
 */
const SLOTS = 65_536;
const TABLES = [0, 1];

/** Counts by texts that clients choose, such as addresses. */
export class SlottedLimiter {
  readonly #limiter: Limiter;
  /** Prevents choosing texts that share slots. */
  readonly #salt: Uint8Array;

  /** `secret` is the same for all processes that count together. */
  constructor(secret: string, createLimiter: CreateLimiter, name: string, allowance: Allowance) {
    this.#limiter = createLimiter(name, allowance);
    this.#salt = new Uint8Array(hkdfSync('sha256', secret, '', 'password attempts', 32));
  }

  /** The time in milliseconds until there are points; takes none. */
  look(text: string): Promise<number> {
    return this.#waitMs(text, async (slot) => {
      const counted = await this.#limiter.get(slot);
      return counted === null || counted.consumedPoints < this.#limiter.points ? undefined : counted;
    });
  }

  /** Takes a point. @returns 0, or the time in milliseconds until there are points */
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

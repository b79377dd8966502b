import { createHmac, hkdfSync } from 'node:crypto';
import { type CreateLimiter, type Limiter, waitMsOf } from '../../lib/limiter.ts';
import { networkOf } from '../client-address.ts';
import { tooMany } from './too-many.ts';

const WINDOW_SECONDS = 15 * 60;
/** Nobody mistypes their password so often in one place. */
const OF_EMAIL_AT_ADDRESS = { points: 10, seconds: WINDOW_SECONDS };
/** An office has one address. */
const OF_ADDRESS = { points: 50, seconds: WINDOW_SECONDS };
/**
 * NIST SP 800-63B §5.2.2 names a hundred. To use them up takes three addresses, and then people still sign in where they
 * are signed in already; who guesses from a thousand addresses has 2,400 a day.
 */
const OF_EMAIL = { points: 100, seconds: 60 * 60 };
/**
 * Bounds the memory, whatever is sent as an address. What is counted has a slot in each of two tables, and is refused when both
 * are used up: where n of each are, that keeps one in (65,536 / n)² others out.
 */
const SLOTS = 65_536;
const TABLES = [0, 1];

/** A password that is tried. */
export interface Attempt {
  /** Whose it is said to be. */
  email: string;
  /** Where it comes from. */
  address: string;
  /** Typed once more by somebody who is signed in: others cannot use up what they may try, wherever they are. */
  isSignedIn: boolean;
}

/** Counts passwords that are tried, by whose they are said to be and by where they come from. Right ones are free. */
export class PasswordAttempts {
  readonly #byEmailAtAddress: Limiter;
  readonly #byAddress: Limiter;
  readonly #byEmail: Limiter;
  /** So that nobody can choose who shares slots with whom. */
  readonly #salt: Uint8Array;

  /** `secret` is the same for all processes that count together. */
  constructor(secret: string, createLimiter: CreateLimiter) {
    this.#byEmailAtAddress = createLimiter('passwords of an e-mail address from an address', OF_EMAIL_AT_ADDRESS);
    this.#byAddress = createLimiter('passwords from an address', OF_ADDRESS);
    this.#byEmail = createLimiter('passwords of an e-mail address', OF_EMAIL);
    this.#salt = new Uint8Array(hkdfSync('sha256', secret, '', 'password attempts', 32));
  }

  /**
   * Takes a point of each, or of none if it is refused: whoever goes on trying takes nothing from those beside them. `isKnown`
   * says whether the person is signed in at this address.
   * @throws {AppError} `rate_limited`
   */
  async begin(attempt: Attempt, isKnown: () => Promise<boolean>): Promise<void> {
    const taken: Point[] = [];
    for (const point of this.#pointsOf(attempt)) {
      const waitMs = await take(point);
      taken.push(point);
      if (waitMs === 0 || (point.limiter === this.#byEmail && (await isKnown()))) continue;
      for (const each of taken) await reward(each);
      throw tooMany(`wrong passwords ${point.which}`, waitMs);
    }
  }

  /** The password was right: what the person mistyped here before is forgotten. */
  async succeed(attempt: Attempt): Promise<void> {
    await this.giveBack(attempt);
    for (const slot of this.#placeSlots(attempt)) await this.#byEmailAtAddress.delete(slot);
  }

  /** The password was not looked at. */
  async giveBack(attempt: Attempt): Promise<void> {
    for (const point of this.#pointsOf(attempt)) await reward(point);
  }

  #pointsOf(attempt: Attempt): Point[] {
    const { email, address, isSignedIn } = attempt;
    const atAddress = [
      { limiter: this.#byEmailAtAddress, slots: this.#placeSlots(attempt), which: 'for this e-mail address' },
      { limiter: this.#byAddress, slots: this.#slots(networkOf(address)), which: 'from this address' },
    ];
    if (isSignedIn) return atAddress;
    return [...atAddress, { limiter: this.#byEmail, slots: this.#slots(email), which: 'for this e-mail address' }];
  }

  #placeSlots({ email, address, isSignedIn }: Attempt): number[] {
    return this.#slots(`${isSignedIn ? 'signed in' : networkOf(address)} ${email}`);
  }

  #slots(text: string): number[] {
    const digest = createHmac('sha256', this.#salt).update(text).digest();
    return TABLES.map((table) => table * SLOTS + (digest.readUInt32BE(table * Uint32Array.BYTES_PER_ELEMENT) % SLOTS));
  }
}

/** What an attempt costs. */
interface Point {
  limiter: Limiter;
  slots: number[];
  which: string;
}

/** For how many milliseconds there are no points left. */
async function take({ limiter, slots }: Point): Promise<number> {
  const waits = slots.map(async (slot) => {
    const counted = await limiter.penalty(slot);
    return counted.consumedPoints <= limiter.points ? 0 : waitMsOf(limiter, counted);
  });
  return Math.min(...(await Promise.all(waits)));
}

async function reward({ limiter, slots }: Point): Promise<void> {
  await Promise.all(slots.map((slot) => limiter.reward(slot)));
}

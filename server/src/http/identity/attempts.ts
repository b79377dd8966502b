import type { Allowance, CreateLimiter } from '../../lib/limiter.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import { networkOf } from '../protocol/client-address.ts';
import { SlottedLimiter } from './slotted-limiter.ts';
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
/** Links are mistyped less often than passwords, and codes of a second factor have limits of their own besides. */
const OF_TOKENS = { points: 50, seconds: WINDOW_SECONDS };

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
  readonly #byEmailAtAddress: SlottedLimiter;
  readonly #byAddress: SlottedLimiter;
  readonly #byEmail: SlottedLimiter;

  /** `secret` is the same for all processes that count together. */
  constructor(secret: string, createLimiter: CreateLimiter) {
    const create = (name: string, allowance: Allowance) => new SlottedLimiter(secret, createLimiter, name, allowance);
    this.#byEmailAtAddress = create('passwords of an e-mail address from an address', OF_EMAIL_AT_ADDRESS);
    this.#byAddress = create('passwords from an address', OF_ADDRESS);
    this.#byEmail = create('passwords of an e-mail address', OF_EMAIL);
  }

  /**
   * Before anything is read of a request: whether its address may try any password.
   * @throws {AppError} `rate_limited`
   */
  async requireAddress(address: string): Promise<void> {
    const waitMs = await this.#byAddress.look(networkOf(address));
    if (waitMs > 0) throw tooMany(`wrong passwords ${FROM_ADDRESS}`, waitMs);
  }

  /**
   * Takes a point of each, or of none if it is refused: whoever goes on trying takes nothing from those beside them. `isKnown`
   * says whether the person is signed in at this address.
   * @throws {AppError} `rate_limited`
   */
  async begin(attempt: Attempt, isKnown: () => Promise<boolean>): Promise<void> {
    const taken: Point[] = [];
    for (const point of this.#pointsOf(attempt)) {
      const waitMs = await point.limiter.take(point.text);
      taken.push(point);
      if (waitMs === 0 || (point.limiter === this.#byEmail && (await isKnown()))) continue;
      for (const { limiter, text } of taken) await limiter.reward(text);
      throw tooMany(`wrong passwords ${point.which}`, waitMs);
    }
  }

  /** The password was right: what the person mistyped here before is forgotten. */
  async succeed(attempt: Attempt): Promise<void> {
    await this.giveBack(attempt);
    await this.#byEmailAtAddress.clear(placeOf(attempt));
  }

  /** The password was not looked at. */
  async giveBack(attempt: Attempt): Promise<void> {
    for (const { limiter, text } of this.#pointsOf(attempt)) await limiter.reward(text);
  }

  #pointsOf(attempt: Attempt): Point[] {
    const { email, address, isSignedIn } = attempt;
    const atAddress = [
      { limiter: this.#byEmailAtAddress, text: placeOf(attempt), which: FOR_EMAIL },
      { limiter: this.#byAddress, text: networkOf(address), which: FROM_ADDRESS },
    ];
    if (isSignedIn) return atAddress;
    return [...atAddress, { limiter: this.#byEmail, text: email, which: FOR_EMAIL }];
  }
}

/** What an attempt costs. */
interface Point {
  limiter: SlottedLimiter;
  text: string;
  which: string;
}

const FROM_ADDRESS = 'from this address';
const FOR_EMAIL = 'for this e-mail address';

function placeOf({ email, address, isSignedIn }: Attempt): string {
  return `${isSignedIn ? 'signed in' : networkOf(address)} ${email}`;
}

/** Counts links and codes that are wrong, by where they come from. */
export class TokenAttempts {
  readonly #byAddress: SlottedLimiter;

  /** `secret` is the same for all processes that count together. */
  constructor(secret: string, createLimiter: CreateLimiter) {
    this.#byAddress = new SlottedLimiter(secret, createLimiter, 'wrong links and codes from an address', OF_TOKENS);
  }

  /**
   * Runs what reads a link's token or a code, unless too many from this address were wrong: those that `wrong` is thrown for.
   * @throws {AppError} `rate_limited`; what `work` throws
   */
  async run<T>(address: string, wrong: readonly ErrorCode[], work: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const waitMs = await this.#byAddress.look(network);
    if (waitMs > 0) throw tooMany('wrong links and codes from this address', waitMs);
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && wrong.includes(error.code)) await this.#byAddress.take(network);
      throw error;
    }
  }
}

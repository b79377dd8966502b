import type { Allowance, CreateLimiter } from '../../lib/limiter.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import { clientAddress, networkOf, type TrustedProxies } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Reply } from '../protocol/reply.ts';
import { SlottedLimiter } from './slotted-limiter.ts';

const WINDOW_SECONDS = 15 * 60;
/** Enough for one user's mistyped passwords. */
const OF_EMAIL_AT_ADDRESS = { points: 10, seconds: WINDOW_SECONDS };
/** All users of an office can share one address. */
const OF_ADDRESS = { points: 50, seconds: WINDOW_SECONDS };
/**
 * NIST SP 800-63B §5.2.2 allows at most 100 consecutive failed attempts. Attackers with three addresses can use
 * up this limit; the user can then still sign in from the address of one of their sessions. Even a thousand
 * addresses get only 2,400 guesses a day.
 */
const OF_EMAIL = { points: 100, seconds: 60 * 60 };
/** For wrong links, codes, and passkeys from one address. better-auth also limits the wrong codes of each user. */
const OF_TOKENS = { points: 50, seconds: WINDOW_SECONDS };
/** Starting a sign-in with a passkey writes a challenge to the database. An office can share one address. */
const OF_PASSKEYS = { points: 100, seconds: WINDOW_SECONDS };
/** Bounds the challenges of all addresses together. Above the limit, users can still sign in with passwords. */
const OF_ALL_PASSKEYS = { points: 10_000, seconds: WINDOW_SECONDS };

export interface Attempt {
  email: string;
  address: string;
  /** Attempts of signed-in users are counted separately, so other clients cannot use them up. */
  isSignedIn: boolean;
}

export class PasswordAttempts {
  readonly #byEmailAtAddress: SlottedLimiter;
  readonly #byAddress: SlottedLimiter;
  readonly #byEmail: SlottedLimiter;

  /** All processes that share the counts need the same `secret`. */
  constructor(secret: string, createLimiter: CreateLimiter) {
    const create = (name: string, allowance: Allowance) => new SlottedLimiter(secret, createLimiter, name, allowance);
    this.#byEmailAtAddress = create('passwords of an email address from an address', OF_EMAIL_AT_ADDRESS);
    this.#byAddress = create('passwords from an address', OF_ADDRESS);
    this.#byEmail = create('passwords of an email address', OF_EMAIL);
  }

  /** Call this before reading the body. @throws {AppError} `rate_limited` */
  async requireAddress(address: string): Promise<void> {
    const waitMs = await this.#byAddress.look(networkOf(address));
    if (waitMs > 0) throw tooMany(`wrong passwords ${FROM_ADDRESS}`, waitMs);
  }

  /**
   * Takes a point from each limit. A rejected attempt takes none, because it must not count against other users. The
   * limit of the email address does not apply if `isKnown`: the user has a session from this address.
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

  /**
   * After a correct password, clears the user's earlier attempts from this address or, for a signed-in user, the
   * earlier attempts while signed in.
   */
  async succeed(attempt: Attempt): Promise<void> {
    await this.giveBack(attempt);
    await this.#byEmailAtAddress.clear(placeOf(attempt));
  }

  /** Gives back the points of an attempt whose password was correct or was not checked. */
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

interface Point {
  limiter: SlottedLimiter;
  text: string;
  which: string;
}

const FROM_ADDRESS = 'from this address';
const FOR_EMAIL = 'for this email address';

function placeOf({ email, address, isSignedIn }: Attempt): string {
  return `${isSignedIn ? 'signed in' : networkOf(address)} ${email}`;
}

/** Counts wrong links, codes, and passkeys by address, and started passkey sign-ins by address and in total. */
export class TokenAttempts {
  readonly #byAddress: SlottedLimiter;
  readonly #passkeysByAddress: SlottedLimiter;
  readonly #passkeys: SlottedLimiter;

  constructor(secret: string, createLimiter: CreateLimiter) {
    this.#byAddress = new SlottedLimiter(secret, createLimiter, 'wrong links and codes from an address', OF_TOKENS);
    this.#passkeysByAddress = new SlottedLimiter(secret, createLimiter, 'passkeys from an address', OF_PASSKEYS);
    this.#passkeys = new SlottedLimiter(secret, createLimiter, 'passkeys', OF_ALL_PASSKEYS);
  }

  /** Counts the start of a sign-in with a passkey. @throws {AppError} `rate_limited` */
  async takeStart(address: string): Promise<void> {
    const waitMs = await this.#passkeysByAddress.take(networkOf(address));
    if (waitMs > 0) throw tooMany('passkey sign-ins from this address', waitMs);
    const waitForAllMs = await this.#passkeys.take('');
    if (waitForAllMs > 0) throw tooMany('passkey sign-ins', waitForAllMs);
  }

  /** An error whose code is in `wrong` counts as an attempt. @throws {AppError} `rate_limited`, or as `work` does */
  async run<T>(address: string, wrong: readonly ErrorCode[], work: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const waitMs = await this.#byAddress.look(network);
    if (waitMs > 0) throw tooMany('wrong links, codes, and passkeys from this address', waitMs);
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && wrong.includes(error.code)) await this.#byAddress.take(network);
      throw error;
    }
  }
}

export const WRONG_LINK: readonly ErrorCode[] = ['forbidden', 'not_found'];
/** The error codes for a wrong code, or for a code without a pending sign-in. */
export const WRONG_CODE: readonly ErrorCode[] = ['unauthorized', 'validation_failed'];

/**
 * Wraps a handler that checks links, codes, or passkeys. After too many wrong attempts from an address, a request fails
 * before its body is read.
 */
export function limitingAttempts<
  C extends { services: { tokenAttempts: TokenAttempts; trustedProxies: TrustedProxies } },
>(
  wrong: readonly ErrorCode[],
  handle: (exchange: Exchange, call: C) => Promise<Reply>,
): (exchange: Exchange, call: C) => Promise<Reply> {
  return (exchange, call) => {
    const { tokenAttempts, trustedProxies } = call.services;
    return tokenAttempts.run(clientAddress(exchange.incoming, trustedProxies), wrong, () => handle(exchange, call));
  };
}

export function tooMany(what: string, waitMs: number): AppError {
  const minutes = Math.ceil(waitMs / 60_000);
  return new AppError(
    'rate_limited',
    `Too many ${what}; try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } },
  );
}

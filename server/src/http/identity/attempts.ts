import { createHmac, hkdfSync } from 'node:crypto';
import type { CreateLimiter, Limiter } from '../../lib/limiter.ts';
import { AppError } from '../../model/errors.ts';
import { networkOf } from '../client-address.ts';

const WINDOW_SECONDS = 15 * 60;
/** Nobody mistypes a password so often; who guesses has a thousand a day. */
const OF_EMAIL = { points: 10, seconds: WINDOW_SECONDS };
/** An office has one address. */
const OF_ADDRESS = { points: 50, seconds: WINDOW_SECONDS };
/** Bounds the memory, whatever is sent as an address. */
const SLOTS = 65_536;

/** Counts passwords that are tried, by whose they are said to be and by where they come from. Right ones are free. */
export class PasswordAttempts {
  readonly #byEmail: Limiter;
  readonly #byAddress: Limiter;
  /** So that nobody can choose who shares a slot with whom. */
  readonly #salt: Uint8Array;

  /** `secret` is the same for all processes that count together. */
  constructor(secret: string, createLimiter: CreateLimiter) {
    this.#byEmail = createLimiter('passwords of an e-mail address', OF_EMAIL);
    this.#byAddress = createLimiter('passwords from an address', OF_ADDRESS);
    this.#salt = new Uint8Array(hkdfSync('sha256', secret, '', 'password attempts', 32));
  }

  /** Takes a point of each. @throws {AppError} `rate_limited` */
  async begin(email: string, address: string): Promise<void> {
    await take(this.#byAddress, this.#slot(networkOf(address)), 'this address');
    await take(this.#byEmail, this.#slot(email), 'this e-mail address');
  }

  /** The password was right. */
  async succeed(email: string, address: string): Promise<void> {
    await this.#byEmail.delete(this.#slot(email));
    await this.#byAddress.reward(this.#slot(networkOf(address)));
  }

  #slot(text: string): number {
    return createHmac('sha256', this.#salt).update(text).digest().readUInt32BE() % SLOTS;
  }
}

async function take(limiter: Limiter, slot: number, whose: string): Promise<void> {
  const { consumedPoints, msBeforeNext } = await limiter.penalty(slot);
  if (consumedPoints <= limiter.points) return;
  const minutes = Math.ceil(msBeforeNext / 60_000);
  throw new AppError(
    'rate_limited',
    `Too many wrong passwords for ${whose}; try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    { headers: { 'Retry-After': String(Math.ceil(msBeforeNext / 1000)) } },
  );
}

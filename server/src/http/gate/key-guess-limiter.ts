import { crc32 } from 'node:zlib';
import type { CreateLimiter, Limiter } from '../../lib/limiter.ts';
import { networkOf } from '../protocol/client-address.ts';

/** Nobody mistypes a key so often in a minute. */
const REFUSALS = { points: 100, seconds: 60 };
/**
 * Bounds the memory (25 MiB), however many addresses guess. Two that fall into one slot share its points: all that they
 * can lose is the connection of a refused request.
 */
const SLOTS = 65_536;

/** How many keys were refused for each address: who guesses pays for each further guess with a connection. */
export class KeyGuessLimiter {
  readonly #limiter: Limiter;

  constructor(createLimiter: CreateLimiter) {
    this.#limiter = createLimiter('refused keys', REFUSALS);
  }

  /** Counts a refused key; whether there were too many from this address. */
  async countRefusal(address: string): Promise<boolean> {
    const { consumedPoints } = await this.#limiter.penalty(crc32(networkOf(address)) % SLOTS);
    return consumedPoints > REFUSALS.points;
  }
}

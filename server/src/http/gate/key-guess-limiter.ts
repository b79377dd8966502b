import { crc32 } from 'node:zlib';
import type { CreateLimiter, Limiter } from '../../lib/limiter.ts';
import { networkOf } from '../protocol/client-address.ts';

/** Enough for mistyped keys of an address. */
const REJECTIONS = { points: 100, seconds: 60 };
/**
 * Bounds the memory (25 MiB). Addresses that share a slot share its points; all they can lose is
 * the connection of a rejected request.
 */
const SLOTS = 65_536;

/** Counts rejected keys by address: each guess above the limit costs a connection. */
export class KeyGuessLimiter {
  readonly #limiter: Limiter;

  constructor(createLimiter: CreateLimiter) {
    this.#limiter = createLimiter('rejected keys', REJECTIONS);
  }

  /** Counts a rejected key. @returns whether there were too many from this address */
  async countRejection(address: string): Promise<boolean> {
    const { consumedPoints } = await this.#limiter.penalty(crc32(networkOf(address)) % SLOTS);
    return consumedPoints > REJECTIONS.points;
  }
}

import { crc32 } from 'node:zlib';
import type { CreateLimiter, Limiter } from '../../lib/limiter.ts';
import { networkOf } from '../protocol/client-address.ts';

/** Enough for mistyped keys from one address. */
const REJECTIONS = { points: 100, seconds: 60 };
/** Bounds the memory to 25 MiB. Addresses that share a slot share its points, so connections can close too early. */
const SLOTS = 65_536;

/** Counts rejected keys by address, so that `limitGuessing` can close the connections of addresses above the limit. */
export class KeyGuessLimiter {
  readonly #limiter: Limiter;

  constructor(createLimiter: CreateLimiter) {
    this.#limiter = createLimiter('rejected keys', REJECTIONS);
  }

  /** Counts a rejected key. @returns whether the address is above the limit */
  async countRejection(address: string): Promise<boolean> {
    const { consumedPoints } = await this.#limiter.penalty(crc32(networkOf(address)) % SLOTS);
    return consumedPoints > REJECTIONS.points;
  }
}

import { type Allowance, type CreateLimiter, type Taken, waitMsOf } from '../lib/limiter.ts';
import { AppError } from '../model/errors.ts';
import type { KeyCount } from '../storage/key-counts.ts';
import { type Exchange, hasKey } from './exchange.ts';

/**
 * How many requests each key may send. Every reply to a good key says what is left, by the fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export class RateLimit {
  /** For who can count a request with the look for its key. */
  readonly keyCount: KeyCount;
  readonly #limiter;
  readonly #policy: string;

  constructor({ points, seconds }: Allowance, createLimiter: CreateLimiter) {
    // With other settings the count begins anew.
    this.keyCount = { name: `requests ${points}/${seconds}`, durationMs: seconds * 1000 };
    this.#limiter = createLimiter(this.keyCount.name, { points, seconds });
    this.#policy = `"default";q=${points};w=${seconds}`;
  }

  /**
   * Takes a point of the key, if none is `taken` yet; the headers of the reply.
   * @throws {AppError} `rate_limited`, with the headers of its own reply
   */
  async spend(keyId: string, taken?: Taken): Promise<Record<string, string>> {
    const counted = taken ?? (await this.#limiter.penalty(keyId));
    const { consumedPoints } = counted;
    const { points } = this.#limiter;
    const headers = this.#describe(counted);
    if (consumedPoints <= points) return headers;
    // A request that was refused costs nothing, or it would take the place of one whose 304 is still to come.
    await this.giveBack(keyId);
    const seconds = String(wholeSeconds(waitMsOf(this.#limiter, counted)));
    throw new AppError(
      'rate_limited',
      `This key has sent all the requests it may for now; go on in ${seconds} s. RateLimit says in each reply what is left.`,
      { headers: { ...headers, 'Retry-After': seconds } },
    );
  }

  /** Once the reply is known: a 304 is free, and of a key that was deleted meanwhile nothing is told. */
  async settle(exchange: Exchange, status: number): Promise<void> {
    if (!hasKey(exchange)) return;
    if (status === 304) exchange.rateLimit = await this.giveBack(exchange.holder.keyId);
    if (status === 401) exchange.rateLimit = undefined;
  }

  /** Gives the key a point back; the headers of the reply. */
  async giveBack(keyId: string): Promise<Record<string, string>> {
    const counted = await this.#limiter.reward(keyId);
    // The time was over, and the next one would begin with a point too many.
    if (counted.consumedPoints < 0) await this.#limiter.delete(keyId);
    return this.#describe(counted);
  }

  #describe(counted: Taken): Record<string, string> {
    const { points } = this.#limiter;
    const remaining = Math.min(Math.max(points - counted.consumedPoints, 0), points);
    return {
      'RateLimit-Policy': this.#policy,
      RateLimit: `"default";r=${remaining};t=${wholeSeconds(waitMsOf(this.#limiter, counted))}`,
    };
  }
}

/** Rounded up: who waits so long does not come too early. */
function wholeSeconds(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 1000));
}

import { type Allowance, type CreateLimiter, type Limiter, type Taken, waitMsOf } from '../../lib/limiter.ts';
import { AppError } from '../../model/errors.ts';
import type { KeyPrincipal } from '../../storage/api-keys.ts';
import type { KeyCount } from '../../storage/key-counts.ts';
import { type Exchange, hasKey } from '../protocol/exchange.ts';

interface Meter {
  limiter: Limiter;
  policy: string;
}

/** Maximum number of different limits in memory. The operator can set a limit for each account. */
const METERS_MAX = 1_000;

/**
 * Limits each key's requests to the account's own limit, or to the default limit if the account has none. If there is a
 * limit, responses to valid keys have the headers of draft-ietf-httpapi-ratelimit-headers-10.
 */
export class RateLimit {
  /** Lets a database count a request in the query that looks up the key. */
  readonly keyCount: KeyCount | undefined;
  readonly #default: Meter | undefined;
  readonly #createLimiter: CreateLimiter;
  /** The meters of accounts with their own limit, by that limit. */
  readonly #own = new Map<string, Meter>();

  /** `allowance` is the default limit; without it, only accounts with their own limit are limited. */
  constructor(allowance: Allowance | undefined, createLimiter: CreateLimiter) {
    this.#createLimiter = createLimiter;
    this.#default = allowance && this.#createMeter(allowance);
    this.keyCount = allowance && { name: nameOf(allowance), durationMs: allowance.seconds * 1000 };
  }

  /**
   * Returns the rate-limit headers of the response. With `taken`, the default limit has already counted the request.
   * @throws {AppError} `rate_limited`, with the rate-limit headers
   */
  async spend(keyId: string, taken?: Taken, own?: Allowance): Promise<Record<string, string>> {
    const meter = this.#meterOf(own);
    if (meter === undefined) return {};
    const counted = own === undefined && taken ? taken : await meter.limiter.penalty(keyId);
    const headers = describe(meter, counted);
    if (counted.consumedPoints <= meter.limiter.points) return headers;
    // A rejected request does not count; otherwise, it could use the point that a pending 304 response gives back.
    await this.giveBack(keyId, own);
    const seconds = String(wholeSeconds(waitMsOf(meter.limiter, counted)));
    throw new AppError(
      'rate_limited',
      `This key has reached its rate limit; retry in ${seconds} s. The RateLimit header of each response shows how ` +
        'many requests are left.',
      { headers: { ...headers, 'Retry-After': seconds } },
    );
  }

  /** A 304 response does not count. A 401 response (the key has become invalid) does not have rate-limit headers. */
  async settle(exchange: Exchange, status: number): Promise<void> {
    if (!hasKey(exchange)) return;
    if (status === 304)
      exchange.rateLimit = await this.giveBack(exchange.principal.keyId, allowanceOf(exchange.principal));
    if (status === 401) exchange.rateLimit = undefined;
  }

  /** Gives a point back to the key, and returns the rate-limit headers of the response. */
  async giveBack(keyId: string, own?: Allowance): Promise<Record<string, string>> {
    const meter = this.#meterOf(own);
    if (meter === undefined) return {};
    const counted = await meter.limiter.reward(keyId);
    // The point's window has ended, and the next window must not begin with an extra point.
    if (counted.consumedPoints < 0) await meter.limiter.delete(keyId);
    return describe(meter, counted);
  }

  #meterOf(own: Allowance | undefined): Meter | undefined {
    if (own === undefined) return this.#default;
    const name = nameOf(own);
    const known = this.#own.get(name);
    if (known !== undefined) return known;
    if (this.#own.size >= METERS_MAX) this.#own.clear();
    const meter = this.#createMeter(own);
    this.#own.set(name, meter);
    return meter;
  }

  #createMeter(allowance: Allowance): Meter {
    const { points, seconds } = allowance;
    return {
      limiter: this.#createLimiter(nameOf(allowance), allowance),
      policy: `"default";q=${points};w=${seconds}`,
    };
  }
}

/** The limit is part of the name, so a changed limit starts a new count. */
function nameOf({ points, seconds }: Allowance): string {
  return `requests ${points}/${seconds}`;
}

export function allowanceOf({ ratePoints, rateSeconds }: KeyPrincipal): Allowance | undefined {
  return ratePoints === null || rateSeconds === null ? undefined : { points: ratePoints, seconds: rateSeconds };
}

function describe({ limiter, policy }: Meter, counted: Taken): Record<string, string> {
  const { points } = limiter;
  const remaining = Math.min(Math.max(points - counted.consumedPoints, 0), points);
  return {
    'RateLimit-Policy': policy,
    RateLimit: `"default";r=${remaining};t=${wholeSeconds(waitMsOf(limiter, counted))}`,
  };
}

/** Rounded up so a client does not retry too early. */
function wholeSeconds(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 1000));
}

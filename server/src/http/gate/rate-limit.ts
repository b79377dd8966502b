import { type Allowance, type CreateLimiter, type Limiter, type Taken, waitMsOf } from '../../lib/limiter.ts';
import { AppError } from '../../model/errors.ts';
import type { KeyPrincipal } from '../../storage/api-keys.ts';
import type { KeyCount } from '../../storage/key-counts.ts';
import { type Exchange, hasKey } from '../protocol/exchange.ts';

/** One limit, and what counts for it. */
interface Meter {
  limiter: Limiter;
  policy: string;
}

/** Of so many limits of accounts the counts are kept: the operator sets them. */
const METERS_MAX = 1_000;

/**
 * How many requests each key may send: as many as its account's own limit says, or the default. Every reply to a good key says what is left, by the fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export class RateLimit {
  /** For who can count a request with the look for its key. */
  readonly keyCount: KeyCount | undefined;
  readonly #default: Meter | undefined;
  readonly #createLimiter: CreateLimiter;
  /** By allowance. */
  readonly #own = new Map<string, Meter>();

  /** `allowance` is for keys whose account has none of its own; without it these are not limited. */
  constructor(allowance: Allowance | undefined, createLimiter: CreateLimiter) {
    this.#createLimiter = createLimiter;
    this.#default = allowance && this.#createMeter(allowance);
    this.keyCount = allowance && { name: nameOf(allowance), durationMs: allowance.seconds * 1000 };
  }

  /**
   * Takes a point of the key; the headers of the reply, if it is limited. `taken` says that one of the default limit was
   * taken already.
   * @throws {AppError} `rate_limited`, with the headers of its own reply
   */
  async spend(keyId: string, taken?: Taken, own?: Allowance): Promise<Record<string, string>> {
    const meter = this.#meterOf(own);
    if (meter === undefined) return {};
    const counted = own === undefined && taken ? taken : await meter.limiter.penalty(keyId);
    const headers = describe(meter, counted);
    if (counted.consumedPoints <= meter.limiter.points) return headers;
    // A request that was refused costs nothing, or it would take the place of one whose 304 is still to come.
    await this.giveBack(keyId, own);
    const seconds = String(wholeSeconds(waitMsOf(meter.limiter, counted)));
    throw new AppError(
      'rate_limited',
      `This key has sent all the requests it may for now; go on in ${seconds} s. RateLimit says in each reply what is left.`,
      { headers: { ...headers, 'Retry-After': seconds } },
    );
  }

  /** Once the reply is known: a 304 is free, and of a key that was deleted meanwhile nothing is told. */
  async settle(exchange: Exchange, status: number): Promise<void> {
    if (!hasKey(exchange)) return;
    if (status === 304)
      exchange.rateLimit = await this.giveBack(exchange.principal.keyId, allowanceOf(exchange.principal));
    if (status === 401) exchange.rateLimit = undefined;
  }

  /** Gives the key a point back; the headers of the reply. */
  async giveBack(keyId: string, own?: Allowance): Promise<Record<string, string>> {
    const meter = this.#meterOf(own);
    if (meter === undefined) return {};
    const counted = await meter.limiter.reward(keyId);
    // The time was over, and the next one would begin with a point too many.
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

/** With other settings the count begins anew. */
function nameOf({ points, seconds }: Allowance): string {
  return `requests ${points}/${seconds}`;
}

/** The limit that the key's account has of its own. */
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

/** Rounded up: who waits so long does not come too early. */
function wholeSeconds(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 1000));
}

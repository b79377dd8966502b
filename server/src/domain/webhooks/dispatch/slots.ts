import { FairQueue } from '../../../lib/fair-queue.ts';

/** Maximum number of attempts in flight per endpoint, as documented in `docs/webhooks.md`. */
const PER_ENDPOINT_MAX = 64;
/** Maximum numbers of attempts in flight per process. Each attempt uses a connection. */
const HEALTHY_MAX = 384;
const FAILING_MAX = 128;
/** The part of the slots that busy endpoints share; the rest stays free for endpoints that become busy. */
const DIVIDED_PART = 0.75;

/** The sender of an endpoint. */
export interface SlotUser {
  readonly accountId: string;
  readonly isFailing: boolean;
  /** The maximum number of attempts that the endpoint should currently have in flight. */
  readonly limit: number;
  /** Called when a slot may be free. */
  wake(): void;
}

/** Slots for attempts in flight. */
class Pool {
  readonly #max: number;
  readonly #used = new Map<SlotUser, number>();
  readonly #waiting = new FairQueue<string, SlotUser>();
  readonly #isWaiting = new Set<SlotUser>();
  #usedCount = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take(user: SlotUser): boolean {
    const own = this.#used.get(user) ?? 0;
    // The endpoint is woken by its own next result. If it also waited here, it would be woken instead of an
    // endpoint that can use the free slot.
    if (own >= Math.min(user.limit, PER_ENDPOINT_MAX, this.#share())) return false;
    if (this.#usedCount >= this.#max) {
      this.#wait(user);
      return false;
    }
    this.#used.set(user, own + 1);
    this.#usedCount += 1;
    return true;
  }

  free(user: SlotUser): void {
    const own = (this.#used.get(user) ?? 1) - 1;
    if (own > 0) this.#used.set(user, own);
    else this.#used.delete(user);
    this.#usedCount -= 1;
    const next = this.#waiting.take();
    if (next === undefined) return;
    this.#isWaiting.delete(next);
    next.wake();
  }

  #wait(user: SlotUser): void {
    if (this.#isWaiting.has(user)) return;
    this.#isWaiting.add(user);
    this.#waiting.add(user.accountId, user);
  }

  #share(): number {
    const busy = Math.max(1, this.#used.size + this.#isWaiting.size);
    return Math.max(1, Math.floor((this.#max * DIVIDED_PART) / busy));
  }
}

/**
 * Divides the attempts in flight among endpoints. Slow endpoints cannot take all slots, and failing
 * endpoints, many of which never respond, have slots of their own.
 */
export class Slots {
  readonly #healthy = new Pool(HEALTHY_MAX);
  readonly #failing = new Pool(FAILING_MAX);

  /**
   * @returns a function that frees the slot; undefined if none is free, in which case `wake` is called later, or if
   * the endpoint has reached its limit
   */
  take(user: SlotUser): (() => void) | undefined {
    const pool = user.isFailing ? this.#failing : this.#healthy;
    return pool.take(user) ? () => pool.free(user) : undefined;
  }
}

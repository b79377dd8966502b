import { FairQueue } from '../../../lib/fair-queue.ts';

/** Maximum number of attempts in flight per endpoint, as documented in `docs/webhooks.md`. */
const PER_ENDPOINT_MAX = 64;
/** Maximum numbers of attempts in flight per process. Each attempt uses a connection. */
const HEALTHY_MAX = 384;
const FAILING_MAX = 128;
/** The part of the slots that busy endpoints share; the rest stays free for endpoints that become busy. */
const DIVIDED_PART = 0.75;

export interface SlotUser {
  readonly accountId: string;
  readonly isFailing: boolean;
  /** The maximum number of attempts that the endpoint should currently have in flight. */
  readonly limit: number;
  /** Whether an event can be sent now. */
  readonly hasReady: boolean;
  /** Called when a slot may be free. */
  wake(): void;
}

/** Slots for attempts in flight. */
class Pool {
  readonly #max: number;
  readonly #isForFailing: boolean;
  readonly #used = new Map<SlotUser, number>();
  readonly #waiting = new FairQueue<string, SlotUser>();
  readonly #isWaiting = new Set<SlotUser>();
  #usedCount = 0;

  constructor(max: number, isForFailing: boolean) {
    this.#max = max;
    this.#isForFailing = isForFailing;
  }

  take(user: SlotUser): boolean {
    // The endpoint is woken by its own next result. If it also waited here, it would be woken instead of an
    // endpoint that can use the free slot.
    if (!this.#isBelowLimit(user)) return false;
    if (this.#usedCount >= this.#max) {
      this.#wait(user);
      return false;
    }
    this.#used.set(user, this.#countOf(user) + 1);
    this.#usedCount += 1;
    return true;
  }

  free(user: SlotUser): void {
    const own = this.#countOf(user) - 1;
    if (own > 0) this.#used.set(user, own);
    else this.#used.delete(user);
    this.#usedCount -= 1;
    this.#offer();
  }

  leave(user: SlotUser): void {
    if (this.#isWaiting.delete(user)) this.#waiting.remove(user.accountId, user);
    this.#offer();
  }

  /**
   * Wakes the first waiting endpoint that can use a free slot. Those before it need not wait any longer: they are
   * woken by their own next results or events.
   */
  #offer(): void {
    if (this.#usedCount >= this.#max) return;
    let next: SlotUser | undefined;
    do {
      next = this.#waiting.take();
      if (next !== undefined) this.#isWaiting.delete(next);
    } while (next !== undefined && !this.#canUse(next));
    next?.wake();
  }

  #canUse(user: SlotUser): boolean {
    return user.hasReady && user.isFailing === this.#isForFailing && this.#isBelowLimit(user);
  }

  #isBelowLimit(user: SlotUser): boolean {
    return this.#countOf(user) < Math.min(user.limit, PER_ENDPOINT_MAX, this.#share());
  }

  #countOf(user: SlotUser): number {
    return this.#used.get(user) ?? 0;
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

/** Slow endpoints cannot take all slots; failing endpoints, many of which never respond, have slots of their own. */
export class Slots {
  readonly #healthy = new Pool(HEALTHY_MAX, false);
  readonly #failing = new Pool(FAILING_MAX, true);

  /**
   * @returns a function that frees the slot; undefined if none is free, in which case `wake` is called later, or if
   * the endpoint has reached its limit
   */
  take(user: SlotUser): (() => void) | undefined {
    const pool = user.isFailing ? this.#failing : this.#healthy;
    return pool.take(user) ? () => pool.free(user) : undefined;
  }

  /** Call this for a sender that has ended. If it was woken for a free slot, the next one is woken instead. */
  leave(user: SlotUser): void {
    for (const pool of [this.#healthy, this.#failing]) pool.leave(user);
  }
}

/** Waiting requests at which new ones are rejected: half a second of work on a fast machine. */
const LENGTH_MAX = 1_500;
/** From this length on, new requests are rejected if the first has waited for `STANDING_MS`. */
const STANDING_LENGTH = 800;
const STANDING_MS = 1_000;

/** When a wait began, in the time of `performance.now()`. */
interface Start {
  sinceMs: number;
}

/** Counts what waits, and for how long. It does not decide what comes next. */
export class Backlog {
  /** In order of arrival. */
  readonly #starts = new Set<Start>();
  readonly #lengthMax: number;

  constructor(lengthMax = LENGTH_MAX) {
    this.#lengthMax = Math.min(lengthMax, LENGTH_MAX);
  }

  /** Counts as waiting until the promise is settled. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const start = { sinceMs: performance.now() };
    this.#starts.add(start);
    try {
      return await promise;
    } finally {
      this.#starts.delete(start);
    }
  }

  get isEmpty(): boolean {
    return this.#starts.size === 0;
  }

  /** The number of waits that can still begin before their duration matters. */
  get room(): number {
    return Math.max(0, STANDING_LENGTH - this.#starts.size);
  }

  /** Whether to reject new work: too much is waiting, or the first has waited too long. */
  get isTooLong(): boolean {
    if (this.#starts.size >= this.#lengthMax) return true;
    if (this.#starts.size < STANDING_LENGTH) return false;
    const [first] = this.#starts;
    return first !== undefined && performance.now() - first.sinceMs > STANDING_MS;
  }
}

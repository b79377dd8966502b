/** New requests are rejected while this many wait, which is half a second of work on a fast machine. */
const LENGTH_MAX = 1_500;
/** While this many wait, new requests are rejected if the oldest has waited for `STANDING_MS`. */
const STANDING_LENGTH = 800;
const STANDING_MS = 1_000;

/** When a wait began, as returned by `performance.now()`. */
interface Start {
  sinceMs: number;
}

/** Counts waiting requests and measures the longest wait. It does not decide which request is next. */
export class Backlog {
  /** In order of arrival. */
  readonly #starts = new Set<Start>();
  readonly #lengthMax: number;

  constructor(lengthMax = LENGTH_MAX) {
    this.#lengthMax = Math.min(lengthMax, LENGTH_MAX);
  }

  /** Counts a waiting request until the promise is settled. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const start = { sinceMs: performance.now() };
    this.#starts.add(start);
    try {
      return await promise;
    } finally {
      this.#starts.delete(start);
    }
  }

  get length(): number {
    return this.#starts.size;
  }

  get isEmpty(): boolean {
    return this.#starts.size === 0;
  }

  /** How many more requests can wait before the longest wait is taken into account. */
  get room(): number {
    return Math.max(0, STANDING_LENGTH - this.#starts.size);
  }

  get isTooLong(): boolean {
    if (this.#starts.size >= this.#lengthMax) return true;
    if (this.#starts.size < STANDING_LENGTH) return false;
    const [first] = this.#starts;
    return first !== undefined && performance.now() - first.sinceMs > STANDING_MS;
  }
}

/** How many may wait at all: half a second of a fast machine's work. */
const LENGTH_MAX = 1_500;
/** More than this are too many if the first waits longer than `STANDING_MS`. Fewer may be due to a slow moment. */
const STANDING_LENGTH = 800;
const STANDING_MS = 1_000;

/** `sinceMs` is a time of `performance.now()`. */
interface Place {
  sinceMs: number;
}

/** A waiting line, in order of arrival. */
export class Line {
  readonly #places = new Set<Place>();
  readonly #lengthMax: number;

  constructor(lengthMax = LENGTH_MAX) {
    this.#lengthMax = Math.min(lengthMax, LENGTH_MAX);
  }

  /** Waits in the line until the promise is settled. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const place = { sinceMs: performance.now() };
    this.#places.add(place);
    try {
      return await promise;
    } finally {
      this.#places.delete(place);
    }
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** How many may still come before their waiting time matters. */
  get room(): number {
    return Math.max(0, STANDING_LENGTH - this.#places.size);
  }

  /** Whether newcomers should be rejected, because too many wait or wait too long. */
  get isTooLong(): boolean {
    if (this.#places.size >= this.#lengthMax) return true;
    if (this.#places.size < STANDING_LENGTH) return false;
    const [first] = this.#places;
    return first !== undefined && performance.now() - first.sinceMs > STANDING_MS;
  }
}

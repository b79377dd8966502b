/** So many may wait, however fast they are served: half a second of what a fast machine does. */
const LENGTH_MAX = 1_500;
/** More than so many who wait for longer than this are too many, too. Fewer may have met a slow moment of the machine. */
const STANDING_LENGTH = 800;
const STANDING_MS = 1_000;

/** One of those that wait, since a time of `performance.now()`. */
interface Place {
  sinceMs: number;
}

/** Those that wait for something, in the order in which they came. */
export class Line {
  readonly #places = new Set<Place>();
  readonly #lengthMax: number;

  constructor(lengthMax = LENGTH_MAX) {
    this.#lengthMax = Math.min(lengthMax, LENGTH_MAX);
  }

  /** Stands in the line until a promise is settled. @returns what that gives */
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

  /** How many may come before it matters how long they wait. */
  get room(): number {
    return Math.max(0, STANDING_LENGTH - this.#places.size);
  }

  /** Whether so many wait, or so long, that whoever comes now is better told to come back. */
  get isTooLong(): boolean {
    if (this.#places.size >= this.#lengthMax) return true;
    if (this.#places.size < STANDING_LENGTH) return false;
    const [first] = this.#places;
    return first !== undefined && performance.now() - first.sinceMs > STANDING_MS;
  }
}

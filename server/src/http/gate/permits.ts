/** The documented maximum of concurrent imports and feed runs of an account. */
export const UPLOADS_MAX = 4;
/** How many permits of each kind an account can have at a time, across all processes of a service on one machine. */
const MAX = {
  upload: UPLOADS_MAX,
  /** Atomic imports, whose rows are kept until the import ends. */
  'whole file': 1,
};

export type Permitted = keyof typeof MAX;

/** Gives a permit back. Later calls do nothing. */
export type Release = () => void;

export interface Permits {
  /** @returns undefined if all of the account's permits are in use */
  take(what: Permitted, accountId: string): Promise<Release | undefined>;
  /** Waits for a permit, first come, first served. @throws the reason of `signal` */
  wait(what: Permitted, accountId: string, signal: AbortSignal): Promise<Release>;
}

interface Holders {
  readonly name: string;
  count: number;
  readonly waiting: Set<(release: Release) => void>;
}

export class OwnPermits implements Permits {
  /** By name. An entry is removed when its last permit is given back. */
  readonly #holders = new Map<string, Holders>();

  async take(what: Permitted, accountId: string): Promise<Release | undefined> {
    const holders = this.#holdersOf(what, accountId);
    return holders.count < MAX[what] ? this.#give(holders) : undefined;
  }

  async wait(what: Permitted, accountId: string, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    const holders = this.#holdersOf(what, accountId);
    if (holders.count < MAX[what]) return this.#give(holders);
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const leave = () => {
      holders.waiting.delete(resolve);
      reject(signal.reason);
    };
    holders.waiting.add(resolve);
    signal.addEventListener('abort', leave);
    return await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #holdersOf(what: Permitted, accountId: string): Holders {
    const name = `${what} ${accountId}`;
    return this.#holders.get(name) ?? { name, count: 0, waiting: new Set() };
  }

  #give(holders: Holders): Release {
    this.#holders.set(holders.name, holders);
    holders.count += 1;
    return this.#releaseOf(holders);
  }

  #releaseOf(holders: Holders): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = holders.waiting;
      if (next !== undefined) {
        holders.waiting.delete(next);
        return next(this.#releaseOf(holders));
      }
      holders.count -= 1;
      if (holders.count === 0) this.#holders.delete(holders.name);
    };
  }
}

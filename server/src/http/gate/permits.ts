/** The documented maximum of concurrent imports and feed runs of an account. */
export const UPLOADS_MAX = 4;
/** How often an account can do something at a time, in all processes of a service together. */
const MAX = {
  upload: UPLOADS_MAX,
  /** Files of atomic imports in memory. */
  'whole file': 1,
};

export type Permitted = keyof typeof MAX;

/** Gives a permit back. Later calls do nothing. */
export type Release = () => void;

/** Permits for what accounts can only do a limited number of times at once. */
export interface Permits {
  /** @returns undefined if the account has all of its permits */
  take(what: Permitted, accountId: string): Promise<Release | undefined>;
  /** Waits for a permit, first come, first served. @throws the reason of `signal` */
  wait(what: Permitted, accountId: string, signal: AbortSignal): Promise<Release>;
}

interface Holders {
  /** What is permitted, and the account. */
  readonly name: string;
  count: number;
  readonly waiting: Set<(release: Release) => void>;
}

/** Permits that this process gives. */
export class OwnPermits implements Permits {
  /** By name; only those with a permit. */
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

import type { Head } from '../model/accounts.ts';
import type { Scans } from '../storage/database.ts';
import { countByStatus, type StatusCount } from '../storage/searches.ts';

/** So many accounts are remembered, each in less than a KiB. */
const ACCOUNTS_MAX = 1000;
/** So many are counted in some milliseconds: anew after each change. */
const QUICK_LENGTH = 10_000;
/** Others take 0.7 µs each, and are counted so seldom that it takes a thirtieth of a reader's time at most. */
const REST_MS_PER_LISTING = 0.02;

interface Counted {
  /** Where the account stood. */
  at: string;
  counts: Promise<StatusCount[]>;
  /** Until then it is good enough, whatever has changed. */
  restsUntilMs: number;
}

/** How many listings accounts have: counting reads all of them, and the dashboard asks every few seconds. */
export class ListingCounts {
  readonly #scans: Scans;
  readonly #byAccount = new Map<string, Counted>();

  constructor(scans: Scans) {
    this.#scans = scans;
  }

  /** @throws {AppError} `unavailable` */
  async count(accountId: string, { epoch, sequence }: Head): Promise<StatusCount[]> {
    const at = `${epoch} ${sequence}`;
    // Whoever is counting counts for all who come meanwhile.
    await this.#byAccount.get(accountId)?.counts.catch(() => undefined);
    const known = this.#byAccount.get(accountId);
    if (known !== undefined && (known.at === at || performance.now() < known.restsUntilMs)) return known.counts;
    return this.#begin(accountId, at);
  }

  #begin(accountId: string, at: string): Promise<StatusCount[]> {
    const counted: Counted = { at, counts: countByStatus(this.#scans, accountId), restsUntilMs: 0 };
    this.#byAccount.delete(accountId);
    this.#byAccount.set(accountId, counted);
    const [oldest] = this.#byAccount.keys();
    if (this.#byAccount.size > ACCOUNTS_MAX && oldest !== undefined) this.#byAccount.delete(oldest);
    counted.counts.then(
      (counts) => {
        const total = counts.reduce((sum, { count }) => sum + count, 0);
        if (total > QUICK_LENGTH) counted.restsUntilMs = performance.now() + total * REST_MS_PER_LISTING;
      },
      () => this.#byAccount.delete(accountId),
    );
    return counted.counts;
  }
}

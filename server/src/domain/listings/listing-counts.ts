import type { Head } from '../../model/accounts.ts';
import type { ListingSearch, Totals } from '../../storage/searches.ts';

/** Maximum number of accounts whose counts are cached. The counts of an account take less than 1 KiB. */
const ACCOUNTS_MAX = 1000;
/** For accounts of up to this size, a change invalidates the counts, because counting takes only milliseconds. */
const QUICK_LENGTH = 10_000;
/** How long counts are used despite changes, per listing: about 30 times the counting time on PostgreSQL (0.7 µs). */
const FRESH_MS_PER_LISTING = 0.02;

interface Counted {
  /** The account's epoch and sequence. */
  at: string;
  counts: Promise<Totals>;
  /** Until this time, the counts are used even after changes. */
  freshUntilMs: number;
}

/**
 * Caches counts: on PostgreSQL, counting reads all of an account's listings, and open dashboards request the counts
 * every few seconds.
 */
export class ListingCounts {
  readonly #search: Pick<ListingSearch<never>, 'countByStatus'>;
  readonly #byAccount = new Map<string, Counted>();

  constructor(search: Pick<ListingSearch<never>, 'countByStatus'>) {
    this.#search = search;
  }

  /** @throws {AppError} `unavailable` */
  async count(accountId: string, { epoch, sequence }: Head): Promise<Totals> {
    const at = `${epoch} ${sequence}`;
    // Concurrent callers share one query.
    await this.#byAccount.get(accountId)?.counts.catch(() => undefined);
    const known = this.#byAccount.get(accountId);
    if (known !== undefined && (known.at === at || performance.now() < known.freshUntilMs)) return known.counts;
    return this.#begin(accountId, at);
  }

  #begin(accountId: string, at: string): Promise<Totals> {
    const counted: Counted = { at, counts: this.#search.countByStatus(accountId), freshUntilMs: 0 };
    this.#byAccount.delete(accountId);
    this.#byAccount.set(accountId, counted);
    const [oldest] = this.#byAccount.keys();
    if (this.#byAccount.size > ACCOUNTS_MAX && oldest !== undefined) this.#byAccount.delete(oldest);
    counted.counts.then(
      ({ byStatus }) => {
        const total = byStatus.reduce((sum, { count }) => sum + count, 0);
        if (total > QUICK_LENGTH) counted.freshUntilMs = performance.now() + total * FRESH_MS_PER_LISTING;
      },
      () => this.#byAccount.delete(accountId),
    );
    return counted.counts;
  }
}

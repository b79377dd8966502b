import { Flood } from '../../../../bench/src/flood.ts';
import type { Trial } from '../../part.ts';

/** The small form runs on busy machines, on which 100 requests per second would wait for cores and for each other. */
const PER_SECOND: Record<Trial['size'], number> = { full: 100, small: 20 };

/** The other account, which has a normal load. One request in ten uses a new connection. */
export class Neighbour {
  readonly #flood: Flood;

  constructor(port: number, key: string, listingIds: readonly string[], name: string, size: Trial['size']) {
    this.#flood = new Flood({
      port,
      listingIds,
      name,
      keys: { changing: key, listing: key, stranger: '' },
      isKeyAsked: true,
      seed: 1,
      perSecond: PER_SECOND[size],
      isSteady: true,
      mix: [
        ['listing', 2],
        ...(['page', 'filtered', 'create', 'patch'] as const).map((kind): [typeof kind, number] => [kind, 1]),
      ],
      idleMax: 20,
      freshEvery: 10,
      patienceSeconds: 5,
    });
    this.#flood.start();
  }

  /** @returns the effect on this account: `readMs` and `writeMs` are the p99 of reads and of writes */
  async during(work: () => Promise<void>) {
    const { readP99Ms, writeP99Ms, refused, faultCount, departed, lost, faults } = await this.#flood.during(work);
    const losses = Object.values(lost).reduce((sum, count) => sum + count, 0);
    const words = [...faults, ...Object.keys(lost), `${refused} are rejected, ${departed} get no response`];
    return { readMs: readP99Ms, writeMs: writeP99Ms, failed: refused + faultCount + departed + losses, words };
  }

  end(): void {
    this.#flood.stop();
  }
}

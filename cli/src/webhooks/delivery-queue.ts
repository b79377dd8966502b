import type { ListingEvent } from '@property-listings/client';

/** Enough to show the developer of a receiver that deliveries overlap. The service has more in flight. */
const IN_FLIGHT_MAX = 8;

/** Delivers events in parallel, but delivers the events of each listing in order. */
export class DeliveryQueue<Event extends Pick<ListingEvent, 'sequence' | 'listingId'>> {
  readonly #deliver: (event: Event) => Promise<void>;
  /** Deliveries by sequence, oldest first. */
  readonly #inFlight = new Map<number, Promise<void>>();
  readonly #lastByListing = new Map<string, Promise<void>>();
  #seen: number;

  /** @param after the sequence before the first event */
  constructor(after: number, deliver: (event: Event) => Promise<void>) {
    this.#seen = after;
    this.#deliver = deliver;
  }

  /** Every event up to this sequence was delivered, abandoned, or skipped. */
  get settled(): number {
    const [oldest = this.#seen + 1] = this.#inFlight.keys();
    return oldest - 1;
  }

  skip({ sequence }: Event): void {
    this.#seen = sequence;
  }

  /** Waits until fewer than the maximum number of deliveries are in flight, then starts this one. */
  async add(event: Event): Promise<void> {
    while (this.#inFlight.size >= IN_FLIGHT_MAX) await Promise.race(this.#inFlight.values());
    const { sequence, listingId } = event;
    const before = this.#lastByListing.get(listingId) ?? Promise.resolve();
    const delivering = before.then(() => this.#deliver(event));
    const delivery = delivering.finally(() => {
      this.#inFlight.delete(sequence);
      if (this.#lastByListing.get(listingId) === delivery) this.#lastByListing.delete(listingId);
    });
    this.#seen = sequence;
    this.#inFlight.set(sequence, delivery);
    this.#lastByListing.set(listingId, delivery);
  }
}

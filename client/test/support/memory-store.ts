import type { Listing, ListingEvent, ListingStore, Position } from '../../src/index.ts';

/** An in-memory copy of the listings that counts how often it is replaced as a whole. */
export class MemoryStore implements ListingStore {
  listings = new Map<string, Listing>();
  kept: Position | undefined;
  replaced = 0;

  position(): Position | undefined {
    return this.kept;
  }

  async replace(listings: AsyncIterable<Listing>): Promise<void> {
    const fresh = new Map<string, Listing>();
    for await (const listing of listings) fresh.set(listing.id, listing);
    this.listings = fresh;
    this.replaced += 1;
  }

  apply(events: ListingEvent[], position: Position): void {
    for (const { listing, listingId } of events) {
      if (listing === undefined) this.listings.delete(listingId);
      else this.listings.set(listingId, listing);
    }
    this.kept = position;
  }
}

import { useEffect, useState } from 'react';
import { request } from '../../api/client';
import { refreshListings } from '../../api/queries';
import type { EventList, Listing, ListingList } from '../../api/types';

/** How long a long poll waits for an event. */
const WAIT_SECONDS = '25';
/** The delay after a failure, because the service may be restarting. */
const RETRY_MS = 3_000;

/** Waits for the account's first listing with long polls, and returns it. */
export function useFirstListing(): Listing | undefined {
  const [listing, setListing] = useState<Listing>();
  useEffect(() => {
    const stopped = new AbortController();
    void watch(stopped.signal, (found) => {
      setListing(found);
      void refreshListings();
    });
    return () => stopped.abort();
  }, []);
  return listing;
}

async function watch(signal: AbortSignal, onFound: (listing: Listing) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      onFound(await waitForListing(signal));
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function waitForListing(signal: AbortSignal): Promise<Listing> {
  const query = { limit: '1' };
  const list = await request<ListingList>('GET', '/admin/listings', { query, signal });
  const [first] = list.data;
  if (first !== undefined) return first;
  let after = String(list.sequence);
  for (;;) {
    const events = await request<EventList>('GET', '/admin/events', { query: { after, wait: WAIT_SECONDS }, signal });
    const found = events.data.find((event) => event.type === 'listing.created')?.listing;
    if (found !== undefined) return found;
    after = String(events.nextAfter);
  }
}

import assert from 'node:assert/strict';
import { createLedger, type Known, type Ledger } from '../../../../testkit/src/ledger.ts';

export interface Event {
  sequence: number;
  type: string;
  listingId: string;
  listing?: Known & { id: string };
}

export async function read<T>(url: string, path: string, key: string): Promise<T> {
  const response = await fetch(`${url}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await response.text();
  assert.equal(response.status, 200, `GET ${path}: ${text}`);
  return JSON.parse(text);
}

export async function readEvents(url: string, key: string): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const { data } = await read<{ data: Event[] }>(url, `/events?limit=1000&after=${events.length}`, key);
    if (data.length === 0) return events;
    events.push(...data);
  }
}

/** The state after `sequence` events as a ledger: later listings must not be there. */
export function ledgerAt(events: readonly Event[], sequence: number): Ledger {
  const ledger = createLedger();
  const addresses = new Map<string, string>();
  for (const { listingId, listing } of events.slice(0, sequence)) {
    const address = listing?.address ?? addresses.get(listingId) ?? '';
    addresses.set(listingId, address);
    if (listing === undefined) ledger.known.delete(address);
    else ledger.known.set(address, listing);
  }
  for (const { listing } of events) if (listing && !ledger.known.has(listing.address)) ledger.gone.add(listing.address);
  return ledger;
}

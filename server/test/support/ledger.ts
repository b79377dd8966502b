import assert from 'node:assert/strict';
import type { TestDatabase } from './database.ts';
import { PatientCaller } from './patient-caller.ts';
import type { Tenant } from './service.ts';

/** What a lane knows of a listing that is its own: nobody else changes it. */
export interface Known {
  address: string;
  /** Another one after each change. */
  listPrice: number;
  version: number;
  externalId?: string;
  /** Not told by imports. */
  id?: string;
}

/** What a load has been told so far. */
export interface Ledger {
  /** What there must be, by address. */
  known: Map<string, Known>;
  /** Addresses that must not be there: of deleted listings, and of creates that were refused for good. */
  gone: Set<string>;
  /** Addresses of creates without an Idempotency-Key whose outcome nobody knows. */
  unknown: Set<string>;
  /** How often each thing was told (`PatientCaller`). */
  counts: Map<string, number>;
}

/** Whether a listing is in the state that is known of it. */
export function assertIs(listing: Record<string, unknown> | undefined, known: Known | undefined): void {
  assert.deepEqual(
    [listing?.address, listing?.version, listing?.listPrice],
    [known?.address, known?.version, known?.listPrice],
  );
}

/** Whether an account holds what its ledger says, and its events tell how that came, without gap or double. */
export async function assertKept(
  url: string,
  { accountId, key }: Pick<Tenant, 'accountId' | 'key'>,
  { sql }: Pick<TestDatabase, 'sql'>,
  { known, gone, unknown }: Ledger,
): Promise<void> {
  const caller = new PatientCaller([url], key, new Map());
  const listings = ((await caller.list()) ?? []).map((line) => JSON.parse(line));
  const byAddress = new Map(listings.map((listing) => [listing.address, listing]));
  assert.equal(byAddress.size, listings.length, 'nothing was done twice');
  for (const each of known.values()) assertIs(byAddress.get(each.address), each);
  for (const address of gone) assert.ok(!byAddress.has(address), `${address} was refused or deleted`);
  for (const address of byAddress.keys()) assert.ok(known.has(address) || unknown.has(address), address);

  const { replayed, sequence } = await replayEvents(caller);
  assert.deepEqual(new Map(listings.map((listing) => [listing.id, listing])), replayed);
  const [head] = await sql('select sequence, listing_count from account_heads where account_id = ?', accountId);
  assert.deepEqual(head, { sequence, listing_count: listings.length });
  for (const table of ['listing_facets', 'listing_words']) {
    const rows = await sql(`select 1 from ${table} where account_id = ?`, accountId);
    assert.equal(rows.length, listings.length, table);
  }
}

/** What all events make together, by id. */
async function replayEvents(caller: PatientCaller) {
  const replayed = new Map<string, { version: number }>();
  for (let after = 0; ; ) {
    const { text } = await caller.send({ method: 'GET', path: `/events?after=${after}&limit=1000` });
    const { data } = JSON.parse(text);
    if (data.length === 0) return { replayed, sequence: after };
    for (const { sequence, type, listingId, listing } of data) {
      after += 1;
      assert.equal(sequence, after);
      const version = replayed.get(listingId)?.version;
      assert.equal(version === undefined, type === 'listing.created');
      if (type === 'listing.deleted') replayed.delete(listingId);
      else replayed.set(listingId, listing);
      if (type !== 'listing.deleted') assert.equal(listing.version, (version ?? 0) + 1);
    }
  }
}

import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import type { Prepared } from './faults.ts';

/** The maximum number of listings in an account, which is small because lists are read often. */
export const LISTINGS_MAX = 40;
const REMEMBERED_MAX = 20;

export type Listing = Record<string, unknown> & { id: string };

export const FEEDS = ['mls', 'broker-1', 'a', '0'];

/** The objects of one kind, by id or name: those that exist, with a value, and those that do not exist any more. */
const pool = (deleted: readonly string[] = []) => ({ live: new Map<string, string>(), deleted: new Set(deleted) });

/** The state of an account, according to the responses so far. */
export class Known {
  /** By path parameter. The values are the JSON of a listing, the email of an invitation, or what owns the object. */
  readonly pools = {
    id: pool(),
    keyId: pool(),
    entryId: pool(),
    memberId: pool(),
    invitationId: pool(),
    name: pool(FEEDS),
    runId: pool(),
    view: pool(),
    webhookId: pool(),
    deliveryId: pool(),
  };
  readonly listings = this.pools.id.live;
  readonly deleted: ReadonlySet<string> = this.pools.id.deleted;
  epoch = '';
  sequence = 0;
  /** Requests with an Idempotency-Key, and their responses. */
  readonly done: { request: Prepared; told: Told }[] = [];

  constructor(memberId: string) {
    this.add('memberId', memberId);
  }

  findByExternalId(externalId: string): string | undefined {
    const found = [...this.listings].find(([, text]) => JSON.parse(text).externalId === externalId);
    return found?.[0];
  }

  versionOf(id: string | undefined): number | undefined {
    const text = id === undefined ? undefined : this.listings.get(id);
    return text === undefined ? undefined : JSON.parse(text).version;
  }

  keep(text: string): void {
    this.listings.set(JSON.parse(text).id, text);
  }

  add(kind: keyof Known['pools'], id: string, value = ''): void {
    this.pools[kind].live.set(id, value);
    this.pools[kind].deleted.delete(id);
  }

  /** Records that an object was deleted, with the runs of a feed or the deliveries to an endpoint. */
  delete(kind: keyof Known['pools'], id: string): void {
    this.pools[kind].live.delete(id);
    this.pools[kind].deleted.add(id);
    const owned = this.pools[kind === 'name' ? 'runId' : 'deliveryId'].live;
    for (const [each, owner] of owned) if (owner === id) owned.delete(each);
  }

  remember(request: Prepared, told: Told): void {
    this.done.push({ request, told });
    if (this.done.length > REMEMBERED_MAX) this.done.shift();
  }

  addKey(id: string): void {
    const { live } = this.pools.keyId;
    this.add('keyId', id);
    for (const oldest of [...live.keys()].slice(0, -REMEMBERED_MAX)) live.delete(oldest);
  }

  /** A new invitation to the same email revokes the earlier one. */
  invite({ id, email }: { id: string; email: string }): void {
    for (const [earlier, address] of this.pools.invitationId.live)
      if (address === email) this.delete('invitationId', earlier);
    this.add('invitationId', id, email);
  }

  /** Asserts that a complete list without filters contains exactly the known listings. */
  assertComplete(data: readonly Listing[]): void {
    const ids = data.map(({ id }) => id);
    const expected = [...this.listings.keys()].sort().reverse();
    assert.deepEqual(ids, expected, 'the list does not have exactly the known listings');
    this.assertKnown(data);
  }

  assertKnown(data: readonly Listing[]): void {
    for (const listing of data) {
      assert.ok(!this.deleted.has(listing.id), `the deleted listing ${listing.id} is in a list`);
      const known = JSON.parse(this.listings.get(listing.id) ?? 'null');
      assert.deepEqual(listing, known, 'a listing differs from an earlier response');
    }
  }

  /** After a file was applied or a feed deleted, only listings that belong to feeds may be gone. */
  takeFeeds(data: readonly Listing[]): void {
    const ids = new Set(data.map(({ id }) => id));
    for (const [id, text] of this.listings) {
      if (ids.has(id)) continue;
      assert.ok('feed' in JSON.parse(text), `the listing ${id} is gone, but belongs to no feed`);
      this.delete('id', id);
    }
    this.take(data);
  }

  /** After an import, whose response does not describe each row, all known listings must still exist. */
  take(data: readonly Listing[]): void {
    for (const { id } of data) assert.ok(!this.deleted.has(id), `the deleted listing ${id} came back by an import`);
    const ids = new Set(data.map(({ id }) => id));
    for (const id of this.listings.keys()) assert.ok(ids.has(id), `the listing ${id} is gone after an import`);
    for (const listing of data) this.keep(JSON.stringify(listing));
  }
}

import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import type { Prepared } from './faults.ts';

/** The maximum number of listings in an account, which is small because lists are read often. */
export const LISTINGS_MAX = 40;
const REMEMBERED_MAX = 20;

export type Listing = Record<string, unknown> & { id: string };

/** The state of an account, according to the responses so far. */
export class Known {
  /** The latest JSON of each listing, by id. */
  readonly listings = new Map<string, string>();
  readonly deleted = new Set<string>();
  epoch = '';
  sequence = 0;
  readonly pages: string[] = [];
  /** Requests with an Idempotency-Key, and their responses. */
  readonly done: { request: Prepared; told: Told }[] = [];
  readonly keys: string[] = [];
  readonly deletedKeys: string[] = [];
  /** The ids of requests in the request log. */
  requests: string[] = [];
  /**
   * The email of each invitation, by the invitation's id. A new invitation to the same email revokes the
   * earlier one.
   */
  readonly invitations = new Map<string, string>();
  readonly deletedInvitations: string[] = [];
  readonly memberId: string;
  readonly feeds = new Set<string>();
  /** The ids of runs, with the names of their feeds. */
  readonly runs = new Map<string, string>();
  /** The names of saved views. */
  readonly views = new Set<string>();
  readonly webhooks = new Set<string>();
  readonly deletedWebhooks = new Set<string>();
  /** The ids of deliveries, with the ids of their endpoints. */
  readonly deliveries = new Map<string, string>();

  constructor(memberId: string) {
    this.memberId = memberId;
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

  delete(id: string): void {
    this.listings.delete(id);
    this.deleted.add(id);
  }

  /** Records that listings were deleted. Ids that have no listing are ignored. */
  deleteSome(ids: string[]): void {
    for (const id of ids) if (this.listings.has(id)) this.delete(id);
  }

  remember<T>(list: T[], value: T): void {
    list.push(value);
    if (list.length > REMEMBERED_MAX) list.shift();
  }

  deleteKey(id: string): void {
    this.keys.splice(this.keys.indexOf(id), 1);
    this.deletedKeys.push(id);
  }

  /** Removes a rolled key, so that it is not rolled again, and adds the new key instead. */
  rollKey(id: string, newId: string, isDeleted: boolean): void {
    this.keys.splice(this.keys.indexOf(id), 1, newId);
    if (isDeleted) this.deletedKeys.push(id);
  }

  invite({ id, email }: { id: string; email: string }): void {
    for (const [earlier, address] of this.invitations) if (address === email) this.revoke(earlier);
    this.invitations.set(id, email);
  }

  revoke(id: string): void {
    this.invitations.delete(id);
    this.deletedInvitations.push(id);
  }

  /** Asserts that a complete list without filters contains exactly the known listings. */
  assertComplete(data: readonly Listing[]): void {
    const ids = data.map(({ id }) => id);
    const expected = [...this.listings.keys()].sort().reverse();
    assert.deepEqual(ids, expected, 'the list does not have exactly the known listings');
    this.assertKnown(data);
  }

  /** Asserts that every listing of a list is known and unchanged. */
  assertKnown(data: readonly Listing[]): void {
    for (const listing of data) {
      assert.ok(!this.deleted.has(listing.id), `the deleted listing ${listing.id} is in a list`);
      const known = JSON.parse(this.listings.get(listing.id) ?? 'null');
      assert.deepEqual(listing, known, 'a listing differs from an earlier response');
    }
  }

  /**
   * Updates the known listings after a feed's file was applied or a feed was deleted. Both can delete
   * listings that belong to feeds.
   */
  takeFeeds(data: readonly Listing[]): void {
    const ids = new Set(data.map(({ id }) => id));
    for (const [id, text] of this.listings) {
      if (ids.has(id)) continue;
      assert.ok('feed' in JSON.parse(text), `the listing ${id} is gone, but belongs to no feed`);
      this.delete(id);
    }
    this.take(data);
  }

  deleteFeed(name: string): void {
    this.feeds.delete(name);
    for (const [id, feed] of this.runs) if (feed === name) this.runs.delete(id);
  }

  deleteWebhook(id: string): void {
    this.webhooks.delete(id);
    this.deletedWebhooks.add(id);
    for (const [delivery, owner] of this.deliveries) if (owner === id) this.deliveries.delete(delivery);
  }

  /**
   * Updates the known listings after an import, whose response does not describe each row. All listings known
   * before must still exist.
   */
  take(data: readonly Listing[]): void {
    for (const { id } of data) assert.ok(!this.deleted.has(id), `the deleted listing ${id} came back by an import`);
    const ids = new Set(data.map(({ id }) => id));
    for (const id of this.listings.keys()) assert.ok(ids.has(id), `the listing ${id} is gone after an import`);
    for (const listing of data) this.keep(JSON.stringify(listing));
  }
}

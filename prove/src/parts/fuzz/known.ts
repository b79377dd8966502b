import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import type { Prepared } from './prepared.ts';

/** How many listings a lane lets grow: lists are read often. */
export const LISTINGS_MAX = 40;
const REMEMBERED_MAX = 20;

export type Listing = Record<string, unknown> & { id: string };

/** What the replies of one account have told, and so what the next ones must tell. */
export class Known {
  /** Each listing as it was last told, by its id. */
  readonly listings = new Map<string, string>();
  readonly deleted = new Set<string>();
  epoch = '';
  sequence = 0;
  /** Queries of next pages. */
  readonly pages: string[] = [];
  /** Requests with an Idempotency-Key that were done, and their replies. */
  readonly done: { request: Prepared; told: Told }[] = [];
  readonly keys: string[] = [];
  readonly deletedKeys: string[] = [];
  /** The address that each goes to, by its id: another one to the same address ends it. */
  readonly invitations = new Map<string, string>();
  readonly deletedInvitations: string[] = [];
  readonly memberId: string;

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

  remember<T>(list: T[], value: T): void {
    list.push(value);
    if (list.length > REMEMBERED_MAX) list.shift();
  }

  deleteKey(id: string): void {
    this.keys.splice(this.keys.indexOf(id), 1);
    this.deletedKeys.push(id);
  }

  invite({ id, email }: { id: string; email: string }): void {
    for (const [earlier, address] of this.invitations) if (address === email) this.revoke(earlier);
    this.invitations.set(id, email);
  }

  revoke(id: string): void {
    this.invitations.delete(id);
    this.deletedInvitations.push(id);
  }

  /** What a complete list without filters must be: neither less nor more, and nothing that was deleted. */
  assertComplete(data: readonly Listing[]): void {
    const ids = [...this.listings.keys()].sort().reverse();
    assert.deepEqual(
      data.map(({ id }) => id),
      ids,
      'the list has not the listings that there are',
    );
    this.assertKnown(data);
  }

  /** Whatever was found must be there, and be as it was last told. */
  assertKnown(data: readonly Listing[]): void {
    for (const listing of data) {
      assert.ok(!this.deleted.has(listing.id), `the deleted listing ${listing.id} is in a list`);
      assert.deepEqual(listing, JSON.parse(this.listings.get(listing.id) ?? 'null'), 'a listing is not as it was told');
    }
  }

  /** After an import, which does not tell what became of each row: nothing else is gone, and nothing came back. */
  take(data: readonly Listing[]): void {
    for (const { id } of data) assert.ok(!this.deleted.has(id), `the deleted listing ${id} came back by an import`);
    const ids = new Set(data.map(({ id }) => id));
    for (const id of this.listings.keys()) assert.ok(ids.has(id), `the listing ${id} is gone after an import`);
    for (const listing of data) this.keep(JSON.stringify(listing));
  }
}

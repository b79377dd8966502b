import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { NDJSON } from './imports.ts';
import { assertIs, descriptionOf, type Known, type Ledger } from './ledger.ts';
import type { Call, PatientCaller, Told } from './patient-caller.ts';

/** The maximum number of a lane's listings, which keeps lists short. */
const LISTINGS_MAX = 40;
const IMPORTED = 3;
/** The number of kinds of requests, which a lane sends in turn. The last kind requires a feed. */
export const LANE_KINDS = 16;

/** A client that sends one request at a time and knows how its listings must be stored. */
export class Lane {
  readonly #name: string;
  readonly #caller: PatientCaller;
  readonly #ledger: Ledger;
  readonly #mine = new Map<string, Known>();
  #made = 0;
  #price = 1;
  #after = 0;
  readonly #hasFeed: boolean;

  constructor(name: string, caller: PatientCaller, ledger: Ledger, hasFeed: boolean) {
    this.#name = name;
    this.#hasFeed = hasFeed;
    this.#caller = caller;
    this.#ledger = ledger;
  }

  async take(turn: number): Promise<void> {
    const kinds = [
      () => this.#create(),
      () => this.#patch(turn),
      () => this.#createOnce(),
      () => this.#retrieve(turn),
      () => this.#put(undefined),
      () => this.#put(this.#pick(turn, ({ externalId }) => externalId !== undefined)),
      () => this.#import(false),
      () => this.#events(),
      () => this.#remove(turn),
      () => this.#import(true),
      () => this.#createTwice(),
      () => this.#patch(turn),
      () => this.#importOnce(),
      () => this.#remove(turn),
      () => this.#list(),
      () => (this.#hasFeed ? this.#runFeed() : undefined),
    ];
    while (this.#mine.size > LISTINGS_MAX) await this.#remove(turn);
    await kinds[turn % LANE_KINDS]?.();
  }

  #pick(turn: number, isGood: (known: Known) => boolean): Known | undefined {
    const good = [...this.#mine.values()].filter(isGood);
    return good[(turn * 7) % Math.max(1, good.length)];
  }

  #fresh(): Omit<Known, 'version'> {
    this.#made += 1;
    return { address: `${this.#made} Lane ${this.#name}`, listPrice: this.#nextPrice() };
  }

  #freshRows() {
    return Array.from({ length: IMPORTED }, () => {
      const fresh = this.#fresh();
      return { ...fresh, externalId: `MLS ${fresh.address}`, version: 0 };
    });
  }

  #nextPrice(): number {
    this.#price += 1;
    return this.#price;
  }

  #note(known: Known): void {
    this.#mine.set(known.address, known);
    this.#ledger.known.set(known.address, known);
  }

  async #create(): Promise<Call> {
    const fresh = this.#fresh();
    const call = { method: 'POST', path: '/listings', body: bodyOf(fresh), retryKey: randomUUID() };
    const listing = await this.#caller.change(call, 201);
    assert.deepEqual([listing.version, listing.address], [1, fresh.address]);
    this.#note({ ...fresh, version: 1, id: String(listing.id) });
    return call;
  }

  /** Sends a create twice with one Idempotency-Key, like a client that missed the response. */
  async #createTwice(): Promise<void> {
    const call = await this.#create();
    const { isReplayed, text } = await this.#caller.send(call, true);
    assert.ok(isReplayed, `a request with a known Idempotency-Key was executed again: ${JSON.parse(text).id}`);
  }

  /** Creates a listing without an Idempotency-Key. */
  async #createOnce(): Promise<void> {
    const fresh = this.#fresh();
    const told = await this.#caller.once({ method: 'POST', path: '/listings', body: bodyOf(fresh) });
    this.#noteAll(told, [{ ...fresh, version: 1 }]);
    if (told.outcome === 'acknowledged') this.#note({ ...fresh, version: 1, id: JSON.parse(told.text).id });
  }

  /** Sends an atomic import without an Idempotency-Key. */
  async #importOnce(): Promise<void> {
    const rows = this.#freshRows();
    const body = rows.map(bodyOf).join('\n');
    const told = await this.#caller.once({ method: 'POST', path: '/imports?atomic=true', body, type: NDJSON });
    const listings = rows.map((row) => ({ ...row, version: 1 }));
    this.#noteAll(told, listings);
  }

  #noteAll({ outcome }: Told, listings: Known[]): void {
    if (outcome === 'unknown') this.#ledger.unknown.push(listings);
    for (const listing of listings) {
      if (outcome === 'acknowledged') this.#note(listing);
      if (outcome === 'refused') this.#ledger.gone.add(listing.address);
    }
  }

  async #patch(turn: number): Promise<void> {
    const known = this.#pick(turn, ({ id }) => id !== undefined);
    if (known === undefined) return void (await this.#create());
    const listPrice = this.#nextPrice();
    const body = JSON.stringify({ listPrice, description: descriptionOf(listPrice) });
    const call = { method: 'PATCH', path: `/listings/${known.id}`, body };
    const listing = await this.#caller.change(call, 200);
    this.#note({ ...known, listPrice, version: known.version + 1 });
    assertIs(listing, this.#mine.get(known.address));
  }

  async #put(known: Known | undefined): Promise<void> {
    const { address } = known ?? this.#fresh();
    const { version = 0, externalId = `MLS ${address}` } = known ?? {};
    const next = { ...known, address, externalId, listPrice: this.#nextPrice() };
    const call = { method: 'PUT', path: pathOf({ externalId }), body: bodyOf(next) };
    const listing = await this.#caller.change(call, known === undefined ? 201 : 200);
    this.#note({ ...next, version: version + 1, id: String(listing.id) });
    assertIs(listing, this.#mine.get(address));
  }

  async #remove(turn: number): Promise<void> {
    const known = this.#pick(turn, () => true);
    if (known === undefined) return void (await this.#create());
    await this.#caller.change({ method: 'DELETE', path: pathOf(known) }, 204);
    this.#forget(known);
  }

  #forget(known: Known): void {
    this.#mine.delete(known.address);
    this.#ledger.known.delete(known.address);
    this.#ledger.gone.add(known.address);
  }

  async #import(atomic: boolean): Promise<void> {
    const old = [...this.#mine.values()].filter(({ externalId }) => externalId !== undefined).slice(-IMPORTED);
    const changed = old.map((known) => ({ ...known, listPrice: this.#nextPrice() }));
    const made = this.#freshRows();
    const rows = [...changed, ...made];
    const body = rows.map(bodyOf).join('\n');
    const call = { method: 'POST', path: `/imports?atomic=${atomic}`, body, type: NDJSON };
    const reply = await this.#caller.send(atomic ? { ...call, retryKey: randomUUID() } : call);
    const { created, updated, unchanged } = JSON.parse(reply.text);
    // If an earlier attempt was interrupted, the rows that it saved are unchanged now.
    const mayBeUnchanged = !atomic && reply.tries > 1;
    const isRight = mayBeUnchanged
      ? created + updated + unchanged === rows.length
      : created === made.length && updated === changed.length;
    assert.ok(isRight, `an import of ${made.length} new listings and ${changed.length} changes: ${reply.text}`);
    for (const row of rows) this.#note({ ...row, version: row.version + 1 });
  }

  /** Sends a file that lacks one of the feed's listings, repeats another, changes the rest, and adds new ones. */
  async #runFeed(): Promise<void> {
    const [missing, same, ...old] = [...this.#mine.values()].filter(({ isFed }) => isFed);
    const made = this.#freshRows().map((row) => ({ ...row, isFed: true }));
    const changed = [...old.map((known) => ({ ...known, listPrice: this.#nextPrice() })), ...made];
    const body = [...(same ? [same] : []), ...changed].map(bodyOf).join('\n');
    const call = { method: 'PUT', path: `/feeds/lane-${this.#name}?missing=delete`, body, type: NDJSON };
    const { text, tries } = await this.#caller.send(call);
    const { created, updated, deleted } = JSON.parse(text);
    const isRight = created === made.length && updated === old.length && deleted === (missing ? 1 : 0);
    assert.ok(isRight || tries > 1, `a file of ${made.length} new listings and ${old.length} changes: ${text}`);
    if (missing !== undefined) this.#forget(missing);
    for (const row of changed) this.#note({ ...row, version: row.version + 1 });
  }

  async #retrieve(turn: number): Promise<void> {
    const known = this.#pick(turn, () => true);
    if (known === undefined) return;
    const { text } = await this.#caller.send({ method: 'GET', path: pathOf(known) });
    assertIs(JSON.parse(text), known);
  }

  /** Checks that a list from any process contains all of the lane's acknowledged listings. */
  async #list(): Promise<void> {
    const lines = await this.#caller.list();
    if (lines === undefined) return;
    const listings = new Map(lines.map((line) => JSON.parse(line)).map((listing) => [listing.address, listing]));
    for (const known of this.#mine.values()) assertIs(listings.get(known.address), known);
  }

  async #events(): Promise<void> {
    const { text } = await this.#caller.send({ method: 'GET', path: `/events?after=${this.#after}&limit=200` });
    const { data, nextAfter } = JSON.parse(text);
    for (const { sequence } of data) {
      this.#after += 1;
      assert.ok(sequence === this.#after, `the event after ${this.#after - 1} has the sequence ${sequence}`);
    }
    assert.equal(nextAfter, this.#after);
  }
}

function pathOf({ id, externalId = '' }: Pick<Known, 'id' | 'externalId'>): string {
  return id === undefined ? `/listings/external/${encodeURIComponent(externalId)}` : `/listings/${id}`;
}

function bodyOf({ address, listPrice, externalId }: Omit<Known, 'version'>): string {
  const description = descriptionOf(listPrice);
  return JSON.stringify({ address, beds: 3, baths: 2, listPrice, externalId, description });
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { NDJSON } from './imports.ts';
import { assertIs, type Known, type Ledger } from './ledger.ts';
import { codeOf, PatientCaller } from './patient-caller.ts';

export interface MixedLoad {
  ledger: Ledger;
  /** How many requests each lane has finished. */
  turns: number[];
  /** Whether a promise was broken: then `ended` says which. */
  isBroken(): boolean;
  finish(): void;
  /** Resolves when all lanes have ended; rejects with the first broken promise. */
  ended: Promise<void>;
}

/** Sends whatever changes and reads listings by so many lanes, each time to another of the services, until told. */
export function startMixedLoad(urls: readonly string[], key: string, lanes: number): MixedLoad {
  const ledger: Ledger = { known: new Map(), gone: new Set(), unknown: new Set(), counts: new Map() };
  const turns: number[] = Array(lanes).fill(0);
  let isFinished = false;
  const run = async (index: number): Promise<void> => {
    const lane = new Lane(`${index}`, new PatientCaller(urls, key, ledger.counts), ledger);
    for (let turn = index; !isFinished; turn += 1) {
      await lane.take(turn);
      turns[index] = (turns[index] ?? 0) + 1;
    }
  };
  const ended = Promise.all(Array.from({ length: lanes }, (_, index) => run(index))).then(() => undefined);
  let isBroken = false;
  ended.catch(() => {
    isBroken = true;
  });
  return {
    ledger,
    turns,
    isBroken: () => isBroken,
    finish() {
      isFinished = true;
    },
    ended,
  };
}

/** More would make each list long. */
const LISTINGS_MAX = 40;
const IMPORTED = 3;

/** A client that does one thing after the other, and knows at each moment what must be there of its own. */
class Lane {
  readonly #name: string;
  readonly #caller: PatientCaller;
  readonly #ledger: Ledger;
  readonly #mine = new Map<string, Known>();
  #made = 0;
  #price = 1;
  #after = 0;

  constructor(name: string, caller: PatientCaller, ledger: Ledger) {
    this.#name = name;
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
      () => this.#patch(turn),
      () => this.#remove(turn),
      () => this.#list(),
    ];
    if (this.#mine.size > LISTINGS_MAX) await this.#remove(turn);
    else await kinds[turn % kinds.length]?.();
  }

  #pick(turn: number, isGood: (known: Known) => boolean): Known | undefined {
    const good = [...this.#mine.values()].filter(isGood);
    return good[(turn * 7) % Math.max(1, good.length)];
  }

  #fresh(): Omit<Known, 'version'> {
    this.#made += 1;
    return { address: `${this.#made} Lane ${this.#name}`, listPrice: this.#nextPrice() };
  }

  #nextPrice(): number {
    this.#price += 1;
    return this.#price;
  }

  #note(known: Known): void {
    this.#mine.set(known.address, known);
    this.#ledger.known.set(known.address, known);
  }

  async #create(): Promise<void> {
    const fresh = this.#fresh();
    const listing = await this.#caller.change({ method: 'POST', path: '/listings', body: bodyOf(fresh) }, 201);
    assert.deepEqual([listing.version, listing.address], [1, fresh.address]);
    this.#note({ ...fresh, version: 1, id: String(listing.id) });
  }

  /** Without an Idempotency-Key: `unavailable` promises that nothing is there. */
  async #createOnce(): Promise<void> {
    const fresh = this.#fresh();
    const { status, text } = await this.#caller.once({ method: 'POST', path: '/listings', body: bodyOf(fresh) });
    if (status === 201) this.#note({ ...fresh, version: 1, id: JSON.parse(text).id });
    else if (codeOf(text) === 'unavailable') this.#ledger.gone.add(fresh.address);
    else this.#ledger.unknown.add(fresh.address);
  }

  async #patch(turn: number): Promise<void> {
    const known = this.#pick(turn, ({ id }) => id !== undefined);
    if (known === undefined) return this.#create();
    const listPrice = this.#nextPrice();
    const call = { method: 'PATCH', path: `/listings/${known.id}`, body: JSON.stringify({ listPrice }) };
    const listing = await this.#caller.change(call, 200);
    this.#note({ ...known, listPrice, version: known.version + 1 });
    assertIs(listing, this.#mine.get(known.address));
  }

  async #put(known: Known | undefined): Promise<void> {
    const { address } = known ?? this.#fresh();
    const { version = 0, externalId = `MLS ${address}` } = known ?? {};
    const next = { address, externalId, listPrice: this.#nextPrice() };
    const path = `/listings/external/${encodeURIComponent(externalId)}`;
    const listing = await this.#caller.change(
      { method: 'PUT', path, body: bodyOf(next) },
      known === undefined ? 201 : 200,
    );
    this.#note({ ...next, version: version + 1, id: String(listing.id) });
    assertIs(listing, this.#mine.get(address));
  }

  async #remove(turn: number): Promise<void> {
    const known = this.#pick(turn, ({ id }) => id !== undefined);
    if (known === undefined) return this.#create();
    await this.#caller.change({ method: 'DELETE', path: `/listings/${known.id}` }, 204);
    this.#mine.delete(known.address);
    this.#ledger.known.delete(known.address);
    this.#ledger.gone.add(known.address);
  }

  /** Some new ones and some changes in one file. */
  async #import(atomic: boolean): Promise<void> {
    const old = [...this.#mine.values()].filter(({ externalId }) => externalId !== undefined).slice(-IMPORTED);
    const changed = old.map((known) => ({ ...known, listPrice: this.#nextPrice() }));
    const made = Array.from({ length: IMPORTED }, () => {
      const fresh = this.#fresh();
      return { ...fresh, externalId: `MLS ${fresh.address}`, version: 0 };
    });
    const rows = [...changed, ...made];
    const body = rows.map(bodyOf).join('\n');
    const call = { method: 'POST', path: `/imports?atomic=${atomic}`, body, type: NDJSON };
    const reply = await this.#caller.send(atomic ? { ...call, retryKey: randomUUID() } : call);
    assert.equal(reply.status, 200, reply.text);
    const { created, updated, unchanged, failed } = JSON.parse(reply.text);
    const sums = [created, updated, unchanged, failed];
    if (atomic || reply.failures === 0) assert.deepEqual(sums, [made.length, changed.length, 0, 0]);
    // What was saved before the file was sent again is unchanged then.
    else assert.deepEqual([created + updated + unchanged, failed], [rows.length, 0]);
    for (const row of rows) this.#note({ ...row, version: row.version + 1 });
  }

  async #retrieve(turn: number): Promise<void> {
    const known = this.#pick(turn, () => true);
    if (known === undefined) return;
    const { id, externalId = '' } = known;
    const path = id === undefined ? `/listings/external/${encodeURIComponent(externalId)}` : `/listings/${id}`;
    const { status, text } = await this.#caller.send({ method: 'GET', path });
    assert.equal(status, 200, text);
    assertIs(JSON.parse(text), known);
  }

  /** Whatever the process it comes from, a list has all that was acknowledged before. */
  async #list(): Promise<void> {
    const lines = await this.#caller.list();
    if (lines === undefined) return;
    const listings = new Map(lines.map((line) => JSON.parse(line)).map((listing) => [listing.address, listing]));
    for (const known of this.#mine.values()) assertIs(listings.get(known.address), known);
  }

  async #events(): Promise<void> {
    const { status, text } = await this.#caller.send({ method: 'GET', path: `/events?after=${this.#after}&limit=200` });
    assert.equal(status, 200, text);
    const { data, nextAfter } = JSON.parse(text);
    for (const { sequence } of data) {
      this.#after += 1;
      assert.equal(sequence, this.#after, 'events have neither gap nor double');
    }
    assert.equal(nextAfter, this.#after);
  }
}

function bodyOf({ address, listPrice, externalId }: Omit<Known, 'version'>): string {
  return JSON.stringify({ address, beds: 3, baths: 2, listPrice, externalId });
}

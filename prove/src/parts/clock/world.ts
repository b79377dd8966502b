import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Caller, DAY_MS } from './caller.ts';

/** How many of the oldest requests, and how many of the newest, are retried in a check. */
const RETRIES = 5;
/** The maximum time between a request and its response. */
const LATE_MAX_MS = 30_000;
export const LISTING = { address: '12 Elm Street', beds: 3, baths: 2 };
const LISTINGS = 6;
const PAGE_LENGTH = 2;

interface Listing {
  id: string;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** Checks listings, events, cursors, and retries while the clock changes. */
export class World {
  readonly #caller: Caller;
  readonly #ids: string[] = [];
  #lastId = '';
  /** The cursor after the first page, and the ids of the listings that follow. */
  #later: { cursor: string; ids: string[] } = { cursor: '', ids: [] };
  #sequence = 0;
  /** Create requests that had an Idempotency-Key, and the ids of the listings that they created. */
  readonly #retries: { key: string; id: string; madeMs: number }[] = [];
  /** Whether the current process was running during every change of the clock. */
  #hasSeenAll = true;
  readonly counts = { ids: 0, retries: 0, pages: 0, events: 0 };

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Call this after a restart of the service: the new process has not seen the earlier changes of the clock. */
  beginAnew(): void {
    this.#hasSeenAll = false;
  }

  async prepare(): Promise<void> {
    for (let count = 0; count < LISTINGS; count += 1) await this.#create();
    const { data, nextCursor } = await this.#list(`?limit=${PAGE_LENGTH}`);
    const ids = [...this.#ids].reverse().slice(PAGE_LENGTH);
    this.#later = { cursor: String(nextCursor), ids };
    assert.equal(data.length, PAGE_LENGTH);
    await this.createOnce();
  }

  /** Checks that a new listing has the clock's time and the right place in the list. */
  async checkCreated(what: string): Promise<void> {
    const { createdAt } = await this.#create();
    const lateMs = Math.abs(Date.parse(createdAt) - this.#caller.nowMs);
    assert.ok(lateMs < LATE_MAX_MS, `${what}: a new listing has the wrong createdAt ${createdAt}`);
    const stored = (await this.#list('')).data.map(({ id }) => id);
    const expected = [...this.#ids].sort().reverse();
    assert.deepEqual(stored, expected, `${what}: the list does not have exactly the created listings`);
  }

  async checkChange(what: string): Promise<void> {
    for (const id of [this.#ids[0], this.#ids.at(-1)]) {
      const body = { description: randomUUID() };
      const { status, text } = await this.#caller.send('PATCH', `/listings/${id}`, { body });
      assert.equal(status, 200, text);
      const { createdAt, updatedAt }: Listing = JSON.parse(text);
      const isLater = updatedAt >= createdAt;
      assert.ok(isLater, `${what}: a listing of ${createdAt} was updated before its creation: ${updatedAt}`);
      this.#sequence += 1;
    }
  }

  async checkEvents(what: string): Promise<void> {
    const { status, text } = await this.#caller.send('GET', '/events?limit=1000');
    assert.equal(status, 200, `${what}: events are missing: ${text}`);
    const { data }: { data: { sequence: number }[] } = JSON.parse(text);
    this.counts.events = data.length;
    const expected = Array.from({ length: this.#sequence }, (_, index) => ({ sequence: index + 1 }));
    const sequences = data.map(({ sequence }) => ({ sequence }));
    assert.deepEqual(sequences, expected, `${what}: events are missing`);
  }

  /** Checks that a cursor continues where its page ended. */
  async checkCursor(what: string): Promise<void> {
    const ids: string[] = [];
    let limit = PAGE_LENGTH;
    for (let cursor: string | null = this.#later.cursor; cursor !== null; ) {
      const { status, text } = await this.#caller.send('GET', `/listings?limit=${limit}&cursor=${cursor}`);
      limit = Math.min(2 * limit, 1_000);
      assert.equal(status, 200, `${what}: a cursor is rejected: ${text}`);
      const page: Page = JSON.parse(text);
      this.counts.pages += 1;
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    // Compare only the listings that existed when the cursor was created.
    const old = ids.filter((id) => this.#later.ids.includes(id));
    assert.deepEqual(old, this.#later.ids, `${what}: pages skip or repeat a listing`);
    assert.equal(new Set(ids).size, ids.length, `${what}: pages repeat a listing`);
  }

  async createOnce(): Promise<void> {
    const key = randomUUID();
    const { id } = await this.#create(key);
    this.#retries.push({ key, id, madeMs: this.#caller.nowMs });
  }

  async checkRetries(what: string): Promise<void> {
    const looked = new Set([...this.#retries.slice(0, RETRIES), ...this.#retries.slice(-RETRIES)]);
    for (const { key, id, madeMs } of looked) {
      // A new process knows the age of an Idempotency-Key from the clock alone, so this key counts as expired.
      if (!this.#hasSeenAll && madeMs + DAY_MS < this.#caller.nowMs) continue;
      const { headers, text } = await this.#caller.send('POST', '/listings', { body: LISTING, retryKey: key });
      assert.equal(headers.get('idempotent-replayed'), 'true', `${what}: a retry is executed again`);
      assert.equal(JSON.parse(text).id, id);
      this.counts.retries += 1;
    }
  }

  /** Checks that filters find a listing by the day on which it was created. */
  async checkDays(what: string): Promise<string> {
    const { id, createdAt } = await this.#create();
    const day = createdAt.slice(0, 10);
    for (const [filter, isFound] of [
      ['gte', true],
      ['lt', false],
    ] as const) {
      const { data } = await this.#list(`?createdAt[${filter}]=${day}`);
      const has = data.some((each) => each.id === id);
      assert.equal(has, isFound, `${what}: createdAt[${filter}]=${day} is wrong for a listing of ${createdAt}`);
    }
    return createdAt;
  }

  /** `yearBuilt` can be at most five years ahead. If the year changes during the check, it starts over. */
  async checkYears(what: string): Promise<void> {
    const findYear = () => new Date(this.#caller.nowMs).getUTCFullYear();
    const year = findYear();
    const statuses: number[] = [];
    for (const years of [5, 6]) {
      const body = { ...LISTING, yearBuilt: year + years };
      const { status, text } = await this.#caller.send('POST', '/listings', { body });
      if (status === 201) this.note(JSON.parse(text).id);
      statuses.push(status);
    }
    if (findYear() !== year) return this.checkYears(what);
    assert.deepEqual(statuses, [201, 422], `${what}: yearBuilt ${year + 5} and ${year + 6} get ${statuses}`);
  }

  async #create(retryKey?: string): Promise<Listing> {
    const { status, text } = await this.#caller.send('POST', '/listings', { body: LISTING, retryKey });
    assert.equal(status, 201, text);
    const listing: Listing = JSON.parse(text);
    this.note(listing.id);
    return listing;
  }

  /** @throws AssertionError unless the id is greater than all earlier ids, whatever the clock does */
  note(id: string): void {
    const time = new Date(this.#caller.nowMs).toISOString();
    assert.ok(id > this.#lastId, `${time}: the id ${id} does not come after ${this.#lastId}`);
    this.#lastId = id;
    this.#ids.push(id);
    this.counts.ids += 1;
    this.#sequence += 1;
  }

  async #list(query: string): Promise<Page> {
    const { status, text } = await this.#caller.send('GET', `/listings${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  }
}

interface Page {
  data: Listing[];
  nextCursor: string | null;
}

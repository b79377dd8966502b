import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { send } from '../../../testkit/src/listings.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { type Fields, Model, type ModelListing, withoutTimes } from '../support/model.ts';
import { type Step, steps } from '../support/model-steps.ts';

/** `npm run test:model` runs 10,000; repeat a failure with the seed and path that it prints. */
const { MODEL_RUNS = '40', MODEL_SEED, MODEL_PATH } = process.env;
const options = {
  numRuns: Number(MODEL_RUNS),
  ...(MODEL_SEED !== undefined && { seed: Number(MODEL_SEED) }),
  ...(MODEL_PATH !== undefined && { path: MODEL_PATH }),
};

const service = await startSharedService();

/** A request and its response. */
interface Done {
  request: [method: string, path: string, body?: unknown, headers?: Record<string, string>];
  status: number;
  text: string;
}

/** A client with a model of its account. */
class Client {
  readonly model = new Model();
  readonly tenant: Tenant;
  readonly #done: Done[] = [];
  #keys = 0;

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  async run(step: Step): Promise<void> {
    switch (step.does) {
      case 'create':
        return this.#create(step.fields);
      case 'put':
        return this.#put(step.externalId, step.fields);
      case 'patch':
        return this.#patch(step.at, step.patch);
      case 'delete':
        return this.#delete(this.#pick(step.at));
      case 'deleteExternal':
        return this.#deleteExternal(step.externalId);
      case 'import':
        return this.#import(step);
      case 'retry':
        return this.#retry(step.at);
    }
  }

  async #create(fields: Fields): Promise<void> {
    const isTaken = this.model.isTaken(fields.externalId);
    const reply = await this.#change(isTaken ? 409 : 201, 'POST', '/listings', fields);
    if (!isTaken) assertSame(reply, this.model.create(String(reply.id), fields));
  }

  async #put(externalId: string, fields: Fields): Promise<void> {
    const current = this.model.findByExternalId(externalId);
    const path = `/listings/external/${encodeURIComponent(externalId)}`;
    const reply = await this.#change(current === undefined ? 201 : 200, 'PUT', path, fields);
    const all = { ...fields, externalId };
    const expected =
      current === undefined ? this.model.create(String(reply.id), all) : this.model.replace(current.id, all);
    assertSame(reply, expected);
  }

  async #patch(at: number, patch: Fields): Promise<void> {
    const current = this.#pick(at);
    const id = current?.id ?? 'lst_00000000000000000000000000';
    const isTaken =
      current !== undefined && typeof patch.externalId === 'string' && this.model.isTaken(patch.externalId, id);
    const rejected = current === undefined ? 404 : 409;
    const isRejected = current === undefined || isTaken;
    const reply = await this.#change(isRejected ? rejected : 200, 'PATCH', `/listings/${id}`, patch);
    if (!isRejected) assertSame(reply, this.model.patch(id, patch));
  }

  async #delete(current: ModelListing | undefined): Promise<void> {
    const id = current?.id ?? 'lst_00000000000000000000000000';
    await this.#change(current === undefined ? 404 : 204, 'DELETE', `/listings/${id}`);
    if (current !== undefined) this.model.remove(id);
  }

  async #deleteExternal(externalId: string): Promise<void> {
    const current = this.model.findByExternalId(externalId);
    const path = `/listings/external/${encodeURIComponent(externalId)}`;
    await this.#change(current === undefined ? 404 : 204, 'DELETE', path);
    if (current !== undefined) this.model.remove(current.id);
  }

  async #import({ rows, isAtomic, mode }: Step & { does: 'import' }): Promise<void> {
    const path = `/imports?mode=${mode}${isAtomic ? '&atomic=true' : ''}`;
    const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const response = await send(service, this.tenant, 'POST', path, body, { 'Content-Type': 'application/x-ndjson' });
    const report = JSON.parse(await response.text());
    const outcomes = { created: 0, updated: 0, unchanged: 0 };
    const before = new Set(this.model.listings.keys());
    const fresh = (await this.#list()).filter(({ id }) => !before.has(String(id))).reverse();
    for (const row of rows) outcomes[this.#importRow(row, fresh, mode)] += 1;
    const externalIds = rows.flatMap(({ externalId }) => (externalId === undefined ? [] : [externalId]));
    const repeated = externalIds.length - new Set(externalIds).size;
    assert.deepEqual(report, { ...outcomes, failed: 0, repeated, cleaned: 0, errors: [] });
  }

  /** New listings have ids in the order of the rows. */
  #importRow(row: Fields, fresh: Fields[], mode: 'merge' | 'replace'): 'created' | 'updated' | 'unchanged' {
    const current = this.model.findByExternalId(row.externalId);
    if (current === undefined) {
      this.model.create(String(fresh.shift()?.id), row);
      return 'created';
    }
    const after = mode === 'merge' ? this.model.patch(current.id, row) : this.model.replace(current.id, row);
    return after.version === current.version ? 'unchanged' : 'updated';
  }

  /** Repeats a successful request: same response, no change. */
  async #retry(at: number): Promise<void> {
    const earlier = this.#done[at % Math.max(1, this.#done.length)];
    if (earlier === undefined) return;
    const response = await send(service, this.tenant, ...earlier.request);
    assert.equal(response.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual([response.status, await response.text()], [earlier.status, earlier.text]);
  }

  /** Sends a change with its own Idempotency-Key. */
  async #change(status: number, method: string, path: string, body?: Fields): Promise<Fields> {
    this.#keys += 1;
    const request: Done['request'] = [method, path, body, { 'Idempotency-Key': `key-${this.#keys}` }];
    const response = await send(service, this.tenant, ...request);
    const text = await response.text();
    assert.equal(response.status, status, `${method} ${path}: ${text}`);
    if (response.ok) this.#done.push({ request, status, text });
    return text === '' ? {} : JSON.parse(text);
  }

  #pick(at: number): ModelListing | undefined {
    const all = this.model.list();
    return all[at % Math.max(1, all.length + 1)];
  }

  async #get(path: string) {
    const response = await service.fetch(this.tenant, `/v1${path}`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }

  async #list(): Promise<Fields[]> {
    return (await this.#get('/listings')).data;
  }

  /** Compares the lists, searches, and events with the model. */
  async check(): Promise<void> {
    const expected = this.model.list();
    const { data, sequence } = await this.#get('/listings');
    assert.deepEqual(data.map(withoutTimes), expected);
    assert.equal(sequence, this.model.sequence);
    for (const [query, select] of QUERIES) {
      const found: Fields[] = (await this.#get(`/listings?${query}`)).data;
      assert.deepEqual(found.map(withoutTimes), select(expected), query);
    }
    const events = await this.#get('/events?limit=1000');
    const seen = events.data.map(({ createdAt: _, listing, changed, ...event }: Fields) => ({
      ...event,
      ...(listing !== undefined && { listing: withoutTimes(Object(listing)) }),
      ...(Array.isArray(changed) && { changed: [...changed].sort() }),
    }));
    assert.deepEqual(seen, this.model.events);
    assert.equal(events.nextAfter, sequence);
  }

  /** An earlier list plus the later events must give the current list. */
  async follow(earlier: { data: Fields[]; sequence: number }): Promise<void> {
    const state = new Map(earlier.data.map((listing) => [listing.id, listing]));
    const { data: events } = await this.#get(`/events?after=${earlier.sequence}&limit=1000`);
    for (const { type, listingId, listing } of events) {
      if (type === 'listing.deleted') state.delete(listingId);
      else state.set(listingId, listing);
    }
    const followed = [...state.values()].sort((left, right) => (String(left.id) < String(right.id) ? 1 : -1));
    assert.deepEqual(followed, await this.#list());
  }

  /** Each history has the same changes as the events, and each version can be read again. */
  async checkHistories(): Promise<void> {
    for (const [id, events] of Map.groupBy(this.model.events, ({ listingId }) => listingId)) {
      const { data } = await this.#get(`/listings/${id}/history`);
      const entries: [number, string][] = data.map(({ sequence, type }: Fields) => [sequence, type]);
      assert.deepEqual(
        entries.reverse(),
        events.map(({ sequence, type }) => [sequence, type]),
      );
      for (const [index, { sequence, listing, changed = [] }] of events.entries()) {
        const { changes } = data[data.length - 1 - index];
        assert.deepEqual(Object.keys(changes).sort(), changed);
        for (const name of changed.filter((each) => !LONG_FIELDS.has(each))) {
          const [from, to] = [events[index - 1]?.listing?.[name] ?? null, listing?.[name] ?? null];
          assert.deepEqual(changes[name], { from, to });
        }
        if (listing === undefined) continue;
        assert.deepEqual(withoutTimes(await this.#get(`/listings/${id}?at=${sequence}`)), listing);
      }
    }
  }

  listNow(): Promise<{ data: Fields[]; sequence: number }> {
    return this.#get('/listings');
  }
}

const LONG_FIELDS = new Set(['description', 'photos', 'metadata']);

function assertSame(reply: Fields, expected: ModelListing): void {
  assert.deepEqual(withoutTimes(reply), expected);
}

/** Queries, and their results from all listings, newest first. */
const QUERIES: [query: string, select: (all: ModelListing[]) => ModelListing[]][] = [
  ['status=pending,hold', (all) => all.filter(({ status }) => status === 'pending' || status === 'hold')],
  ['beds[gte]=2&baths[lt]=3', (all) => all.filter(({ beds, baths }) => Number(beds) >= 2 && Number(baths) < 3)],
  ['city=AUSTIN', (all) => all.filter(({ city }) => city === 'Austin')],
  ['city[]=Austin&city[]=sao+paulo', (all) => all.filter(({ city }) => city === 'Austin' || city === 'São Paulo')],
  ['beds=0,2', (all) => all.filter(({ beds }) => beds === 0 || beds === 2)],
  ['closePrice[gt]=1', (all) => all.filter(({ closePrice }) => Number(closePrice ?? 0) > 1)],
  ['onMarketDate[lt]=2026-01-01', (all) => all.filter(({ onMarketDate }) => onMarketDate === '2000-02-29')],
  ['q=u', (all) => all.filter(({ externalId }) => externalId === 'ü d')],
  ['q=ELAN', (all) => all.filter(({ address, description }) => /élan/.test(`${address} ${description}`))],
  ['sort=-listPrice', (all) => all.toSorted((one, next) => Number(next.listPrice ?? 0) - Number(one.listPrice ?? 0))],
];

test("after any sequence of requests, the service's data matches the model's", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(14), async (all, listAfter) => {
      const client = new Client(await service.createTenant());
      let earlier = await client.listNow();
      for (const [index, step] of all.entries()) {
        if (index === listAfter) earlier = await client.listNow();
        await client.run(step);
        await client.check();
      }
      await client.follow(earlier);
      await client.checkHistories();
    }),
    options,
  );
});

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createTenantByCommand } from '../../../testkit/src/process.ts';
import { exitOf, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { ndjson, type Run } from './feeds.ts';

const COUNT = 4_000;
const ROWS = Array.from({ length: COUNT }, (_, n) => ({
  externalId: `A-${n}`,
  address: '12 Elm Street',
  beds: 3,
  baths: 2,
}));
/** Longer than the lease of a run. */
const LEASE_ENDS_MS = 60_000;

interface Listings {
  sequence: number;
  total: number;
}

/** An account whose feed is in one phase of a run when the process is killed. */
class Client {
  readonly #headers: Record<string, string>;
  #url = '';

  private constructor(key: string) {
    this.#headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' };
  }

  static async create(settings: Record<string, string>): Promise<Client> {
    return new Client((await createTenantByCommand(settings)).key);
  }

  useServer(url: string): void {
    this.#url = url;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#url}/v1${path}`, { headers: this.#headers, ...init });
  }

  async get<T>(path: string): Promise<T> {
    return (await (await this.fetch(path)).json()) as T;
  }

  send(body: string | ReadableStream, query = ''): Promise<Response> {
    return this.fetch(`/feeds/mls${query}`, { method: 'PUT', body, duplex: 'half' });
  }

  /** Sends a file once the lease of the lost run has ended. */
  async complete(body: string, query = ''): Promise<Run> {
    let response = await this.send(body, query);
    await until(
      'the lease of the killed process has ended',
      async () => {
        if (response.status !== 409) return true;
        assert.equal(Object(await response.json()).error.code, 'feed_busy');
        response = await this.send(body, query);
        return response.status !== 409;
      },
      LEASE_ENDS_MS,
    );
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }

  count(query = ''): Promise<Listings> {
    return this.get(`/listings?limit=1&count=true${query}`);
  }

  async outcomes(): Promise<string[]> {
    return (await this.get<{ data: Run[] }>('/feeds/mls/runs')).data.map(({ outcome }) => outcome);
  }

  /** Checks that the events have no gap and lead to the current listings. */
  async requireSound(): Promise<void> {
    const present = new Set<string>();
    let after = 0;
    for (;;) {
      const { data } = await this.get<{ data: { sequence: number; type: string; listingId: string }[] }>(
        `/events?after=${after}&limit=1000`,
      );
      if (data.length === 0) break;
      for (const { sequence, type, listingId } of data) {
        after += 1;
        assert.equal(sequence, after);
        if (type === 'listing.deleted') present.delete(listingId);
        else present.add(listingId);
      }
    }
    const { total, sequence } = await this.count();
    assert.deepEqual([present.size, after], [total, sequence]);
  }
}

/** Kills a service while feeds are in each phase, and checks that another start completes them. */
export async function crashInEachPhase(t: TestContext, settings: Record<string, string>): Promise<void> {
  const clients = {
    reading: await Client.create(settings),
    creating: await Client.create(settings),
    withdrawing: await Client.create(settings),
    deleting: await Client.create(settings),
  };
  const { reading, creating, withdrawing, deleting } = clients;
  const connect = (url: string) => {
    for (const client of Object.values(clients)) client.useServer(url);
  };
  const file = ndjson(ROWS);
  const one = ndjson(ROWS.slice(0, 1));
  const withdraw = '?missing=withdraw&missingMax=100%25';

  const first = await serveFor(t, settings);
  connect(first.url);
  for (const client of [withdrawing, deleting]) assert.equal((await client.send(file)).status, 200);
  assert.equal(await first.end(), 0);
  async function* endless() {
    yield Buffer.from(file);
    await new Promise(() => {});
  }
  const phases: [send: () => Promise<unknown>, hasBegun: () => Promise<boolean>][] = [
    [() => reading.send(ReadableStream.from(endless())), async () => (await reading.fetch('/feeds/mls')).ok],
    [() => creating.send(file), async () => (await creating.count()).total > 0],
    [() => withdrawing.send(one, withdraw), async () => (await withdrawing.count('&status=withdrawn')).total > 0],
    [
      () => deleting.fetch('/feeds/mls?listings=delete', { method: 'DELETE' }),
      async () => (await deleting.count()).total < COUNT,
    ],
  ];
  for (const [send, hasBegun] of phases) {
    const service = await serveFor(t, settings);
    connect(service.url);
    const response = send().then(
      () => 'answered',
      () => 'cut',
    );
    await until('the run has changed listings', hasBegun);
    service.child.kill('SIGKILL');
    await exitOf(service.child);
    assert.equal(await response, 'cut');
  }

  const next = await serveFor(t, settings);
  connect(next.url);
  assert.equal((await reading.count()).sequence, 0);
  const created = (await creating.count()).total;
  const run = await creating.complete(file);
  assert.ok(created > 0 && created < COUNT);
  assert.deepEqual([run.created, run.unchanged, run.updated, run.failed], [COUNT - created, created, 0, 0]);
  assert.deepEqual(await creating.outcomes(), ['succeeded', 'interrupted']);

  assert.equal((await reading.complete(file)).created, COUNT);
  assert.deepEqual(await reading.outcomes(), ['succeeded', 'interrupted']);

  const withdrawn = (await withdrawing.count('&status=withdrawn')).total;
  const rest = await withdrawing.complete(one, withdraw);
  assert.deepEqual([rest.withdrawn, rest.unchanged], [COUNT - 1 - withdrawn, 1]);
  assert.deepEqual(await withdrawing.outcomes(), ['succeeded', 'interrupted', 'succeeded']);

  // The lease of the killed process may still be valid.
  await until('the feed is deleted', async () => {
    const { status } = await deleting.fetch('/feeds/mls?listings=delete', { method: 'DELETE' });
    assert.ok(status === 204 || status === 409, `deletion returns ${status}`);
    return status === 204;
  });
  assert.equal((await deleting.count()).total, 0);
  for (const client of Object.values(clients)) await client.requireSound();
  assert.equal(await next.end(), 0);
}

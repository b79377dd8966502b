import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { NDJSON } from '../../../testkit/src/imports.ts';
import { beginRequest, openSocket, requestText } from '../../../testkit/src/raw-http.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { get, ndjson, type Run, sendFeed } from '../support/feeds.ts';
import { CSV } from '../support/formats.ts';

/** `npm run test:model` runs 10,000; repeat a failure with the seed and path that it prints. */
const { MODEL_RUNS = '40', MODEL_SEED, MODEL_PATH } = process.env;
const options = {
  numRuns: Number(MODEL_RUNS),
  ...(MODEL_SEED !== undefined && { seed: Number(MODEL_SEED) }),
  ...(MODEL_PATH !== undefined && { path: MODEL_PATH }),
};

const service = await startSharedService();

const FEEDS = ['one', 'two'];
const MODES = ['keep', 'withdraw', 'delete'] as const;
type Mode = (typeof MODES)[number];

/** UTF-16 sorts these differently than UTF-8. */
const EXTERNAL_IDS = ['a', 'A', 'a b', 'é', '\uFFFD', '\u{1F600}', 'z', 'z-1'];

const STATUSES = ['active', 'pending', 'withdrawn'];

interface Row {
  externalId: string;
  beds: number;
  status?: string;
}

/** What a client sees of a listing. */
interface State {
  externalId: string | undefined;
  feed: string | undefined;
  beds: number;
  status: string;
}

const row: fc.Arbitrary<Row> = fc.record(
  {
    externalId: fc.constantFrom(...EXTERNAL_IDS),
    // -1 is invalid.
    beds: fc.constantFrom(0, 1, 1, 2, 2, -1),
    status: fc.constantFrom(...STATUSES),
  },
  { requiredKeys: ['externalId', 'beds'] },
);

interface File {
  type: string;
  text: string;
}

/** Words of a source, and the parameters that say what they mean. */
const wordOf = (status: string) => `is ${status}`;
const WORDS = STATUSES.map(
  (status) => `&${new URLSearchParams({ [`values[status:${wordOf(status)}]`]: status })}`,
).join('');

/** A file in which statuses are words of the source. */
function withWords({ type, text }: File): File {
  return { type, text: text.replaceAll(/active|pending|withdrawn/g, wordOf) };
}

/** A CSV file if that is wanted and each row has all fields, since an empty cell removes one. */
function makeFile(rows: readonly Row[], isCsv: boolean): File {
  const whole = rows.map((each) => ({ address: 'Elm', baths: 1, ...each }));
  if (!isCsv || whole.some(({ status }) => status === undefined)) return { type: NDJSON, text: ndjson(whole) };
  const lines = whole.map(({ externalId, beds, status }) => `"${externalId}",Elm,${beds},1,${status}\n`);
  return { type: CSV, text: `externalId,address,beds,baths,status\n${lines.join('')}` };
}

/** Cuts a file in the middle of a row. */
const cut = ({ type, text }: File) => text + (type === CSV ? 'a,El' : '{"externalId":"a","be');

/** Rows whose listings do not depend on whether a feed had withdrawn them. */
const settled = fc.array(
  row.map((given) => ({ ...given, status: given.status === 'pending' ? 'pending' : 'active' })),
  { minLength: 1, maxLength: 8 },
);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('run' as const),
      feed: fc.constantFrom(...FEEDS),
      rows: fc.array(row, { maxLength: 8 }),
      missing: fc.constantFrom(...MODES),
      limit: fc.constantFrom('0', '2', '100%'),
      fault: fc.constantFrom('none', 'none', 'none', 'cut', 'left', 'twice'),
      isCsv: fc.boolean(),
      hasWords: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { does: fc.constant('change' as const), at: fc.nat(7), beds: fc.nat(3), status: fc.constantFrom(...STATUSES) },
      { requiredKeys: ['does', 'at', 'beds'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('rename' as const), at: fc.nat(7), to: fc.option(fc.nat(7)) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), at: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('create' as const), externalId: fc.nat(7) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('together' as const),
      files: fc.tuple(settled, settled),
      isCsv: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('deleteFeed' as const), feed: fc.constantFrom(...FEEDS) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type RunStep = Extract<Step, { does: 'run' }>;

class Client {
  readonly tenant: Tenant;
  /** Listings that a feed has withdrawn since their last row. */
  readonly #withdrawn = new Set<string>();

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  async take(each: Step): Promise<void> {
    if (each.does === 'run') return this.#run(each);
    if (each.does === 'together') return this.#runTogether(each.files, each.isCsv);
    if (each.does === 'deleteFeed') return this.#deleteFeed(each.feed);
    if (each.does === 'create') {
      const body = { externalId: EXTERNAL_IDS[each.externalId], address: 'Oak', beds: 1, baths: 1 };
      return this.#send('POST', '/listings', body);
    }
    const { data } = await get<{ data: { id: string }[] }>(service, this.tenant, '/listings');
    const id = data[each.at]?.id;
    if (id === undefined) return;
    if (each.does === 'delete') return this.#send('DELETE', `/listings/${id}`);
    if (each.does === 'change') {
      const { at: _, does: __, ...body } = each;
      return this.#send('PATCH', `/listings/${id}`, body);
    }
    const externalId = each.to === null ? null : EXTERNAL_IDS[each.to];
    return this.#send('PATCH', `/listings/${id}`, { externalId });
  }

  async #send(method: string, path: string, body?: object): Promise<void> {
    const response = await service.fetch(this.tenant, `/v1${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    await response.text();
    // Another listing can have the external id.
    assert.ok(response.ok || response.status === 409, `${method} ${path}: ${response.status}`);
  }

  /** Two feeds and a client change listings at the same time. Each file is then sent again alone. */
  async #runTogether(files: readonly Row[][], isCsv: boolean): Promise<void> {
    const query = '?missingMax=100%25&failedMax=100%25';
    const runs = files.map(async (rows, index) => {
      const { text, type } = makeFile(rows, isCsv);
      const response = await sendFeed(service, this.tenant, FEEDS[index] ?? '', text, { query, type });
      assert.equal(response.status, 200, await response.text());
    });
    const changes = files.flat().map(({ externalId, beds }) => this.#change(externalId, Math.abs(beds)));
    await Promise.all([...runs, ...changes]);
    for (const [index, rows] of files.entries()) {
      const step = { does: 'run', missing: 'keep', limit: '100%', fault: 'none', hasWords: false } as const;
      await this.#run({ ...step, feed: FEEDS[index] ?? '', rows, isCsv });
    }
  }

  async #change(externalId: string, beds: number): Promise<void> {
    const path = `/v1/listings/external/${encodeURIComponent(externalId)}`;
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ beds });
    const response = await service.fetch(this.tenant, path, { method: 'PATCH', body, headers });
    assert.ok([200, 404].includes(response.status), await response.text());
  }

  async #deleteFeed(feed: string): Promise<void> {
    const response = await service.fetch(this.tenant, `/v1/feeds/${feed}`, { method: 'DELETE' });
    assert.ok([204, 404].includes(response.status), String(response.status));
    assert.ok([...(await this.states()).values()].every((state) => state.feed !== feed));
  }

  /** Listings by id. */
  async states(): Promise<Map<string, State>> {
    const { data } = await get<{ data: (State & { id: string })[] }>(service, this.tenant, '/listings');
    return new Map(data.map(({ id, externalId, feed, beds, status }) => [id, { externalId, feed, beds, status }]));
  }

  async #sequence(): Promise<number> {
    return (await get<{ sequence: number }>(service, this.tenant, '/listings?limit=1')).sequence;
  }

  async #run({ feed, rows, missing, limit, fault, isCsv, hasWords }: RunStep): Promise<void> {
    const before = await this.states();
    const sequence = await this.#sequence();
    const all = fault === 'twice' ? [...rows, ...rows] : rows;
    const plain = makeFile(all, isCsv);
    const file = hasWords ? withWords(plain) : plain;
    const { type } = file;
    const query = `?missing=${missing}&missingMax=${encodeURIComponent(limit)}&failedMax=100%25${hasWords ? WORDS : ''}`;
    if (fault === 'left') return this.#leave(feed, file, query);
    const body = fault === 'cut' ? cut(file) : file.text;
    const response = await sendFeed(service, this.tenant, feed, body, { query, type });
    const text = await response.text();
    if (response.status === 409) {
      const { error } = JSON.parse(text);
      assert.equal(error.code, 'feed_guard', text);
      const reasons = error.reasons.map((each: { reason: string }) => each.reason);
      assert.equal(reasons.includes('cut'), fault === 'cut', text);
      assert.equal(reasons.includes('empty'), rows.length === 0 && fault !== 'cut', text);
      assert.deepEqual(await this.states(), before, 'the guard has stopped the run');
      assert.equal(await this.#sequence(), sequence);
      return;
    }
    assert.equal(response.status, 200, text);
    assert.ok(rows.length > 0 && fault !== 'cut');
    const after = await this.states();
    this.#compare(before, after, { feed, missing, rows: all }, JSON.parse(text));
    const sent = { type, query: `${query}&missingMax=100%25`.replace(/missingMax=[^&]*&/, '') };
    const again: Run = Object(await (await sendFeed(service, this.tenant, feed, file.text, sent)).json());
    assert.deepEqual(
      [again.outcome, again.created, again.updated, again.withdrawn, again.deleted],
      ['succeeded', 0, 0, 0, 0],
    );
    assert.deepEqual(await this.states(), after, 'the same file changes nothing');
  }

  /** Compares the listings with what the file says. */
  #compare(
    before: Map<string, State>,
    after: Map<string, State>,
    file: { feed: string; missing: Mode; rows: Row[] },
    run: Run,
  ): void {
    const { feed, missing, rows } = file;
    const first = new Map<string, Row>();
    for (const each of rows) if (!first.has(each.externalId)) first.set(each.externalId, each);
    const expected = new Map<string, State>();
    const seen = new Set<string>();
    let [created, failed] = [0, rows.length - first.size];
    // Repeated rows that are invalid by themselves are counted once, like all failed rows.
    for (const [id, state] of before) {
      const given = state.externalId === undefined ? undefined : first.get(state.externalId);
      const isMine = state.feed === feed;
      if (given === undefined || given.beds < 0) {
        if (isMine && given === undefined) this.#miss(expected, id, state, missing);
        else expected.set(id, state);
        if (given !== undefined) seen.add(given.externalId);
        continue;
      }
      seen.add(given.externalId);
      if (!isMine && state.feed !== undefined) {
        expected.set(id, state);
        failed += 1;
        continue;
      }
      const isBack = this.#withdrawn.delete(id) && state.status === 'withdrawn';
      const status = given.status ?? (isBack ? 'active' : state.status);
      expected.set(id, { externalId: given.externalId, feed, beds: given.beds, status });
    }
    for (const given of first.values()) {
      if (given.beds < 0) failed += 1;
      else if (!seen.has(given.externalId)) created += 1;
    }
    assert.deepEqual([run.rows, run.created, run.failed], [rows.length, created, failed]);
    const known = new Map([...after].filter(([id]) => before.has(id)));
    assert.deepEqual(known, expected);
    const fresh = [...after.entries()].filter(([id]) => !before.has(id)).map(([, state]) => state);
    const wanted = [...first.values()].filter((given) => given.beds >= 0 && !seen.has(given.externalId));
    const byId = (one: State, other: State) => (String(one.externalId) < String(other.externalId) ? -1 : 1);
    assert.deepEqual(
      fresh.sort(byId),
      wanted.map(({ externalId, beds, status = 'active' }) => ({ externalId, feed, beds, status })).sort(byId),
    );
  }

  #miss(expected: Map<string, State>, id: string, state: State, missing: Mode): void {
    if (missing === 'delete') return;
    // With `missing=keep`, nothing changes: a listing that the feed has withdrawn remains withdrawn by it.
    if (missing === 'withdraw') this.#withdrawn.add(id);
    // A listing that was withdrawn stays withdrawn, unless a client has changed its status since.
    expected.set(id, missing === 'withdraw' ? { ...state, status: 'withdrawn' } : state);
  }

  /** Disconnects before the last byte of the file: nothing is written. */
  async #leave(feed: string, { text, type }: File, query: string): Promise<void> {
    const before = await this.states();
    const socket = await openSocket(service.url);
    const request = requestText('PUT', `/v1/feeds/${feed}${query}`, this.tenant.key, `${text}\n`);
    await beginRequest(socket, request.replace('application/json', type));
    socket.destroySoon();
    await once(socket, 'close');
    await this.#untilIdle(feed);
    assert.deepEqual(await this.states(), before);
  }

  async #untilIdle(feed: string): Promise<void> {
    for (;;) {
      const response = await service.fetch(this.tenant, `/v1/feeds/${feed}`);
      const { lastRun } = Object(await response.json());
      if (response.status === 404 || lastRun?.outcome !== 'running') return;
    }
  }

  /** Checks that the events have no gap and lead to the current listings, and that feeds count these correctly. */
  async check(): Promise<void> {
    const { data } = await get<{ data: { sequence: number; type: string; listingId: string; listing?: State }[] }>(
      service,
      this.tenant,
      '/events?limit=1000',
    );
    assert.deepEqual(
      data.map(({ sequence }) => sequence),
      data.map((_, index) => index + 1),
    );
    assert.equal(await this.#sequence(), data.length);
    const followed = new Map<string, State>();
    for (const { type, listingId, listing } of data) {
      if (type === 'listing.deleted' || listing === undefined) followed.delete(listingId);
      else {
        const { externalId, feed, beds, status } = listing;
        followed.set(listingId, { externalId, feed, beds, status });
      }
    }
    const states = await this.states();
    assert.deepEqual(new Map([...followed].sort()), new Map([...states].sort()));
    const feeds = await get<{ data: { name: string; listings: number }[] }>(service, this.tenant, '/feeds');
    for (const { name, listings } of feeds.data) {
      assert.equal(listings, [...states.values()].filter((state) => state.feed === name).length, name);
    }
  }
}

test('after any sequence of files, faults, and changes, the listings of a feed are what its file says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (all) => {
      const client = new Client(await service.createTenant());
      for (const each of all) {
        await client.take(each);
        await client.check();
      }
    }),
    options,
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { ENGINE } from '../../../testkit/src/database.ts';
import {
  fill,
  fillBeyondBuffers,
  fillWithLarge,
  MINIMAL,
  openList,
  plant,
  readAll,
} from '../../../testkit/src/listings.ts';
import { openRaw } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import { KEY_REJECTED, readError, readList } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService, type Tenant, type TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';
import { createListing, deleteListing, updateListing } from '../../src/domain/listings/listings.ts';
import { withoutServerFields } from '../../src/model/listings.ts';
import type { QueryBuild } from '../../src/storage/database.ts';
import { unavailable } from '../../src/storage/errors.ts';
import { MEBIBYTE, watchMemory } from '../support/memory.ts';
import { readPages } from '../support/pages.ts';

const service = await startSharedService();

/** Occupies a thread or a connection for half a second. */
const busy: QueryBuild<Numbered> = (builder) => ({ compile: () => BUSY[ENGINE].compile(builder) });
type Numbered = { n: number };

const BUSY = {
  sqlite: sql<Numbered>`with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 1000000)
    select max(n) as n from counted`,
  postgres: sql<Numbered>`select 1 as n from pg_sleep(0.5)`,
};

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
/** The numbers of planted listings, which their IDs contain. */
const numbersOf = (list: { data: { id: string }[] }) => idsOf(list).map((id) => Number(id.slice(4)));
const fromHigh = (count: number) => Array.from({ length: count }, (_, index) => count - index);

const SEARCHES = ['findPage', 'findPositions', 'findDocs', 'count'] as const;

/** Passes the promise of each search through `watch`. */
function watchSearches({ database: { search } }: TestService, watch: <T>(found: Promise<T>) => Promise<T>): void {
  for (const name of SEARCHES) {
    const run = search[name].bind(search) as (...given: unknown[]) => Promise<never>;
    search[name] = (...given: unknown[]) => watch(run(...given));
  }
}

/**
 * Runs `after` when a search has finished, before its result is used, and before the check of a page, which on
 * PostgreSQL starts while its search is still running.
 */
function afterSearches(service: TestService, after: () => Promise<void>): void {
  const { search } = service.database;
  const findPage = search.findPage.bind(search);
  search.findPage = (accountId, wanted, page, { check, ...options }) =>
    findPage(accountId, wanted, page, {
      ...options,
      async check(executor) {
        await after();
        await check?.(executor);
      },
    });
  watchSearches(service, async (found) => {
    const result = await found;
    await after();
    return result;
  });
}

test('a search whose page is rejected is not counted', async () => {
  await using own = await startTestService();
  const tenant = await own.createTenant();
  const { search } = own.database;
  search.findPage = async () => {
    throw unavailable('Too many searches.');
  };
  let isAborted = false;
  search.count = async (_accountId, _search, { signal }) => {
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    isAborted = true;
    signal?.throwIfAborted();
    return 0;
  };
  assert.equal((await own.fetch(tenant, '/v1/listings?beds=3&count=true&limit=5')).status, 503);
  await until('the count is canceled', () => isAborted);
});

describe('a complete sorted list', () => {
  for (const count of [0, 1, 250, 251, 999, 1000, 1001, 1250, 1251]) {
    test(`has each of ${count} listings once, in order`, async () => {
      const tenant = await service.createTenant();
      await plant(service, tenant, count);
      // All have the same baths, so they are sorted by id.
      const list = await readList(await service.fetch(tenant, '/v1/listings?sort=baths&count=true'));
      assert.deepEqual(numbersOf(list), fromHigh(count));
      assert.deepEqual([list.nextCursor, list.total], [null, count]);
    });
  }

  test('of more listings than one search returns has each once, in order, in little memory', async () => {
    const tenant = await service.createTenant();
    const count = 101_002;
    await plant(service, tenant, count);
    const parameters = '?sort=-beds&fields=id';
    await readAll(await openList(service, tenant, `${parameters}&beds[gte]=101000`));
    const { result, growthBytes } = await watchMemory(async () => {
      let text = '';
      for await (const chunk of await openList(service, tenant, parameters)) text += chunk;
      return text;
    });
    assert.deepEqual(numbersOf(JSON.parse(result)), fromHigh(count));
    assert.ok(growthBytes < 20 * MEBIBYTE, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
  });

  test('of large listings is read a few at a time, and so are its pages', async () => {
    const tenant = await service.createTenant();
    const ids = [
      ...(await fill(service, tenant, 5)),
      ...(await fillWithLarge(service, tenant, 12)),
      ...(await fill(service, tenant, 300)),
      ...(await fillWithLarge(service, tenant, 12)),
    ].reverse();
    let least = Number.POSITIVE_INFINITY;
    let served = 0;
    const response = await openList(service, tenant, '?sort=beds');
    const reading = readAll(response).finally(() => {
      least = served;
    });
    while (least === Number.POSITIVE_INFINITY) {
      await (await service.fetch(tenant, '/v1/me')).text();
      served += 1;
    }
    assert.ok(served > 1, 'other requests are served');
    assert.deepEqual(idsOf(JSON.parse((await reading).text)), ids);
    for (const limit of [3, 20, 1000]) {
      const parameters = { sort: '-baths', 'beds[gte]': '3' };
      assert.deepEqual(await readPages(service, tenant, { parameters, limits: [limit] }), ids);
    }
  });

  test('is cut off if its key is deleted', async () => {
    const tenant = await service.createTenant();
    await fillBeyondBuffers(service, tenant);
    const response = await openList(service, tenant, '?sort=-listPrice');
    assert.equal(response.statusCode, 200);
    await deleteApiKey(service.database, tenant.keyId);
    const { text, isComplete } = await readAll(response);
    assert.equal(isComplete, false);
    assert.throws(() => JSON.parse(text));
  });

  test('is cut off if the database fails, and the service keeps running', async () => {
    await using service = await startTestService();
    const tenant = await service.createTenant();
    await fillBeyondBuffers(service, tenant);
    const response = await openList(service, tenant, '?sort=-beds');
    afterSearches(service, async () => {
      throw new Error('the disk is gone');
    });
    assert.equal((await readAll(response)).isComplete, false);
    await readError(await service.fetch(tenant, '/v1/listings?q=elm'), 500, 'internal_error');
    assert.equal((await service.fetch(tenant, '/v1/listings?limit=1')).status, 200);
  });
});

describe('a listing that moves while a sorted list is being sent', () => {
  for (const query of [
    'sort=beds',
    'sort=updatedAt',
    'sort=listPrice',
    'q=elm&sort=-baths',
    'near=0,0&radius=1000km',
  ]) {
    test(`is never listed twice, and the later events complete the list: ${query}`, async () => {
      const { tenant, ids, list } = await changeDuringList(query);
      const listed = list.data.map(({ id }) => id);
      assert.equal(new Set(listed).size, listed.length);
      assert.ok(listed.length >= ids.length - 3, `${listed.length} listings`);
      const events = await service.fetch(tenant, `/v1/events?after=${list.sequence}&limit=1000`);
      const state = new Map(list.data.map((listing) => [listing.id, listing]));
      for (const { type, listingId, listing } of JSON.parse(await events.text()).data) {
        if (type === 'listing.deleted') state.delete(listingId);
        else state.set(listingId, listing);
      }
      const fresh = await readList(await service.fetch(tenant, '/v1/listings'));
      assert.deepEqual([...state.values()].sort(byId), fresh.data.sort(byId));
    });
  }

  for (const query of ['sort=beds', 'q=elm&sort=listPrice', 'near=0,0&radius=1000km']) {
    test(`is omitted even if it changes again, unlike others that change: ${query}`, async () => {
      const { ids, list } = await changeDuringList(query, async ({ ids: [moved, movedBack, ...others], change }) => {
        await change(moved, { beds: 2_000, listPrice: 2_000, latitude: 2 });
        await change(moved, { description: 'Moved' });
        await change(movedBack, { beds: 2_000, listPrice: 2_000, latitude: 2 });
        await change(movedBack, { beds: 1_049, listPrice: 1_050, latitude: 1.049 });
        await change(others.at(-1), { description: 'New, "beds":1' });
        await change(others.at(-2), { city: 'New, "latitude":1, "listPrice":1' });
        await change(others.at(-2), { description: 'Newer, "latitude":1, "listPrice":1' });
      });
      assert.deepEqual(idsOf(list), ids);
      assert.deepEqual(
        [0, 1, -2, -1].map((index) => list.data.at(index)?.description),
        [undefined, undefined, 'Newer, "latitude":1, "listPrice":1', 'New, "beds":1'],
      );
    });
  }

  for (const query of ['beds[gte]=0', 'sort=createdAt']) {
    test(`is listed in its new state if it cannot move: ${query}`, async () => {
      const { ids, list } = await changeDuringList(query);
      const listed = new Map(list.data.map((listing) => [listing.id, listing]));
      const [last] = query.startsWith('sort') ? [ids.at(-1)] : ids;
      assert.equal(listed.get(String(last))?.baths, 9);
      assert.equal(listed.size, list.data.length);
      assert.ok(listed.size >= ids.length - 1, `${listed.size} listings`);
    });
  }
});

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);

interface Changes {
  tenant: Tenant;
  ids: string[];
  /** The first listing of the list. */
  first: string;
  change: (id: string | undefined, input: object) => Promise<unknown>;
  create: (n: number) => Promise<string>;
}

/** Moves the first listing to the end of the list, changes the oldest and the newest, deletes one, and creates one. */
async function changeOrder({ tenant, ids, first, change, create }: Changes): Promise<void> {
  await change(first, { beds: 2_000, listPrice: 2_000, baths: 1, latitude: 2 });
  await change(ids[0], { baths: 9 });
  await change(ids.at(-1), { baths: 9 });
  await deleteListing(service.database, tenant, { id: String(ids.at(-2)) });
  await create(3_000);
}

/**
 * Reads a list of more listings than its first scan finds, and changes some before the second scan. `ids` are in the
 * order of creation.
 */
async function changeDuringList(query: string, changeSome = changeOrder) {
  const tenant = await service.createTenant();
  const { database } = service;
  const at = (n: number) => ({ ...MINIMAL, beds: n, listPrice: 1 + n, baths: 999 - (n % 900), latitude: n / 1_000 });
  const create = async (n: number) => (await createListing(database, tenant, { ...at(n), longitude: 0 })).outcome.id;
  const ids = await Promise.all(Array.from({ length: 1_050 }, (_, n) => create(n)));
  const change: Changes['change'] = (id, input) =>
    updateListing(database, tenant, { id: String(id) }, (before) => ({ ...withoutServerFields(before), ...input }));
  const { search } = database;
  const findPositions = search.findPositions;
  using _ = {
    [Symbol.dispose]() {
      search.findPositions = findPositions;
    },
  };
  let isChanged = false;
  search.findPositions = async (accountId, wanted, part, options) => {
    if (accountId === tenant.accountId && part.after !== undefined && !isChanged) {
      isChanged = true;
      await changeSome({ tenant, ids, first: String(first), change, create });
    }
    return findPositions.call(search, accountId, wanted, part, options);
  };
  const [first] = idsOf(await readList(await service.fetch(tenant, `/v1/listings?${query}&limit=1`)));
  const list = await readList(await service.fetch(tenant, `/v1/listings?${query}`));
  assert.ok(isChanged, 'the list needs a second scan');
  return { tenant, ids, list };
}

test('the more lists are being sent, the fewer matches each one holds; a list that ends in any way frees its share', async () => {
  await using service = await startTestService();
  const tenant = await service.createTenant();
  await plant(service, tenant, 1_500);
  const { search } = service.database;
  const limits: number[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const findPositions = search.findPositions.bind(search);
  search.findPositions = (accountId, wanted, part, options) => {
    if (part.after !== undefined) {
      limits.push(part.limit);
      signals.push(options.signal);
    }
    return findPositions(accountId, wanted, part, options);
  };
  // While the gate is closed, no list continues after its first 1,000 listings.
  let gate = Promise.withResolvers<void>();
  const findDocs = search.findDocs.bind(search);
  search.findDocs = async (accountId, wanted, ids, options) => {
    if (options.signal !== undefined && signals.includes(options.signal)) await gate.promise;
    return findDocs(accountId, wanted, ids, options);
  };
  /** Opens a list. @returns it with `limit`, the maximum number of matches of its second scan */
  const openNext = async () => {
    const before = limits.length;
    const response = await openList(service, tenant, '?sort=-beds&fields=id');
    const reading = readAll(response);
    await until('the list has scanned for more matches', () => limits.length > before);
    return { response, reading, limit: limits.at(-1) };
  };

  const open = [await openNext(), await openNext(), await openNext(), await openNext()];
  assert.deepEqual(
    open.map(({ limit }) => limit),
    [100_000, 50_000, 33_333, 25_000],
  );
  for (const { response } of open.slice(1)) response.destroy();
  await until('the service notices that the clients have left', () =>
    signals.slice(1).every((signal) => signal?.aborted),
  );
  const next = await openNext();
  assert.equal(next.limit, 50_000);
  gate.resolve();
  for (const { reading } of [open[0], next].filter((each) => each !== undefined)) {
    assert.deepEqual(numbersOf(JSON.parse((await reading).text)), fromHigh(1_500));
  }

  gate = Promise.withResolvers<void>();
  gate.promise.catch(() => {});
  const failing = await openNext();
  assert.equal(failing.limit, 100_000, 'complete lists hold no matches');
  gate.reject(new Error('the disk is gone'));
  assert.equal((await failing.reading).isComplete, false);
  await until('the failed list has ended', () => signals.at(-1)?.aborted === true);
  gate = Promise.withResolvers<void>();
  const last = await openNext();
  assert.equal(last.limit, 100_000);
  gate.resolve();
  assert.ok((await last.reading).isComplete);
});

describe('a key deleted during a search', () => {
  for (const query of ['sort=beds&limit=1', 'city=Nowhere', 'beds=3&count=true&limit=1']) {
    test(`gets 401 for ${query}`, async () => {
      await using service = await startTestService();
      const tenant = await service.createTenant();
      await fill(service, tenant, 3);
      let isDeleted = false;
      afterSearches(service, async () => {
        if (isDeleted) return;
        isDeleted = true;
        await deleteApiKey(service.database, tenant.keyId);
      });
      const response = await service.fetch(tenant, `/v1/listings?${query}`);
      assert.equal(response.status, 401);
      assert.equal(await response.text(), KEY_REJECTED);
    });
  }
});

describe('a waiting search whose client disconnects', () => {
  for (const query of ['sort=beds', 'sort=beds&limit=200', 'bbox=-180,-90,180,90&count=true']) {
    test(`is canceled without a warning in the log: ${query}`, async () => {
      await using service = await startTestService();
      const tenant = await service.createTenant();
      await createListing(service.database, tenant, { ...MINIMAL, latitude: 1, longitude: 1 });
      const outcomes: Promise<string>[] = [];
      watchSearches(service, (found) => {
        outcomes.push(found.then(() => 'was run', Object).then(({ message = 'was run' }) => message));
        return found;
      });
      const { scans } = service.database;
      // One account alone cannot occupy all threads.
      const others = Array.from({ length: 8 }, (_, index) => scans.query(`acc_busy${index}`, busy));
      using connection = await openRaw(service.url);
      connection.send(requestText('GET', `/v1/listings?${query}`, tenant.key));
      await until('the search waits', () => outcomes.length > 0);
      connection.socket.destroy();
      const heard = await Promise.all(outcomes);
      assert.ok(
        heard.every((outcome) => outcome === 'The connection ended before the response was sent.'),
        heard.join(),
      );
      await Promise.all(others);
      const logged = service.logLines.map((text) => JSON.parse(text));
      assert.ok(!logged.some(({ level }) => level >= 40), service.logLines.join(''));
      const [line] = logged.filter(({ msg }) => msg === 'request');
      assert.deepEqual([line.status, line.aborted, line.code], [null, true, undefined]);
      assert.equal((await readList(await service.fetch(tenant, `/v1/listings?${query}`))).data.length > 0, true);
    });
  }
});

test('an unchanged list gets 304 without a search, after the query is checked', async () => {
  await using service = await startTestService();
  const tenant = await service.createTenant();
  await fill(service, tenant, 30);
  const path = '/v1/listings?sort=-beds&q=elm&status=pending,active&count=true';
  const etag = (await service.fetch(tenant, path)).headers.get('etag') ?? '';
  let searches = 0;
  afterSearches(service, async () => {
    searches += 1;
  });
  const headers = { 'If-None-Match': etag };
  // An equivalent query has the same tag.
  for (const same of [path, '/v1/listings?count=true&status=active%2Cpending&q=ELM%21&sort=-beds']) {
    assert.equal((await service.fetch(tenant, same, { headers })).status, 304, same);
  }
  assert.equal(searches, 0);
  for (const [name, value] of [
    ['sort', 'beds'],
    ['q', 'el'],
    ['status', 'active'],
    ['count', 'false'],
    ['limit', '5'],
    ['fields', 'id'],
    ['bbox', '0,0,1,1'],
  ] as const) {
    const other = new URLSearchParams(path.split('?')[1]);
    other.set(name, value);
    assert.equal((await service.fetch(tenant, `/v1/listings?${other}`, { headers })).status, 200, name);
  }
  await readError(await service.fetch(tenant, `${path}&limit=0`, { headers }), 400, 'invalid_query');
  await fill(service, tenant, 1);
  assert.equal((await service.fetch(tenant, path, { headers })).status, 200);
});

describe('count=true adds the total of all pages', () => {
  test('with and without filters, on every page, in every format', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 25);
    await fill(service, await service.createTenant(), 5);
    for (const [query, total] of [
      ['', 25],
      ['&sort=-beds', 25],
      ['&beds=3', 25],
      ['&beds=4', 0],
      ['&q=elm', 25],
      ['&q=elm&bbox=0,0,1,1', 0],
    ] as const) {
      const first = await readList(await service.fetch(tenant, `/v1/listings?count=true&limit=10${query}`));
      assert.equal(first.total, total, query);
      if (first.nextCursor === null) continue;
      const path = `/v1/listings?count=true&limit=10${query}&cursor=${first.nextCursor}`;
      assert.equal((await readList(await service.fetch(tenant, path))).total, total, query);
      const csv = await service.fetch(tenant, path, { headers: { Accept: 'text/csv' } });
      assert.equal(csv.headers.get('x-total-count'), String(total));
      const lines = await service.fetch(tenant, path, { headers: { Accept: 'application/x-ndjson' } });
      assert.equal(JSON.parse((await lines.text()).trim().split('\n').at(-1) ?? '').total, total);
    }
  });

  test('without count=true, there is no total', async () => {
    const tenant = await service.createTenant();
    for (const query of ['', '?count=false', '?beds=3', '?beds=3&count=false']) {
      assert.equal('total' in (await readList(await service.fetch(tenant, `/v1/listings${query}`))), false);
    }
  });
});

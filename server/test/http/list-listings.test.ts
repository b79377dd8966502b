import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fill, MINIMAL, plant, post } from '../../../testkit/src/listings.ts';
import { faultsOf, linesOf, readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const list = (tenant: Tenant, query = '', headers: Record<string, string> = {}) =>
  service.fetch(tenant, `/v1/listings${query}`, { headers });

/** Reads page after page; `between` runs after each. */
async function readPages(tenant: Tenant, limit: number, between: () => Promise<void> = async () => {}) {
  const ids: string[] = [];
  let query = `?limit=${limit}`;
  for (;;) {
    const response = await list(tenant, query);
    const link = response.headers.get('link');
    const { data, nextCursor } = await readList(response);
    ids.push(...data.map(({ id }) => id));
    const next = `?limit=${limit}&cursor=${nextCursor}`;
    assert.equal(link, nextCursor === null ? null : `</v1/listings${next}>; rel="next"`);
    assert.ok(nextCursor === null ? data.length <= limit : data.length === limit);
    if (nextCursor === null) return ids;
    query = next;
    await between();
  }
}

test('an account without listings has an empty list', async () => {
  const { epoch, ...rest } = await readList(await list(await service.createTenant()));
  assert.deepEqual(rest, { data: [], nextCursor: null, sequence: 0 });
});

describe("the list has all the account's listings, newest first", () => {
  for (const count of [1, 249, 250, 251, 501]) {
    test(`${count} listings`, async () => {
      const tenant = await service.createTenant();
      const ids = await fill(service, tenant, count);
      const { data, nextCursor, sequence } = await readList(await list(tenant));
      assert.deepEqual(linesOf(data, 'id'), ids.toSorted().reverse());
      assert.deepEqual([nextCursor, sequence], [null, count]);
    });
  }

  test('300 listings created concurrently over HTTP', async () => {
    const tenant = await service.createTenant();
    const creating = Array.from({ length: 300 }, async (_, index) =>
      readListing(await post(service, tenant, { ...MINIMAL, address: `${index} Elm Street` }), 201),
    );
    const created = await Promise.all(creating);
    const { data, sequence } = await readList(await list(tenant));
    const newestFirst = created.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    assert.deepEqual([data, sequence], [newestFirst, 300]);
  });
});

test('clients that page through the list concurrently all get every listing', async () => {
  const tenant = await service.createTenant();
  const newestFirst = (await fill(service, tenant, 900)).toSorted().reverse();
  const walks = await Promise.all(Array.from({ length: 12 }, () => readPages(tenant, 400)));
  for (const ids of walks) assert.deepEqual(ids, newestFirst);
});

test("a list never contains another account's listings", async () => {
  const [one, other] = [await service.createTenant(), await service.createTenant()];
  const ids = await fill(service, one, 3);
  const otherIds = await fill(service, other, 2);
  const lists = [await readList(await list(one)), await readList(await list(other))];
  assert.deepEqual(
    lists.map(({ data }) => linesOf(data, 'id')),
    [ids.toReversed(), otherIds.toReversed()],
  );
  assert.deepEqual(
    lists.map(({ sequence }) => sequence),
    [3, 2],
  );
});

describe('pages together are the complete list', () => {
  for (const [count, limit] of [
    [7, 1],
    [7, 3],
    [6, 3],
    [1003, 1000],
    [1000, 1000],
  ] as const) {
    test(`${count} listings, ${limit} at a time`, async () => {
      const tenant = await service.createTenant();
      await plant(service, tenant, count);
      const { data } = await readList(await list(tenant));
      assert.deepEqual(await readPages(tenant, limit), linesOf(data, 'id'));
    });
  }

  test('with a cursor and no limit, the response has all remaining listings', async () => {
    const tenant = await service.createTenant();
    const ids = await fill(service, tenant, 300);
    const { nextCursor } = await readList(await list(tenant, '?limit=10'));
    const rest = await readList(await list(tenant, `?cursor=${nextCursor}`));
    assert.deepEqual(linesOf(rest.data, 'id'), ids.toReversed().slice(10));
    assert.equal(rest.nextCursor, null);
  });

  test('the limit may change between pages, and a cursor may be used again', async () => {
    const tenant = await service.createTenant();
    const ids = (await fill(service, tenant, 9)).toReversed();
    const { nextCursor } = await readList(await list(tenant, '?limit=2'));
    for (const limit of [3, 5, 3]) {
      const { data } = await readList(await list(tenant, `?limit=${limit}&cursor=${nextCursor}`));
      assert.deepEqual(linesOf(data, 'id'), ids.slice(2, 2 + limit));
    }
  });

  test('listings created between pages do not skip or repeat existing ones', async () => {
    const tenant = await service.createTenant();
    const ids = await fill(service, tenant, 20);
    const seen = await readPages(tenant, 3, async () => {
      await fill(service, tenant, 2);
    });
    assert.deepEqual(seen, ids.toReversed());
  });
});

describe('the list has a weak ETag that changes with it', () => {
  test('a matching tag gets 304 without a body until a listing is created', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 3);
    const etag = (await list(tenant)).headers.get('etag') ?? '';
    assert.match(etag, /^W\/"[\x21\x23-\x7e]+"$/);
    for (const given of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const response = await list(tenant, '', { 'If-None-Match': given });
      assert.deepEqual([response.status, await response.text()], [304, ''], given);
      assert.equal(response.headers.get('etag'), etag);
      assert.equal(response.headers.get('content-type'), null);
      assert.match(response.headers.get('vary') ?? '', /Authorization/);
    }
    await fill(service, tenant, 1);
    const changed = await list(tenant, '', { 'If-None-Match': etag });
    assert.notEqual(changed.headers.get('etag'), etag);
    assert.equal((await readList(changed)).data.length, 4);
  });

  test('each account, limit, and cursor has its own tag', async () => {
    const tenants = [await service.createTenant(), await service.createTenant()];
    const [tenant] = tenants;
    assert.ok(tenant);
    await fill(service, tenant, 3);
    const { nextCursor } = await readList(await list(tenant, '?limit=1'));
    const queries = ['', '?limit=1', '?limit=2', `?limit=1&cursor=${nextCursor}`, `?cursor=${nextCursor}`];
    const etags = await Promise.all(queries.map(async (query) => (await list(tenant, query)).headers.get('etag')));
    assert.equal(new Set(etags).size, queries.length);
  });

  test("a listing's tag does not match, and an invalid tag is rejected", async () => {
    const tenant = await service.createTenant();
    assert.equal((await list(tenant, '', { 'If-None-Match': '"1", W/"x"' })).status, 200);
    for (const given of ['nonsense', '"open', 'W/x', '"a" "b"', '"a",', '']) {
      await readError(await list(tenant, '', { 'If-None-Match': given }), 400, 'invalid_header');
    }
  });

  test('the query is checked before the tag', async () => {
    const tenant = await service.createTenant();
    await readError(await list(tenant, '?limit=0', { 'If-None-Match': '*' }), 400, 'invalid_query');
    await readError(await list(tenant, '?cursor=x', { 'If-None-Match': '*' }), 400, 'invalid_cursor');
  });
});

const badQueries: [query: string, code: string, ...faults: string[]][] = [
  ['limit=0', 'invalid_query', 'query.limit: out_of_range'],
  ['limit=-1', 'invalid_query', 'query.limit: out_of_range'],
  ['limit=1001', 'invalid_query', 'query.limit: out_of_range'],
  ['limit=99999999999999999999', 'invalid_query', 'query.limit: out_of_range'],
  ['limit=abc', 'invalid_query', 'query.limit: invalid_type'],
  ['limit=1%00', 'invalid_query', 'query.limit: invalid_type'],
  ['limit=2.5', 'invalid_query', 'query.limit: not_an_integer'],
  ['limit=1e2', 'invalid_query', 'query.limit: not_an_integer'],
  ['limit=%201', 'invalid_query', 'query.limit: not_an_integer'],
  ['limit=', 'invalid_query', 'query.limit: blank'],
  ['limit', 'invalid_query', 'query.limit: blank'],
  ['limit=1&limit=1', 'invalid_query', 'query.limit: duplicate'],
  ['cursor=', 'invalid_query', 'query.cursor: blank'],
  ['limit=0&cursor=', 'invalid_query', 'query.cursor: blank', 'query.limit: out_of_range'],
  ['Limit=1', 'unknown_parameter', 'query.Limit: unknown_field'],
  ['limit[]=1', 'unknown_parameter', 'query.limit[]: unknown_field'],
  ['__proto__=1', 'unknown_parameter', 'query.__proto__: unknown_field'],
  ['constructor=1', 'unknown_parameter', 'query.constructor: unknown_field'],
  ['=1', 'unknown_parameter', 'query.: unknown_field'],
  ['limt=0&limit=0', 'unknown_parameter', 'query.limit: out_of_range', 'query.limt: unknown_field'],
];

describe('an invalid query is rejected, never guessed or clamped', () => {
  for (const [query, code, ...faults] of badQueries) {
    test(query, async () => {
      const tenant = await service.createTenant();
      assert.deepEqual(faultsOf(await readError(await list(tenant, `?${query}`), 400, code)), faults);
    });
  }

  test('an unknown parameter gets the nearest name', async () => {
    const tenant = await service.createTenant();
    for (const [given, nearest] of [
      ['limt', 'limit'],
      ['cursr', 'cursor'],
      ['LIMIT', 'limit'],
    ]) {
      const { message } = await readError(await list(tenant, `?${given}=1`), 400, 'unknown_parameter');
      assert.ok(message.includes(`"${nearest}"`), message);
    }
  });
});

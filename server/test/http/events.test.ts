import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill, fillWithLarge, MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import {
  type EventsReply,
  faultsOf,
  linesOf,
  readError,
  readEvents,
  readList,
  readListing,
} from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';

const service = await startSharedService();

const get = (tenant: Tenant, query = '') => service.fetch(tenant, `/v1/events${query}`);
const events = async (tenant: Tenant, query = '') => readEvents(await get(tenant, query));
const create = async (tenant: Tenant, fields: object = {}) =>
  readListing(await post(service, tenant, { ...MINIMAL, ...fields }), 201);
const patch = async (tenant: Tenant, id: string, body: object) =>
  readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, body));
const sequencesOf = ({ data }: EventsReply) => data.map(({ sequence }) => sequence);

/** Deletes events directly in the database, as a purge does. */
async function removeEvents({ accountId }: Tenant, until: number): Promise<void> {
  await service.sql('delete from events where account_id = ? and sequence <= ?', accountId, until);
}

describe('the event feed has all changes in order', () => {
  test('an account without changes has no events', async () => {
    const tenant = await service.createTenant();
    const { epoch } = await readList(await service.fetch(tenant, '/v1/listings'));
    assert.deepEqual(await events(tenant), { data: [], nextAfter: 0, epoch });
  });

  test('each change creates one event with the changed listing; a deletion creates a tombstone', async () => {
    const tenant = await service.createTenant();
    const created = await create(tenant, { externalId: 'MLS "1"', city: 'Austin', listPrice: 450000 });
    const { id } = created;
    const updated = await patch(tenant, id, { beds: 4, city: null, metadata: { agentId: 'A-17' } });
    const again = await patch(tenant, id, { description: 'A garden.\nA pool.' });
    assert.equal((await send(service, tenant, 'DELETE', `/listings/${id}`)).status, 204);

    const { data, nextAfter } = await events(tenant);
    const withoutTimes = data.map(({ createdAt: _, ...event }) => event);
    assert.deepEqual(withoutTimes, [
      { sequence: 1, type: 'listing.created', listingId: id, listing: created },
      { sequence: 2, type: 'listing.updated', listingId: id, listing: updated, changed: ['city', 'beds', 'metadata'] },
      { sequence: 3, type: 'listing.updated', listingId: id, listing: again, changed: ['description'] },
      { sequence: 4, type: 'listing.deleted', listingId: id, externalId: 'MLS "1"' },
    ]);
    assert.equal(nextAfter, 4);
    const times = data.map(({ createdAt }) => createdAt);
    assert.deepEqual(times, times.toSorted());
    assert.ok(data.every(({ createdAt, listing }) => listing === undefined || createdAt >= listing.updatedAt));
  });

  test('a request that changes nothing creates no event', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant, { externalId: 'same' });
    await patch(tenant, id, { beds: MINIMAL.beds });
    await patch(tenant, id, {});
    await readListing(await send(service, tenant, 'PUT', '/listings/external/same', MINIMAL));
    await readError(await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: -1 }), 422, 'validation_failed');
    await readError(await post(service, tenant, { ...MINIMAL, externalId: 'same' }), 409, 'external_id_taken');
    await readError(await send(service, tenant, 'DELETE', '/listings/lst_0'), 404, 'not_found');
    assert.deepEqual(sequencesOf(await events(tenant)), [1]);
  });

  test('PUT by external id creates an event for a creation and for a change', async () => {
    const tenant = await service.createTenant();
    const put = (body: object) => send(service, tenant, 'PUT', '/listings/external/MLS%2F1', body);
    const created = await readListing(await put(MINIMAL), 201);
    const replaced = await readListing(await put({ ...MINIMAL, baths: 1 }));
    const { data } = await events(tenant);
    const [first, second] = data.map(({ type, listing, changed }) => [type, listing, changed]);
    assert.deepEqual(first, ['listing.created', created, undefined]);
    assert.deepEqual(second, ['listing.updated', replaced, ['baths']]);
  });

  test('a replayed retry creates no second event', async () => {
    const tenant = await service.createTenant();
    const headers = { 'Idempotency-Key': 'once' };
    await post(service, tenant, MINIMAL, headers);
    await readListing(await post(service, tenant, MINIMAL, headers), 201);
    assert.deepEqual(sequencesOf(await events(tenant)), [1]);
  });

  test('an event has the bytes that GET returned after its change, even after later changes', async () => {
    const tenant = await service.createTenant();
    const metadata = { '\u2028"\\': 1e-7, '2': '😀 ', '1': true };
    const photos = [{ url: 'https://a.example/1', caption: 'a\nb' }];
    const { id } = await create(tenant, { metadata, photos, externalId: 'ü', listPrice: 0.1 });
    const text = async () => (await service.fetch(tenant, `/v1/listings/${id}`)).text();
    const first = await text();
    assert.ok((await (await get(tenant)).text()).includes(`"listingId":"${id}","listing":${first},"createdAt":`));
    await patch(tenant, id, { externalId: null });
    const second = await text();
    const feed = await (await get(tenant)).text();
    assert.ok(feed.includes(`"listingId":"${id}","listing":${first},"createdAt":`));
    assert.ok(feed.includes(`"listingId":"${id}","listing":${second},"changed":["externalId"],"createdAt":`));
  });

  test('an account sees only its own events', async () => {
    const tenants = [await service.createTenant(), await service.createTenant()];
    const ids = [];
    for (const tenant of tenants) ids.push(await fill(service, tenant, 3));
    for (const [index, tenant] of tenants.entries()) {
      const { data } = await events(tenant);
      assert.deepEqual(linesOf(data, 'listingId'), ids[index]);
    }
  });
});

describe('following nextAfter returns every event once', () => {
  for (const [count, limit] of [
    [7, 3],
    [6, 3],
    [5, 1],
    [1001, 1000],
  ] as const) {
    test(`${count} events, ${limit} at a time`, async () => {
      const tenant = await service.createTenant();
      await fill(service, tenant, count);
      const seen: number[] = [];
      for (let from = 0; ; ) {
        const page = await events(tenant, `?after=${from}&limit=${limit}`);
        assert.equal(page.data.length, Math.min(limit, count - from));
        seen.push(...sequencesOf(page));
        assert.equal(page.nextAfter, seen.length);
        if (page.data.length === 0) break;
        from = page.nextAfter;
      }
      for (const [index, sequence] of seen.entries()) assert.equal(sequence, index + 1);
      assert.equal(seen.length, count);
    });
  }

  test('the default limit is 100', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 101);
    assert.equal((await events(tenant)).nextAfter, 100);
  });

  test('a page of large listings is shorter, and the next page continues there', async () => {
    const tenant = await service.createTenant();
    const ids = await fillWithLarge(service, tenant, 7);
    const seen: string[] = [];
    for (let from = 0; from < ids.length; ) {
      const page = await events(tenant, `?after=${from}&limit=1000`);
      assert.ok(page.data.length >= 1 && page.data.length <= 2);
      seen.push(...page.data.map(({ listingId }) => listingId));
      from = page.nextAfter;
    }
    assert.deepEqual(seen, ids);
  });
});

describe('an unusable `after` gets 410, and the client must list again', () => {
  test('beyond the current sequence', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 2);
    assert.deepEqual((await events(tenant, '?after=2')).data, []);
    for (const given of [3, 1000, Number.MAX_SAFE_INTEGER]) {
      const { message } = await readError(await get(tenant, `?after=${given}`), 410, 'events_expired');
      assert.match(message, /The sequence is greater than the account's current sequence, which is 2\. List all/);
      await readError(await get(tenant, `?after=${given}&wait=60`), 410, 'events_expired');
    }
  });

  test('from another epoch', async () => {
    const tenant = await service.createTenant();
    const { epoch } = await events(tenant);
    assert.deepEqual((await events(tenant, `?epoch=${epoch}`)).data, []);
    for (const given of ['00000000', epoch.toUpperCase().padStart(9, '0'), epoch.slice(1), '😀', '%00']) {
      const { message } = await readError(await get(tenant, `?epoch=${given}`), 410, 'events_expired');
      assert.match(message, /a different epoch, for example after a restore\. List all/);
    }
  });

  test('if events after it were removed, but not otherwise', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, 5);
    await removeEvents(tenant, 3);
    for (const given of ['', '?after=0', '?after=2', '?after=2&wait=60']) {
      const { message } = await readError(await get(tenant, given), 410, 'events_expired');
      assert.match(message, /Events after this sequence have expired\. List all listings again/);
    }
    assert.deepEqual(sequencesOf(await events(tenant, '?after=3')), [4, 5]);
    await removeEvents(tenant, 5);
    await readError(await get(tenant, '?after=4'), 410, 'events_expired');
    assert.deepEqual((await events(tenant, '?after=5')).data, []);
  });

  test("a change is an ordinary event even if the listing's earlier event was removed", async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    await removeEvents(tenant, 1);
    const updated = await patch(tenant, id, { beds: 9 });
    const { data } = await events(tenant, '?after=1');
    assert.deepEqual([data.length, data[0]?.sequence, data[0]?.listing], [1, 2, updated]);
  });
});

const BAD_QUERIES: [query: string, ...faults: string[]][] = [
  ['after=-1', 'query.after: out_of_range'],
  ['after=9007199254740992', 'query.after: out_of_range'],
  ['after=abc', 'query.after: invalid_type'],
  ['after=1.5', 'query.after: not_an_integer'],
  ['after=', 'query.after: blank'],
  ['after=1&after=1', 'query.after: duplicate'],
  ['limit=0', 'query.limit: out_of_range'],
  ['limit=1001', 'query.limit: out_of_range'],
  ['limit=all', 'query.limit: invalid_type'],
  ['wait=-1', 'query.wait: out_of_range'],
  ['wait=61', 'query.wait: out_of_range'],
  ['wait=0.5', 'query.wait: not_an_integer'],
  ['wait=1s', 'query.wait: invalid_type'],
  ['wait=', 'query.wait: blank'],
  ['epoch=', 'query.epoch: blank'],
  ['epoch=a&epoch=a', 'query.epoch: duplicate'],
  ['after=x&wait=61&limit=', 'query.after: invalid_type', 'query.limit: blank', 'query.wait: out_of_range'],
  ['type=', 'query.type: blank'],
  ['type=created', 'query.type: invalid_choice'],
  ['type=listing.created,listing.created', 'query.type: duplicate'],
  ['type=listing.created&type=listing.deleted', 'query.type: duplicate'],
  ['listingId=lst_1', 'query.listingId: invalid_format'],
  ['feed=MLS', 'query.feed: invalid_format'],
  ['since=1', 'query.since: unknown_field'],
  ['cursor=x', 'query.cursor: unknown_field'],
];

describe('an invalid query is rejected at once', () => {
  for (const [query, ...faults] of BAD_QUERIES) {
    test(query, async () => {
      const tenant = await service.createTenant();
      const code = faults.join().includes('unknown_field') ? 'unknown_parameter' : 'invalid_query';
      assert.deepEqual(faultsOf(await readError(await get(tenant, `?${query}`), 400, code)), faults);
    });
  }

  test('the query is checked before the epoch and sequence', async () => {
    const tenant = await service.createTenant();
    await readError(await get(tenant, '?after=5&limit=0&epoch=x'), 400, 'invalid_query');
  });
});

test('a read-only key can read events; a request without a key gets 401', async () => {
  const reader = await service.createTenant('Readers', 'read');
  assert.deepEqual((await events(reader)).data, []);
  assert.equal((await fetch(`${service.url}/v1/events?wait=60`)).status, 401);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { importFile, NDJSON } from '../../../testkit/src/imports.ts';
import { MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import { type HistoryReply, readError, readHistory, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { purgeEvents } from '../../src/domain/events/event-purge.ts';
import { createListing, deleteListing, updateListing } from '../../src/domain/listings/listings.ts';
import type { ListingInput } from '../../src/model/listings.ts';

const service = await startSharedService();

const DAY_MS = 24 * 60 * 60 * 1000;

const get = (tenant: Tenant, id: string, query = '') => service.fetch(tenant, `/v1/listings/${id}/history${query}`);
const history = async (tenant: Tenant, id: string, query = '') => readHistory(await get(tenant, id, query));
const create = async (tenant: Tenant, fields: object = {}) =>
  readListing(await post(service, tenant, { ...MINIMAL, ...fields }), 201);
const patch = async (tenant: Tenant, id: string, body: object) =>
  readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, body));
const remove = async (tenant: Tenant, id: string) =>
  assert.equal((await send(service, tenant, 'DELETE', `/listings/${id}`)).status, 204);
const at = (tenant: Tenant, id: string, sequence: number, headers = {}) =>
  service.fetch(tenant, `/v1/listings/${id}?at=${sequence}`, { headers });
const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

/** Backdates the account's events up to a sequence by 31 days, and purges them. */
async function purgeUntil({ accountId }: Tenant, sequence: number): Promise<void> {
  const time = Date.now() - 31 * DAY_MS;
  await service.sql(
    'update events set created_at = ? where account_id = ? and sequence <= ?',
    String(time),
    accountId,
    String(sequence),
  );
  await purgeEvents(service.database, Date.now(), new AbortController().signal);
}

const withoutTimes = ({ data }: HistoryReply) => data.map(({ at: _, ...entry }) => entry);

describe('the history of a listing', () => {
  test('has each change with its author and its fields, newest first', async () => {
    const tenant = await service.createTenant();
    const actor = { type: 'key', id: tenant.keyId, name: 'Website' };
    const { id, createdAt } = await create(tenant, { listPrice: 450000 });
    assert.deepEqual(withoutTimes(await history(tenant, id)), [
      { sequence: 1, version: 1, type: 'listing.created', actor, changes: {} },
    ]);
    const photos = [{ url: 'https://a.example/1.jpg' }];
    const { updatedAt } = await patch(tenant, id, { listPrice: 439000, city: 'Austin', photos });
    await patch(tenant, id, { city: null, description: 'A garden.', metadata: { a: 1 } });
    await remove(tenant, id);
    const read = await history(tenant, id);
    assert.deepEqual(withoutTimes(read), [
      { sequence: 4, version: 3, type: 'listing.deleted', actor, changes: {} },
      {
        sequence: 3,
        version: 3,
        type: 'listing.updated',
        actor,
        changes: {
          city: { from: 'Austin', to: null },
          description: { changed: true },
          metadata: { changed: true },
        },
      },
      {
        sequence: 2,
        version: 2,
        type: 'listing.updated',
        actor,
        changes: {
          city: { from: null, to: 'Austin' },
          listPrice: { from: 450000, to: 439000 },
          photos: { changed: true },
        },
      },
      { sequence: 1, version: 1, type: 'listing.created', actor, changes: {} },
    ]);
    assert.equal(read.nextCursor, null);
    assert.deepEqual(
      read.data.slice(2).map((entry) => entry.at),
      [updatedAt, createdAt],
    );
  });

  test('has no entry for a change that was rejected or changed nothing', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant, { externalId: 'a' });
    await create(tenant, { externalId: 'b' });
    await patch(tenant, id, { beds: MINIMAL.beds });
    await importFile(service, tenant, { type: NDJSON, body: lines({ id, beds: MINIMAL.beds }, { id, beds: 'x' }) });
    for (const [body, headers, status] of [
      [{ externalId: 'b' }, {}, 409],
      [{ beds: -1 }, {}, 422],
      [{ beds: 9 }, { 'If-Match': '"7"' }, 412],
    ] as const) {
      assert.equal((await send(service, tenant, 'PATCH', `/listings/${id}`, body, headers)).status, status);
    }
    const dry = { type: NDJSON, body: lines({ id, beds: 9 }), query: '?dryRun=true' };
    await importFile(service, tenant, dry);
    assert.equal((await history(tenant, id)).data.length, 1);
    assert.deepEqual(await service.sql('select 1 from listing_history where account_id = ?', tenant.accountId), []);
  });

  test('names the user who made a change in the dashboard, which shows the same history', async () => {
    const person = await createPerson(service);
    const browser = await signIn(service, person);
    const tenant = await service.createKey(person.accountId);
    const { id } = await create(tenant);
    await browser.ask('PATCH', `/admin/listings/${id}`, { beds: 9 });
    const [user] = await service.sql('select id from users where email = ?', person.email);
    await service.sql("update users set name = 'Grace' where email = ?", person.email);
    const [change] = (await history(tenant, id)).data;
    assert.deepEqual(change?.actor, { type: 'user', id: user?.id, name: person.name });
    assert.deepEqual(await browser.ask('GET', `/admin/listings/${id}/history`), await history(tenant, id));
  });

  test('names the operator, and the run of a feed', async () => {
    const tenant = await service.createTenant();
    const { database } = service;
    const { accountId, keyId } = tenant;
    const { outcome } = await createListing(database, { accountId }, MINIMAL);
    const feed = { name: 'mls', runId: 'run_1' };
    const change = (current: ListingInput) => ({ ...current, beds: 9 });
    await updateListing(database, { accountId, keyId, feed }, { id: outcome.id }, change);
    await deleteListing(database, { accountId, keyId, feed }, { id: outcome.id });
    const actors = (await history(tenant, outcome.id)).data.map(({ actor }) => actor);
    const operator = { type: 'operator', id: null, name: 'Operator' };
    assert.deepEqual(actors, [{ type: 'feed', ...feed }, { type: 'feed', ...feed }, operator]);
  });

  for (const query of ['', '?atomic=true']) {
    test(`has every change of an import${query}, including those of repeated rows`, async () => {
      const tenant = await service.createTenant();
      const { id } = await create(tenant, { externalId: 'old' });
      const rows = [
        { ...MINIMAL, externalId: 'new' },
        { id, externalId: 'old', beds: 4, address: MINIMAL.address, baths: 2 },
        { ...MINIMAL, externalId: 'new', beds: 5 },
        { ...MINIMAL, externalId: 'new', beds: 6, description: 'A garden.' },
      ];
      await importFile(service, tenant, { type: NDJSON, body: lines(...rows), query });
      const made = await readListing(await service.fetch(tenant, '/v1/listings/external/new'));
      const newest = withoutTimes(await history(tenant, made.id));
      assert.deepEqual(
        newest.map(({ version, type, changes }) => [version, type, changes]),
        [
          [3, 'listing.updated', { beds: { from: 5, to: 6 }, description: { changed: true } }],
          [2, 'listing.updated', { beds: { from: 3, to: 5 } }],
          [1, 'listing.created', {}],
        ],
      );
      assert.ok(newest.every(({ actor }) => actor.type === 'key' && actor.id === tenant.keyId));
      assert.deepEqual(
        withoutTimes(await history(tenant, id)).map(({ sequence, changes }) => [sequence, changes]),
        [
          [3, { beds: { from: 3, to: 4 } }],
          [1, {}],
        ],
      );
      const versions = await Promise.all([2, 4, 5].map((sequence) => at(tenant, made.id, sequence)));
      const docs = await Promise.all(versions.map((reply) => readListing(reply)));
      assert.deepEqual(
        docs.map(({ beds, version }) => [beds, version]),
        [
          [3, 1],
          [5, 2],
          [6, 3],
        ],
      );
    });
  }

  test('keeps the name that a key had at the time of the change', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    await service.sql("update api_keys set name = 'Renamed' where id = ?", tenant.keyId);
    await patch(tenant, id, { beds: 9 });
    const names = (await history(tenant, id)).data.map(({ actor }) => actor.name);
    assert.deepEqual(names, ['Renamed', 'Website']);
  });

  test('is read page by page', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    for (let beds = 10; beds < 17; beds += 1) await patch(tenant, id, { beds });
    const all = (await history(tenant, id)).data;
    assert.equal(all.length, 8);
    for (const limit of [1, 3, 8]) {
      const pages: HistoryReply['data'] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: HistoryReply = await history(tenant, id, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        assert.ok(page.data.length > 0 && page.data.length <= limit);
        pages.push(...page.data);
        cursor = page.nextCursor;
        // A change between two pages neither repeats nor skips an entry.
        if (limit === 1 && pages.length === 2) await patch(tenant, id, { city: 'Austin' });
      }
      assert.deepEqual(
        pages.filter(({ changes }) => changes.city === undefined),
        all,
      );
    }
    const { nextCursor } = await history(tenant, id, '?limit=1');
    const { id: other } = await create(tenant);
    await readError(await get(tenant, other, `?cursor=${nextCursor}`), 400, 'invalid_cursor');
    await readError(await get(tenant, id, '?limit=0'), 400, 'invalid_query');
    await readError(await get(tenant, id, '?before=1'), 400, 'unknown_parameter');
  });

  test("does not exist for an unknown listing or another account's", async () => {
    const [tenant, other] = [await service.createTenant(), await service.createTenant()];
    const { id } = await create(tenant);
    await create(other);
    await readError(await get(other, id), 404, 'not_found');
    await readError(await get(tenant, 'lst_0'), 404, 'not_found');
    await readError(await at(other, id, 1), 404, 'not_found');
    await remove(tenant, id);
    await readError(await get(other, id), 404, 'not_found');
    await readError(await at(other, id, 1), 404, 'not_found');
  });

  test('is kept after its events were purged, and 30 days after a deletion', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    await patch(tenant, id, { beds: 9 });
    const { id: untouched } = await create(tenant);
    const before = await history(tenant, id);
    await purgeUntil(tenant, 3);
    assert.deepEqual(await service.sql('select 1 from events where account_id = ?', tenant.accountId), []);
    assert.deepEqual(await history(tenant, id), before);
    assert.equal((await history(tenant, untouched)).data[0]?.actor.name, 'Website');
    await remove(tenant, id);
    assert.equal((await history(tenant, id)).data.length, 3);
    await purgeUntil(tenant, 4);
    await readError(await get(tenant, id), 404, 'not_found');
    assert.deepEqual(await service.sql('select 1 from listing_history where account_id = ?', tenant.accountId), []);
  });

  test('of many entries is removed in slices', async () => {
    const tenant = await service.createTenant();
    const { accountId } = tenant;
    const { id } = await create(tenant);
    for (let beds = 0; beds < 450; beds += 1) {
      await updateListing(service.database, { accountId }, { id }, (current) => ({ ...current, beds: 100 + beds }));
    }
    await remove(tenant, id);
    await create(tenant);
    await purgeUntil(tenant, 452);
    const counts = await service.sql(
      `select (select count(*) from listing_history where account_id = heads.account_id) as entries,
        (select count(*) from events where account_id = heads.account_id) as events
      from account_heads as heads where account_id = ?`,
      accountId,
    );
    assert.deepEqual(
      counts.map(({ entries, events }) => [Number(entries), Number(events)]),
      [[0, 1]],
    );
  });

  test('has a path that conflicts with no external id', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant, { externalId: 'history' });
    const named = await readListing(await service.fetch(tenant, '/v1/listings/external/history'));
    assert.equal(named.id, id);
  });

  test('is deleted with its account', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    await patch(tenant, id, { beds: 9 });
    await deleteAccount(service.database, tenant.accountId);
    assert.deepEqual(await service.sql('select 1 from listing_history where account_id = ?', tenant.accountId), []);
  });
});

describe('a listing at a sequence', () => {
  test('is each of its versions, even after its deletion', async () => {
    const tenant = await service.createTenant();
    const { accountId } = tenant;
    await createListing(service.database, { accountId }, MINIMAL);
    const { id } = await create(tenant);
    const read = async (sequence: number) => (await at(tenant, id, sequence)).text();
    const now = async () => (await service.fetch(tenant, `/v1/listings/${id}`)).text();
    const versions = [await now()];
    await createListing(service.database, { accountId }, MINIMAL);
    await patch(tenant, id, { beds: 9, description: 'A garden.' });
    versions.push(await now());
    await patch(tenant, id, { description: 'A pool.' });
    versions.push(await now());
    const expectAll = async () => {
      for (const [sequence, version] of [
        [2, 0],
        [3, 0],
        [4, 1],
        [5, 2],
      ] as const) {
        assert.equal(await read(sequence), versions[version]);
      }
      for (const sequence of [0, 1]) {
        const { message } = await readError(await at(tenant, id, sequence), 404, 'not_found');
        assert.equal(message, 'The listing was created after this sequence; request a later one.');
      }
    };
    await expectAll();
    await remove(tenant, id);
    await expectAll();
    const { message } = await readError(await at(tenant, id, 6), 404, 'not_found');
    assert.equal(message, 'The listing had been deleted at this sequence; request an earlier one.');
    const reply = await at(tenant, id, 4);
    assert.equal(reply.headers.get('etag'), '"2"');
    assert.equal((await at(tenant, id, 4, { 'If-None-Match': '"2"' })).status, 304);
    assert.equal((await at(tenant, id, 4, { 'If-None-Match': '"3"' })).status, 200);
  });

  test('is available as long as all later events are', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    const first = await (await service.fetch(tenant, `/v1/listings/${id}`)).text();
    await create(tenant);
    await create(tenant);
    await purgeUntil(tenant, 2);
    await patch(tenant, id, { beds: 9, description: 'x'.repeat(3000) });
    await readError(await at(tenant, id, 1), 410, 'events_expired');
    for (const sequence of [1, 99]) {
      await readError(await at(await service.createTenant(), id, sequence), 404, 'not_found');
    }
    for (const sequence of [2, 3]) assert.equal(await (await at(tenant, id, sequence)).text(), first);
    await purgeUntil(tenant, 3);
    await readError(await at(tenant, id, 2), 410, 'events_expired');
    assert.equal(await (await at(tenant, id, 3)).text(), first);
    await purgeUntil(tenant, 4);
    await readError(await at(tenant, id, 3), 410, 'events_expired');
    assert.equal((await readListing(await at(tenant, id, 4))).beds, 9);
    const docs = await service.sql(
      'select 1 from listing_history where account_id = ? and doc is not null',
      tenant.accountId,
    );
    assert.deepEqual(docs, []);
    await readError(await at(tenant, id, 5), 410, 'events_expired');
  });

  test('is rejected for an invalid sequence', async () => {
    const tenant = await service.createTenant();
    const { id } = await create(tenant);
    for (const query of ['at=', 'at=x', 'at=-1', 'at=1.5', 'at=1&at=1']) {
      await readError(await service.fetch(tenant, `/v1/listings/${id}?${query}`), 400, 'invalid_query');
    }
  });
});

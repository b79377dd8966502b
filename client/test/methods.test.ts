import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../testkit/src/service.ts';
import { NotFoundError, NotModifiedError, VersionMismatchError } from '../src/index.ts';
import { connect, HOME } from './support/connect.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

describe('each method', () => {
  test('creates, retrieves, updates, and deletes a listing', async () => {
    const { client } = await connect(service);
    const created = await client.listings.create({ ...HOME, listPrice: 450_000 });
    assert.deepEqual(await client.listings.retrieve(created.id), created);
    const updated = await client.listings.update(
      created.id,
      { listPrice: null, beds: 4 },
      { ifMatch: created.version },
    );
    assert.deepEqual([updated.beds, updated.listPrice, updated.version], [4, undefined, 2]);
    assert.equal(await client.listings.delete(created.id), undefined);
    await assert.rejects(client.listings.retrieve(created.id), NotFoundError);
  });

  test('creates, replaces, changes, and deletes a listing by an external ID with any characters', async () => {
    const { client } = await connect(service);
    const externalId = 'MLS/20931?é#';
    const created = await client.listings.upsert(externalId, HOME, { ifNoneMatch: '*' });
    assert.equal(created.externalId, externalId);
    const replaced = await client.listings.upsert(externalId, { ...HOME, beds: 5 }, { ifMatch: '*' });
    assert.deepEqual(await client.listings.retrieveByExternalId(externalId), replaced);
    const updated = await client.listings.updateByExternalId(externalId, { beds: 6 }, { ifMatch: replaced.version });
    assert.deepEqual([updated.id, updated.beds, updated.version], [created.id, 6, 3]);
    await client.listings.deleteByExternalId(externalId);
    await assert.rejects(client.listings.retrieveByExternalId(externalId), NotFoundError);
  });

  test('lists by several values, ranges of dates, and distance', async () => {
    const { client } = await connect(service);
    const place = { latitude: 30.2672, longitude: -97.7431 };
    const create = (city: string) =>
      client.listings.create({ ...HOME, ...place, city, closePrice: 1, onMarketDate: '2026-11-22' });
    for (const city of ['Austin', 'Waco', 'Dallas']) await create(city);
    const { data } = await client.listings.list({
      'city[]': ['austin', 'Waco'],
      beds: [3, 4],
      closePrice: { lte: 1 },
      onMarketDate: { gte: '2026-11-22' },
      ...{ near: [30.2672, -97.7431], radius: '1km', sort: '-distance' },
      fields: ['city', 'distance'],
    });
    assert.deepEqual(data, [
      { city: 'Waco', distance: 0 },
      { city: 'Austin', distance: 0 },
    ]);
  });

  test('rejects an empty list of values, which would otherwise match every listing', async () => {
    const { client } = await connect(service);
    await client.listings.create(HOME);
    for (const query of [{ 'externalId[]': [] }, { 'city[]': [] }, { status: [] }, { beds: [] }, { fields: [] }]) {
      const list = client.listings.list(query);
      await assert.rejects(async () => list, { name: 'InvalidQueryError', status: 400 }, JSON.stringify(query));
      await assert.rejects(Array.fromAsync(list), { name: 'InvalidQueryError', status: 400 }, JSON.stringify(query));
    }
    await assert.rejects(async () => client.events.list({ type: [] }), { name: 'InvalidQueryError', status: 400 });
  });

  test('rejects an ID that would change the path', async () => {
    const { client } = await connect(service);
    for (const id of ['', '.', '..']) assert.throws(() => client.listings.delete(id), TypeError);
  });

  test('changes nothing if the version differs', async () => {
    const { client } = await connect(service);
    const { id } = await client.listings.create(HOME);
    await assert.rejects(client.listings.update(id, { beds: 9 }, { ifMatch: 7 }), (error) => {
      assert.ok(error instanceof VersionMismatchError);
      assert.deepEqual([error.status, error.code, error.currentVersion], [412, 'version_mismatch', 1]);
      return true;
    });
    assert.equal((await client.listings.retrieve(id)).beds, 3);
  });

  test('throws NotModifiedError if the version is current', async () => {
    const { client } = await connect(service);
    const { id, version } = await client.listings.create(HOME);
    await assert.rejects(client.listings.retrieve(id, { ifNoneMatch: version }), NotModifiedError);
  });

  test('me returns the account and the key', async () => {
    const { client } = await connect(service);
    const { account, key } = await client.me();
    assert.deepEqual([account.name, key.name, key.access], ['Hill Country Homes', 'Website', 'full']);
  });

  test('withResponse also returns the headers', async () => {
    const { client } = await connect(service);
    const { data, response } = await client.listings.create(HOME).withResponse();
    assert.deepEqual([response.status, response.headers.get('ETag'), data.beds], [201, '"1"', 3]);
  });

  test('lists events in order, after a sequence', async () => {
    const { client } = await connect(service);
    const { id } = await client.listings.create(HOME);
    await client.listings.delete(id);
    const { data, nextAfter } = await client.events.list({ after: 1, limit: 10 });
    assert.deepEqual([data.map(({ type }) => type), nextAfter], [['listing.deleted'], 2]);
  });

  test('list takes filters as objects and arrays, and returns the requested fields', async () => {
    const { client } = await connect(service);
    await client.listings.create({ ...HOME, status: 'closed' });
    const { id } = await client.listings.create({ ...HOME, beds: 5, latitude: 30.27, longitude: -97.74 });
    await client.listings.create({ ...HOME, beds: 9 });
    const page = await client.listings.list({
      status: ['active', 'pending'],
      beds: { gte: 4, lt: 9 },
      createdAt: { gte: new Date(0) },
      bbox: [-98, 30, -97, 31],
      fields: ['id', 'beds'],
      count: true,
    });
    assert.deepEqual([page.data, page.total, page.nextCursor], [[{ id, beds: 5 }], 1, null]);
  });
});

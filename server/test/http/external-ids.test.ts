import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, send } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';

const service = await startSharedService();

const at = (externalId: string) => `/listings/external/${encodeURIComponent(externalId)}`;
const put = (tenant: Tenant, externalId: string, body: unknown, headers: Record<string, string> = {}) =>
  send(service, tenant, 'PUT', at(externalId), body, headers);
const list = async (tenant: Tenant) => readList(await service.fetch(tenant, '/v1/listings'));

test('PUT creates a listing, then replaces all its fields', async () => {
  const tenant = await service.createTenant();
  const response = await put(tenant, 'MLS-1', { ...MINIMAL, city: 'Austin', status: 'hold' });
  const created = await readListing(response, 201);
  assert.equal(created.externalId, 'MLS-1');
  assert.equal(response.headers.get('location'), `/v1/listings/${created.id}`);
  const replaced = await readListing(await put(tenant, 'MLS-1', { ...MINIMAL, beds: 4 }));
  const { city: _, ...rest } = created;
  assert.deepEqual(replaced, { ...rest, beds: 4, status: 'active', version: 2, updatedAt: replaced.updatedAt });
  assert.deepEqual((await list(tenant)).data, [replaced]);
});

test('PUT with a number that a double cannot hold gets the issues of any other number', async () => {
  const tenant = await service.createTenant();
  const body = JSON.stringify({ ...MINIMAL, mlsNumber: 0 }).replace('0}', '12345678901234567890');
  const error = await readError(await put(tenant, 'MLS-1', `${body},"externalId":1e400}`), 422, 'validation_failed');
  assert.deepEqual(faultsOf(error), ['externalId: invalid_type', 'mlsNumber: unknown_field']);
  assert.deepEqual((await list(tenant)).data, []);
});

test('an identical PUT changes nothing', async () => {
  const tenant = await service.createTenant();
  const created = await readListing(await put(tenant, 'MLS-1', MINIMAL), 201);
  const response = await put(tenant, 'MLS-1', { ...MINIMAL, externalId: 'MLS-1', city: null });
  assert.equal(response.headers.get('etag'), '"1"');
  assert.deepEqual(await readListing(response), created);
  assert.equal((await list(tenant)).sequence, 1);
});

test('PATCH changes the listing with the id, if it has the wanted version', async () => {
  const tenant = await service.createTenant();
  const patch = (externalId: string, body: unknown, headers: Record<string, string> = {}) =>
    send(service, tenant, 'PATCH', at(externalId), body, headers);
  const created = await readListing(await put(tenant, 'MLS-1', { ...MINIMAL, city: 'Austin' }), 201);
  const response = await patch(' MLS-1 ', { city: null, beds: 4 }, { 'If-Match': '"1"' });
  const { city: _, ...rest } = created;
  const changed = await readListing(response);
  assert.deepEqual(changed, { ...rest, beds: 4, version: 2, updatedAt: changed.updatedAt });
  await readError(await patch('MLS-1', { beds: 5 }, { 'If-Match': '"1"' }), 412, 'version_mismatch');
  await readError(await patch('MLS-2', { beds: 5 }), 404, 'not_found');
  await put(tenant, 'MLS-3', MINIMAL);
  await readError(await patch('MLS-1', { externalId: 'MLS-3' }), 409, 'external_id_taken');
  assert.equal((await readListing(await patch('MLS-1', { externalId: 'MLS-2' }))).id, created.id);
  await readError(await patch('MLS-1', { beds: 5 }), 404, 'not_found');
  await readError(
    await send(service, await service.createTenant(), 'PATCH', at('MLS-2'), { beds: 5 }),
    404,
    'not_found',
  );
});

describe('any external id works in a path, percent-decoded once', () => {
  for (const externalId of [
    ...['a b', 'a/b', 'a%2Fb', '..a', 'ü', '株式会社', '🏠'.repeat(255), "'; drop table", 'external', '?#&='],
  ]) {
    test(externalId.slice(0, 20), async () => {
      const tenant = await service.createTenant();
      const created = await readListing(await put(tenant, externalId, MINIMAL), 201);
      assert.equal(created.externalId, externalId);
      assert.deepEqual(await readListing(await send(service, tenant, 'GET', at(externalId))), created);
      assert.equal((await send(service, tenant, 'DELETE', at(externalId))).status, 204);
      await readError(await send(service, tenant, 'GET', at(externalId)), 404, 'not_found');
    });
  }

  test('a decomposed or padded id identifies the same listing', async () => {
    const tenant = await service.createTenant();
    const created = await readListing(await put(tenant, 'Café', MINIMAL), 201);
    assert.deepEqual(await readListing(await send(service, tenant, 'GET', at(' Cafe\u0301 '))), created);
  });
});

describe('an invalid external id or body is rejected, and nothing is stored', () => {
  for (const [name, externalId, body, faults] of [
    ['256 characters', 'x'.repeat(256), MINIMAL, ['externalId: too_long']],
    ['a blank id', '  ', MINIMAL, ['externalId: blank']],
    ['a control character', 'a\u0007', MINIMAL, ['externalId: invalid_format']],
    ['another id in the body', 'a', { ...MINIMAL, externalId: 'b' }, ['externalId: inconsistent']],
    ['a number in the body', 'a', { ...MINIMAL, externalId: 1 }, ['externalId: invalid_type']],
    ['a blank id in the body', 'a', { ...MINIMAL, externalId: ' ' }, ['externalId: blank']],
    [
      'another id in the body, and other issues',
      'a',
      { ...MINIMAL, externalId: 'b', beds: 'x', latitude: 1 },
      ['beds: invalid_type', 'externalId: inconsistent', 'longitude: inconsistent'],
    ],
    ['a body that is not a listing', 'a', { beds: 1 }, ['address: required', 'baths: required']],
    ['an array', 'a', [], ['body: invalid_type']],
  ] as const) {
    test(name, async () => {
      const tenant = await service.createTenant();
      const error = await readError(await put(tenant, externalId, body), 422, 'validation_failed');
      assert.deepEqual(faultsOf(error), faults);
      assert.equal((await list(tenant)).sequence, 0);
    });
  }

  for (const path of [
    ...['/listings/external/%', '/listings/external/%ff', '/listings/external/', '/listings/external/a/b'],
  ]) {
    test(`${path} gets 404`, async () => {
      const tenant = await service.createTenant();
      await readError(await send(service, tenant, 'GET', path), 404, 'not_found');
    });
  }
});

test('GET by external id supports ETags', async () => {
  const tenant = await service.createTenant();
  await readListing(await put(tenant, 'MLS-1', MINIMAL), 201);
  const response = await send(service, tenant, 'GET', at('MLS-1'), undefined, { 'If-None-Match': '"1"' });
  assert.equal(response.status, 304);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post, send } from '../../../testkit/src/listings.ts';
import { readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';

const service = await startSharedService();

type Headers = Record<string, string>;
const MATCHED = 'matched';
const OTHER_VERSION = 'version_mismatch';
const OTHER_STATE = 'precondition_failed';

/** Conditions on a listing at version 2, and their outcomes. */
const ON_VERSION_2: [headers: Headers, outcome: string][] = [
  [{ 'If-Match': '"2"' }, MATCHED],
  [{ 'If-Match': '*' }, MATCHED],
  [{ 'If-Match': '"1", "2"' }, MATCHED],
  [{ 'If-Match': '"1" ,W/"2","2"' }, MATCHED],
  [{ 'If-None-Match': '"1"' }, MATCHED],
  [{ 'If-Match': '"2"', 'If-None-Match': '"3"' }, MATCHED],
  [{ 'If-Match': '"1"' }, OTHER_VERSION],
  [{ 'If-Match': 'W/"2"' }, OTHER_VERSION],
  [{ 'If-Match': '"02"' }, OTHER_VERSION],
  [{ 'If-None-Match': '"2"' }, OTHER_VERSION],
  [{ 'If-None-Match': 'W/"2"' }, OTHER_VERSION],
  [{ 'If-None-Match': '*' }, OTHER_STATE],
  [{ 'If-Match': '"2"', 'If-None-Match': '*' }, OTHER_STATE],
];

for (const [method, bodyOf] of [
  ['PATCH', () => ({ beds: 9 })],
  ['DELETE', () => undefined],
  ['PUT', () => ({ ...MINIMAL, beds: 9 })],
  ['DELETE by external id', () => undefined],
] as const) {
  describe(`${method} of a listing at version 2`, () => {
    for (const [headers, outcome] of ON_VERSION_2) {
      test(`${JSON.stringify(headers)}: ${outcome}`, async () => {
        const tenant = await service.createTenant();
        const { id } = await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'a' }), 201);
        const current = await readListing(await send(service, tenant, 'PATCH', `/listings/${id}`, { beds: 4 }));
        const isExternal = method === 'PUT' || method === 'DELETE by external id';
        const path = isExternal ? '/listings/external/a' : `/listings/${id}`;
        const [verb = ''] = method.split(' ');
        const response = await send(service, tenant, verb, path, bodyOf(), headers);
        const { sequence } = await readList(await service.fetch(tenant, '/v1/listings'));
        if (outcome === MATCHED) {
          assert.ok(response.ok);
          assert.equal(sequence, 3);
          return;
        }
        const error = await readError(response, 412, outcome);
        assert.equal(error.currentVersion, outcome === OTHER_VERSION ? 2 : undefined);
        assert.equal(sequence, 2);
        assert.deepEqual(await readListing(await service.fetch(tenant, `/v1/listings/${id}`)), current);
      });
    }
  });
}

test('the message of a version_mismatch is true, and says what to do', async () => {
  const tenant = await service.createTenant();
  const put = (externalId: string, headers: Headers) =>
    send(service, tenant, 'PUT', `/listings/external/${externalId}`, { ...MINIMAL, beds: 9 }, headers);
  assert.equal((await put('a', {})).status, 201);
  for (const [externalId, headers, message] of [
    ['a', { 'If-Match': '"9"' }, /^The listing has changed; read it again and send your change with the new ETag\.$/],
    ['a', { 'If-None-Match': '"1"' }, /has a version that If-None-Match excludes; leave out If-None-Match/],
    ['a', { 'If-Match': '"1"', 'If-None-Match': '"1"' }, /has a version that If-None-Match excludes/],
    ['b', { 'If-Match': '"1"' }, /^The listing does not exist; to create it, leave out If-Match\.$/],
  ] as [string, Headers, RegExp][]) {
    const error = await readError(await put(externalId, headers), 412, OTHER_VERSION);
    assert.match(error.message, message);
  }
});

describe('PUT of a new listing', () => {
  for (const [headers, status, code, currentVersion] of [
    [{ 'If-None-Match': '*' }, 201, '', undefined],
    [{ 'If-None-Match': '"1"' }, 201, '', undefined],
    [{ 'If-Match': '*' }, 412, OTHER_STATE, undefined],
    [{ 'If-Match': '"1"' }, 412, OTHER_VERSION, null],
  ] as const) {
    test(JSON.stringify(headers), async () => {
      const tenant = await service.createTenant();
      const response = await send(service, tenant, 'PUT', '/listings/external/a', MINIMAL, headers);
      if (status === 201) {
        assert.equal(response.status, status);
        return;
      }
      assert.equal((await readError(response, status, code)).currentVersion, currentVersion);
      assert.equal((await readList(await service.fetch(tenant, '/v1/listings'))).sequence, 0);
    });
  }
});

describe('an invalid condition gets 400, before the listing is looked up', () => {
  for (const value of ['2', '"2', '"2" "3"', '*, "2"', '', 'w/"2"']) {
    for (const name of ['If-Match', 'If-None-Match']) {
      test(`${name}: ${value}`, async () => {
        const tenant = await service.createTenant();
        for (const [method, path, body] of [
          ['PATCH', '/listings/lst_0', {}],
          ['DELETE', '/listings/lst_0'],
          ['PUT', '/listings/external/a', MINIMAL],
        ] as const) {
          const response = await send(service, tenant, method, path, body, { [name]: value });
          await readError(response, 400, 'invalid_header');
        }
      });
    }
  }
});

describe('the first failed check decides the error', () => {
  const rows: [name: string, path: string, body: unknown, headers: Headers, status: number, code: string][] = [
    ['404 before 412', '/listings/lst_0', {}, { 'If-Match': '"1"' }, 404, 'not_found'],
    ['404 before 422', '/listings/lst_0', { beds: 'x' }, {}, 404, 'not_found'],
    ['412 before 422', '/listings/{id}', { beds: 'x' }, { 'If-Match': '"9"' }, 412, OTHER_VERSION],
    ['JSON before 404', '/listings/lst_0', '{', {}, 400, 'invalid_json'],
    ['422 before 409', '/listings/{id}', { beds: 'x', externalId: 'taken' }, {}, 422, 'validation_failed'],
  ];
  for (const [name, path, body, headers, status, code] of rows) {
    test(name, async () => {
      const tenant = await service.createTenant();
      await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'taken' }), 201);
      const { id } = await readListing(await post(service, tenant, MINIMAL), 201);
      const response = await send(service, tenant, 'PATCH', path.replace('{id}', id), body, headers);
      await readError(response, status, code);
    });
  }
});

test('of two changes with the same If-Match exactly one succeeds', async () => {
  const tenant = await service.createTenant();
  const { id } = await readListing(await post(service, tenant, MINIMAL), 201);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, beds) =>
      send(service, tenant, 'PATCH', `/listings/${id}`, { beds: beds + 10 }, { 'If-Match': '"1"' }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(19).fill(412)]);
  assert.equal((await readListing(await service.fetch(tenant, `/v1/listings/${id}`))).version, 2);
});

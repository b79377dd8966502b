import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill } from '../../../testkit/src/listings.ts';
import { readError, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
const [id = ''] = await fill(service, tenant, 1);

const retrieve = (ifNoneMatch?: string, path = `/v1/listings/${id}`) =>
  service.fetch(tenant, path, ifNoneMatch === undefined ? {} : { headers: { 'If-None-Match': ifNoneMatch } });

describe('a listing has its version as a strong ETag', () => {
  for (const given of ['"1"', 'W/"1"', '"0", "1"', '"a,b" , W/"1"', '*', ' "1" ']) {
    test(`If-None-Match: ${given} gets 304 without a body`, async () => {
      const response = await retrieve(given);
      assert.deepEqual([response.status, await response.text()], [304, '']);
      assert.equal(response.headers.get('etag'), '"1"');
      assert.equal(response.headers.get('content-type'), null);
      assert.equal(response.headers.get('cache-control'), 'private, no-cache');
    });
  }
  for (const given of [undefined, '"2"', 'W/"2"', '""', '"11"', '"*"', '"0","2"']) {
    test(`If-None-Match: ${given} gets the listing`, async () => {
      const response = await retrieve(given);
      assert.equal(response.headers.get('etag'), '"1"');
      assert.equal((await readListing(response)).id, id);
    });
  }
  for (const given of ['1', 'nonsense', '"1', "'1'", 'w/"1"', '"1" "2"', '"1",', ', "1"', '"1", *', '']) {
    test(`If-None-Match: ${given} is rejected as invalid`, async () => {
      await readError(await retrieve(given), 400, 'invalid_header');
    });
  }

  test('an invalid If-None-Match is rejected before the listing is looked up', async () => {
    await readError(await retrieve('nonsense', '/v1/listings/lst_0'), 400, 'invalid_header');
  });

  test('an unknown id gets 404, whatever If-None-Match says', async () => {
    await readError(await retrieve('*', '/v1/listings/lst_0'), 404, 'not_found');
  });
});

describe("unknown ids and other accounts' ids get 404", () => {
  const unknown = [
    ...['lst_00000000000000000000000000', id.toUpperCase(), id.slice(0, -1), `${id}0`, `${id}%00`, `%20${id}`],
    ...[id.slice(4), '%', '%E0%A4%A', '%2e%2e%2f', "'%20or%201=1--", 'x'.repeat(5000), '__proto__'],
  ];
  for (const given of unknown) {
    test(given.slice(0, 50), async () => {
      await readError(await retrieve(undefined, `/v1/listings/${given}`), 404, 'not_found');
    });
  }

  test("another account's id gets the same bytes as an unknown one", async () => {
    const other = await service.createTenant();
    const replies = [id, 'lst_00000000000000000000000000'].map(async (given) => {
      const response = await service.fetch(other, `/v1/listings/${given}`);
      const requestId = response.headers.get('x-request-id') ?? '';
      const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
      return { status: response.status, headers, body: (await response.text()).replace(requestId, '') };
    });
    const [foreign, unknownReply] = await Promise.all(replies);
    assert.equal(foreign?.status, 404);
    assert.deepEqual(foreign, unknownReply);
  });
});

test('a parameter on a single listing is rejected', async () => {
  await readError(await retrieve(undefined, `/v1/listings/${id}?fields=id`), 400, 'unknown_parameter');
});

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { ApiError, ExternalIdTakenError, PropertyListings, UnauthorizedError } from '../src/index.ts';
import { clientOf, connect, HOME } from './support/connect.ts';

const FAULT = { field: 'beds', code: 'out_of_range', message: 'Must be at least 0.' };

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

describe('an error', () => {
  test('says why the key was rejected', async () => {
    const stranger = clientOf(generateSecret(), service.url);
    await assert.rejects(stranger.me(), (error) => {
      assert.ok(error instanceof UnauthorizedError);
      assert.match(error.message, /^Invalid or missing API key: There is no such API key; it may have been deleted$/);
      return true;
    });
  });

  test('names each invalid field in its message', async () => {
    const { client } = await connect(service);
    await assert.rejects(client.listings.create({ address: '', beds: -1, baths: 2 }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.summary, '2 fields are not valid; see details.');
      const faults = error.details.map(({ field, message }) => `${field}: ${message}`);
      assert.equal(faults.length, 2);
      assert.equal(error.message, [error.summary, ...faults].join(' '));
      return true;
    });
  });

  test('names a single issue once', async () => {
    const { client } = await connect(service);
    await assert.rejects(client.listings.create({ ...HOME, beds: -1 }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.message.split(error.details[0]?.message ?? '-').length, 2);
      return true;
    });
  });

  test('names the row of each issue in an import', async () => {
    const { client } = await connect(service);
    const rows = [HOME, { ...HOME, beds: -1 }, { ...HOME, baths: -1 }];
    await assert.rejects(client.imports.create(rows, { atomic: true }), /line 2: beds: .* line 3: baths: /);
  });

  test('names the first of many issues, and counts the others', () => {
    const details = Array.from({ length: 100 }, (_, index) => ({ ...FAULT, field: `photos[${index}].url` }));
    const { message } = new ApiError(422, 'validation_failed', '100 fields are not valid.', { details });
    assert.match(message, /photos\[4\]\.url: Must be at least 0\. And 95 more\.$/);
    assert.doesNotMatch(message, /photos\[5\]/);
  });

  test('never contains a key, even if the response does', async () => {
    const key = generateSecret();
    const details = [{ field: key, code: key, message: key }];
    const replies = [
      Response.json({ error: { code: 'unauthorized', message: 'No.', details } }, { status: 401 }),
      Response.json(
        { error: { code: 'unauthorized', message: 'No.' } },
        { status: 401, headers: { 'WWW-Authenticate': `Bearer error_description="not ${key}"` } },
      ),
    ];
    for (const reply of replies) {
      const client = clientOf(key, 'http://127.0.0.1:9', { fetch: async () => reply });
      await assert.rejects(client.me(), (error) => {
        assert.ok(error instanceof UnauthorizedError);
        assert.match(error.message, /^No\.:? .*plk_…/);
        assert.ok(!inspect(error).includes(key));
        return true;
      });
    }
  });

  test('tolerates malformed details', async () => {
    for (const details of ['many', [null], [7], [{}], {}]) {
      const fetch = async () =>
        Response.json({ error: { code: 'conflict', message: 'No.', details } }, { status: 409 });
      const client = new PropertyListings({ apiKey: generateSecret(), baseUrl: 'http://127.0.0.1:9/v1', fetch });
      await assert.rejects(client.me(), { name: 'ApiError', code: 'unexpected_reply', status: 409 });
    }
  });

  test('has the ID of the listing with the same external ID', async () => {
    const { client } = await connect(service);
    const { id } = await client.listings.create({ ...HOME, externalId: 'A' });
    await assert.rejects(client.listings.create({ ...HOME, externalId: 'A' }), (error) => {
      assert.ok(error instanceof ExternalIdTakenError);
      assert.equal(error.listingId, id);
      return true;
    });
  });
});

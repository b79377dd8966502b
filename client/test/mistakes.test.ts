import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { ConfigurationError, PropertyListings } from '../src/index.ts';
import { HOME } from './support/connect.ts';

const apiKey = generateSecret();
const baseUrl = 'http://127.0.0.1:9/v1';
let requests = 0;
const fetch = async () => {
  requests += 1;
  return Response.json({});
};
const client = new PropertyListings({ apiKey, baseUrl, fetch });

/** Calls a method with any arguments, as plain JavaScript can. */
function call(target: object, name: string, ...given: unknown[]): unknown {
  return Reflect.apply(Reflect.get(target, name), target, given);
}

describe('before any request, the client rejects', () => {
  const { listings, imports } = client;

  test('an unknown option, and lists the known ones', async () => {
    const make = () => Reflect.construct(PropertyListings, [{ apiKey, baseUrl, timeout: 5 }]);
    assert.throws(make, { name: 'ConfigurationError', message: /Unknown option timeout\. .*timeoutMs/ });
    const calls = [
      () => call(client, 'me', { timeout: 5 }),
      () => call(listings, 'create', HOME, { idempotencyKeys: 'a' }),
      () => call(listings, 'list', {}, { retries: 1 }),
      () => call(imports, 'create', [HOME], { dryrun: true }),
    ];
    for (const begin of calls) await assert.rejects(async () => begin(), ConfigurationError);
    const secret = { [apiKey]: 1 };
    await assert.rejects(
      async () => call(client, 'me', secret),
      (error) => !inspect(error).includes(apiKey),
    );
    assert.equal(requests, 0);
  });

  test('a listing or a patch that is not an object', () => {
    const wrong = [
      () => call(listings, 'create'),
      () => call(listings, 'create', JSON.stringify(HOME)),
      () => call(listings, 'update', 'lst_1', null),
      () => call(listings, 'upsert', 'MLS-1'),
    ];
    for (const begin of wrong) assert.throws(begin, { name: 'TypeError', message: /as an object/ });
    assert.equal(requests, 0);
  });

  test('a file name instead of content', () => {
    for (const name of ['listings.csv', '/home/me/listings.ndjson.gz']) {
      for (const options of [{}, { format: 'csv' }, { format: 'ndjson', atomic: true }]) {
        assert.throws(() => call(imports, 'create', name, options), { name: 'TypeError', message: /no line break/ });
      }
    }
    assert.equal(requests, 0);
  });

  test('a source that is a single row or missing', () => {
    for (const source of [HOME, undefined, null, 7]) {
      assert.throws(() => call(imports, 'create', source), {
        name: 'TypeError',
        message: /pass a single row as \[row\]/,
      });
    }
    assert.equal(requests, 0);
  });

  test('a file of unknown format', () => {
    const csv = 'address,beds,baths\na,1,1\n';
    const files = [csv, new Blob([csv]), new Blob([csv], { type: 'text/plain' }), new File([csv], 'listings.txt')];
    for (const file of files) {
      assert.throws(() => imports.create(file), { name: 'TypeError', message: /Set format/ });
    }
    assert.equal(requests, 0);
  });
});

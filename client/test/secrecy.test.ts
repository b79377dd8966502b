import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { ApiError, PropertyListings } from '../src/index.ts';

const KEY = generateSecret();
/** The key without its first eight characters, which are public. */
const SECRET = KEY.slice(8);

/** All text that printing or serializing a value can reveal. */
function everythingOf(value: unknown): string {
  const error = value instanceof Error ? `${value.stack} ${value.message} ${value}` : '';
  return inspect(value, { showHidden: true, depth: Infinity, getters: true }) + JSON.stringify(value) + error;
}

function clientWith(fetch: (url: string, init: RequestInit) => Promise<Response>): PropertyListings {
  return new PropertyListings({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9/v1', fetch, maxRetries: 0 });
}

describe('the key never appears', () => {
  test('in the client and its parts', () => {
    const client = new PropertyListings({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9/v1' });
    const list = client.listings.list({ status: 'active' });
    for (const part of [client, client.listings, client.imports, client.events, list, list.pages()]) {
      assert.ok(!everythingOf(part).includes(SECRET));
    }
  });

  test('in a connection error, whatever a custom fetch attaches', async () => {
    const failures = [
      (init: RequestInit) => Object.assign(new Error(`no way with Bearer ${KEY}`), { init }),
      (init: RequestInit) => new TypeError('fetch failed', { cause: Object.assign(new Error(KEY), { request: init }) }),
      (init: RequestInit) => new TypeError('fetch failed', { cause: { code: KEY, init } }),
      () => KEY,
    ];
    for (const failure of failures) {
      const client = clientWith(async (_, init) => {
        throw failure(init);
      });
      await assert.rejects(client.me(), (error) => {
        assert.equal(Object(error).code, 'connection_failed');
        assert.ok(!everythingOf(error).includes(SECRET), inspect(error));
        return true;
      });
    }
  });

  test("in an error of the platform's fetch", async () => {
    const client = new PropertyListings({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 0 });
    await assert.rejects(client.me(), (error) => {
      assert.match(String(error), /ConnectionError: .*failed/);
      assert.ok(!everythingOf(error).includes(SECRET));
      return true;
    });
  });

  test('in an error response that echoes the request', async () => {
    const echo = { error: { code: `no ${KEY}`, message: `Bearer ${KEY}?`, [KEY]: [KEY], requestId: KEY } };
    for (const status of [400, 401, 500, 599]) {
      const client = clientWith(async () => Response.json(echo, { status }));
      await assert.rejects(client.me(), (error) => {
        assert.ok(error instanceof ApiError);
        assert.ok(!everythingOf(error).includes(SECRET), inspect(error));
        return true;
      });
    }
  });

  test('in a log: the client writes none', async (t) => {
    const writes = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
    const mocks = writes.map((name) => t.mock.method(console, name, () => {}));
    const client = clientWith(async () => new Response('<h1>', { status: 500 }));
    await assert.rejects(client.me({ maxRetries: 1 }));
    assert.deepEqual(
      mocks.map(({ mock }) => mock.callCount()),
      writes.map(() => 0),
    );
  });
});

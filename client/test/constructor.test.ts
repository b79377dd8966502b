import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { defer } from '../../testkit/src/cleanup.ts';
import { type ClientOptions, ConfigurationError, PropertyListings } from '../src/index.ts';

const KEY = generateSecret();
const OTHER_KEY = generateSecret();
const BASE_URL = 'http://127.0.0.1:3000/v1';
const VARIABLES = { key: 'PROPERTY_LISTINGS_API_KEY', url: 'PROPERTY_LISTINGS_BASE_URL' };

/** The URL and the key of the first request; nothing is sent. */
async function firstRequest(options: ClientOptions): Promise<{ url: string; authorization: string | null }> {
  let sent = { url: '', authorization: null as string | null };
  const fetch = async (url: string, init: RequestInit) => {
    sent = { url, authorization: new Headers(init.headers).get('Authorization') };
    return Response.json({});
  };
  await new PropertyListings({ fetch, ...options }).me();
  return sent;
}

describe('a new client', () => {
  afterEach(() => {
    for (const name of Object.values(VARIABLES)) delete process.env[name];
    for (const name of ['window', 'document']) Reflect.deleteProperty(globalThis, name);
  });

  test('takes key and base URL from its options or the environment', async () => {
    process.env[VARIABLES.key] = KEY;
    process.env[VARIABLES.url] = BASE_URL;
    assert.deepEqual(await firstRequest({}), { url: `${BASE_URL}/me`, authorization: `Bearer ${KEY}` });
    const given = { apiKey: OTHER_KEY, baseUrl: 'https://example.com/api/v1/' };
    const expected = { url: 'https://example.com/api/v1/me', authorization: `Bearer ${OTHER_KEY}` };
    assert.deepEqual(await firstRequest(given), expected);
  });

  test('ignores empty variables', () => {
    process.env[VARIABLES.key] = '';
    process.env[VARIABLES.url] = '';
    assert.throws(() => new PropertyListings({ baseUrl: BASE_URL }), /Missing API key: .*PROPERTY_LISTINGS_API_KEY/);
    assert.throws(() => new PropertyListings({ apiKey: KEY }), /Missing base URL: .*PROPERTY_LISTINGS_BASE_URL/);
  });

  test('accepts slashes at the end of the base URL', async () => {
    for (const end of ['', '/', '//']) {
      assert.equal((await firstRequest({ apiKey: KEY, baseUrl: BASE_URL + end })).url, `${BASE_URL}/me`);
    }
  });

  test('rejects a malformed base URL without quoting it', () => {
    const wrong = [
      '',
      'listings',
      'http://127.0.0.1:3000',
      'ftp://x/v1',
      'http://127.0.0.1:port/v1',
      'http://[::1/v1',
      `http://u:${KEY}@x/v1`,
      `${BASE_URL}?key=${KEY}`,
    ];
    for (const baseUrl of wrong) {
      assert.throws(
        () => new PropertyListings({ apiKey: KEY, baseUrl }),
        (error) => {
          assert.ok(error instanceof ConfigurationError);
          assert.match(error.message, /must look like https:\/\/listings\.example\.com\/v1/);
          assert.ok(!inspect(error).includes(KEY));
          return true;
        },
      );
    }
  });

  test('rejects a malformed key before any request, without quoting it', () => {
    const swapped = KEY.slice(0, 20) + (KEY[20] === 'a' ? 'b' : 'a') + KEY.slice(21);
    for (const apiKey of ['', KEY.slice(1), KEY.slice(0, -1), `${KEY}\n`, swapped, `Bearer ${KEY}`]) {
      const fetch = () => assert.fail('a request was sent');
      assert.throws(
        () => new PropertyListings({ apiKey, baseUrl: BASE_URL, fetch }),
        (error) => {
          assert.ok(error instanceof ConfigurationError);
          assert.equal(error.code, 'invalid_configuration');
          assert.ok(!inspect(error, { showHidden: true, depth: Infinity }).includes(KEY.slice(5, 15)));
          return true;
        },
      );
    }
    assert.throws(
      () => new PropertyListings({ apiKey: swapped, baseUrl: BASE_URL }),
      /checksum does not match; copy it again/,
    );
  });

  test('rejects browser pages unless allowed, and says why', () => {
    Object.assign(globalThis, { window: globalThis, document: {} });
    const options = { apiKey: KEY, baseUrl: BASE_URL };
    assert.throws(() => new PropertyListings(options), /does not belong in client-side code.*dangerouslyAllowBrowser/);
    assert.throws(() => new PropertyListings({ ...options, dangerouslyAllowBrowser: false }), ConfigurationError);
    assert.ok(new PropertyListings({ ...options, dangerouslyAllowBrowser: true }));
  });

  test('rejects workers of browser pages, but not of servers', (t) => {
    const { navigator } = globalThis;
    const options = { apiKey: KEY, baseUrl: BASE_URL };
    const nameBrowser = (userAgent?: string) =>
      Object.defineProperty(globalThis, 'navigator', { value: { userAgent }, configurable: true });
    defer(t, () => Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true }));
    defer(t, () => Reflect.deleteProperty(globalThis, 'WorkerGlobalScope'));
    Object.assign(globalThis, { WorkerGlobalScope: class {} });
    nameBrowser('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0');
    assert.throws(() => new PropertyListings(options), /does not belong in client-side code/);
    for (const server of ['Cloudflare-Workers', 'Deno/2.5.0', undefined]) {
      nameBrowser(server);
      assert.ok(new PropertyListings(options));
    }
  });

  test('rejects limits out of range', () => {
    for (const wrong of [{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { maxRetries: -1 }, { maxRetries: Number.NaN }]) {
      assert.throws(() => new PropertyListings({ apiKey: KEY, baseUrl: BASE_URL, ...wrong }), ConfigurationError);
    }
  });

  test('accepts infinite limits', async () => {
    assert.ok(await firstRequest({ apiKey: KEY, baseUrl: BASE_URL, timeoutMs: Infinity, maxRetries: Infinity }));
  });

  test('works without a process or without access to its environment', async () => {
    const { process } = globalThis;
    const forbidden = {
      get env(): never {
        throw new Error('Requires env access');
      },
    };
    for (const other of [undefined, {}, forbidden]) {
      Object.defineProperty(globalThis, 'process', { value: other, configurable: true, writable: true });
      try {
        assert.throws(() => new PropertyListings(), /Missing API key/);
        assert.ok(new PropertyListings({ apiKey: KEY, baseUrl: BASE_URL }));
      } finally {
        Object.defineProperty(globalThis, 'process', { value: process, configurable: true, writable: true });
      }
    }
  });
});

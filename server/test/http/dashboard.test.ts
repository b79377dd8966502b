import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { defer } from '../../../testkit/src/cleanup.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';

const service = await startSharedService();

const PATHS = [
  '/',
  '/sign-in',
  '/setup',
  '/listings',
  '/listings/lst_x',
  '/feeds/mls/runs/frn_x',
  '/developers/webhooks',
];

async function getPage(path: string) {
  const response = await fetch(service.url + path, { headers: { Accept: 'text/html' } });
  assert.equal(response.status, 200);
  return { response, html: await response.text() };
}

function policyOf(response: Response): Map<string, string> {
  const directives = (response.headers.get('content-security-policy') ?? '').split('; ');
  return new Map(directives.map((text) => [text.split(' ')[0] ?? '', text.split(' ').slice(1).join(' ')]));
}

/** Unlike `fetch`, does not decompress responses or set Sec-Fetch headers. */
function getRaw(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(service.url + path, { headers, agent: false }, resolve).on('error', reject);
  });
}

describe('the dashboard', () => {
  for (const path of PATHS) {
    test(`${path} is the page, so reloads and the back button work`, async () => {
      const { response, html } = await getPage(path);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(html, /<div id="root">/);
    });
  }

  test('allows only its own scripts, no frames, and no referrer to other sites', async () => {
    const { response, html } = await getPage('/');
    const policy = policyOf(response);
    assert.equal(policy.get('script-src'), "'self'");
    assert.equal(policy.get('default-src'), "'none'");
    assert.equal(policy.get('frame-ancestors'), "'none'");
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'same-origin');
    assert.doesNotMatch(html, /<script(?![^>]* src="\/assets\/)/);
    assert.doesNotMatch(html, /https?:\/\//);
  });

  test('allows map images from the host that the operator configures, and no other text in the page', async (t) => {
    const url = 'http://{s}.tiles.example.com:8080/{z}/{x}/{y}.png?a="b"';
    const withTiles = await startTestService({ mapTiles: { url, attribution: '"><script>$&' } });
    defer(t, () => withTiles[Symbol.asyncDispose]());
    for (const path of ['/', '/listings', '/lost']) {
      const headers = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' };
      const response = await fetch(withTiles.url + path, { headers });
      assert.equal(policyOf(response).get('img-src'), "'self' data: https: http://*.tiles.example.com:8080");
      const [, content, attribution] =
        /<meta name="map-tiles" content="([^"]*)" data-attribution="([^"]*)"><\/head>/.exec(await response.text()) ??
        [];
      assert.equal(content, 'http://{s}.tiles.example.com:8080/{z}/{x}/{y}.png?a=&quot;b&quot;');
      assert.equal(attribution, '&quot;&gt;&lt;script&gt;$&amp;');
    }
    assert.doesNotMatch((await getPage('/')).html, /map-tiles/);
  });

  test('isolates its window only where the browser trusts the origin', async () => {
    const policies = await Promise.all(
      [{ 'Sec-Fetch-Dest': 'document' }, {}].map(async (headers) => {
        const reply = await getRaw('/', headers);
        reply.resume();
        return reply.headers['cross-origin-opener-policy'];
      }),
    );
    // Over plain HTTP, a browser sends no Sec-Fetch header and would warn about the policy.
    assert.deepEqual(policies, ['same-origin', undefined]);
  });

  test('styles carry a new nonce in every response', async () => {
    const [first, second] = await Promise.all([getPage('/'), getPage('/')]);
    const nonces = [first, second].map(({ response, html }) => {
      const nonce = /'nonce-([^']+)'/.exec(policyOf(response).get('style-src') ?? '')?.[1] ?? '';
      assert.match(nonce, /^[A-Za-z0-9+/]{22}==$/);
      assert.ok(html.includes(`nonce="${nonce}"`));
      return nonce;
    });
    assert.notEqual(nonces[0], nonces[1]);
  });

  test('its files are immutable in caches and compressed', async () => {
    const { html } = await getPage('/');
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? [];
    const plain = await buffer(await getRaw(script, { 'Accept-Encoding': 'identity' }));
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const reply = await getRaw(script, { 'Accept-Encoding': encoding });
      assert.equal(reply.headers['content-encoding'], encoding);
      assert.equal(reply.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(reply.headers.vary, 'Accept-Encoding');
      assert.ok(unpack(await buffer(reply)).equals(plain));
    }
  });

  test('a missing file gets 404, even with dots in its path', async () => {
    for (const path of ['/assets/nothing.js', '/assets/..%2Findex.html', '/assets/%2e%2e%2f%2e%2e%2fpackage.json']) {
      await readError(await fetch(service.url + path), 404, 'not_found');
    }
  });

  test('an unknown path gets 404 in JSON', async () => {
    await readError(await fetch(`${service.url}/nothing`, { headers: { Accept: 'text/html' } }), 404, 'not_found');
  });

  test('shows its own 404 page to browsers, except below API and asset paths', async () => {
    for (const [path, status, type] of [
      ['/nothing', 404, 'text/html; charset=utf-8'],
      ['/v1/nothing', 401, 'application/json'],
      ['/admin/nothing', 401, 'application/json'],
      ['/docs/errors/nothing', 404, 'application/json'],
      ['/assets/nothing.js', 404, 'application/json'],
    ] as const) {
      const reply = await getRaw(path, { 'Sec-Fetch-Dest': 'document' });
      reply.resume();
      assert.deepEqual([reply.statusCode, reply.headers['content-type']], [status, type], path);
    }
  });

  test('/admin redirects browsers to the dashboard; programs get 404', async () => {
    const headers = { Accept: 'text/html,application/xhtml+xml' };
    for (const path of ['/admin', '/admin/']) {
      const response = await fetch(service.url + path, { headers, redirect: 'manual' });
      assert.deepEqual([response.status, response.headers.get('location')], [302, '/']);
    }
    await readError(await fetch(`${service.url}/admin`), 404, 'not_found');
    assert.equal((await fetch(`${service.url}/admin/listings`, { headers })).status, 401);
  });
});

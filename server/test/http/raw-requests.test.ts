import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { MINIMAL } from '../support/listings.ts';
import { openRaw, type RawReply, sendRaw } from '../support/raw.ts';
import { readList } from '../support/replies.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const tenant = await service.createTenant();
const KEY = `Authorization: Bearer ${tenant.key}\r\n`;
const BODY = JSON.stringify(MINIMAL);
const POST = `POST /v1/listings HTTP/1.1\r\nHost: localhost\r\n${KEY}Content-Type: application/json\r\n`;

afterEach(async () => {
  assert.equal((await fetch(`${service.url}/livez`)).status, 200, 'the service does not answer any more');
});

const send = (request: string) => sendRaw(service.url, request);
const countListings = async () => (await readList(await service.fetch(tenant, '/v1/listings'))).data.length;

function assertError(reply: RawReply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.headers['content-type']], [status, 'application/json'], reply.body);
  const { error } = JSON.parse(reply.body);
  assert.deepEqual([error.code, error.requestId], [code, reply.headers['x-request-id']]);
  assert.match(error.message, /^[A-Z].*\.$/);
}

describe('a request that two readers could understand differently is refused, and its connection closed', () => {
  const get = (lines: string) => `GET /v1/me HTTP/1.1\r\n${KEY}${lines}\r\n`;
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const requests: [name: string, request: string][] = [
    ['two Host lines', get('Host: localhost\r\nHost: localhost\r\n')],
    ['two different Host lines', get('Host: localhost\r\nhost: example.com\r\n')],
    ['no Host', get('')],
    ['an empty Host', get('Host:\r\n')],
    ['a Host with a space', get('Host: a b\r\n')],
    ['a Host with a path', get('Host: localhost/x\r\n')],
    ['a Host with a user', get('Host: user@localhost\r\n')],
    ['a list of Hosts', get('Host: a, b\r\n')],
    ['a Host beyond ASCII', get('Host: \xe9\r\n')],
    ['a Host with an escape', get('Host: %6cocalhost\r\n')],
    ['a Host with half an address', get('Host: [::1\r\n')],
    ['a Host with words for a port', get('Host: localhost:http\r\n')],
    ['a Host with a port that cannot be', get('Host: localhost:99999\r\n')],
    ['a Host with an address that cannot be', get('Host: 256.256.256.256\r\n').replace('/me', '/me?a="b"')],
    ['HTTP/1.0 with chunks', `POST /v1/listings HTTP/1.0\r\n${KEY}${chunked}\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['a length and chunks', `${POST}Content-Length: 5\r\n${chunked}\r\n0\r\n\r\n`],
    ['chunks and a length', `${POST}${chunked}Content-Length: 5\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${POST}Content-Length: ${BODY.length}\r\nContent-Length: 5\r\n\r\n${BODY}`],
    ['two lengths in one line', `${POST}Content-Length: 5, 5\r\n\r\n{"a":`],
    ['a negative length', `${POST}Content-Length: -1\r\n\r\n`],
    ['a length with a sign', `${POST}Content-Length: +${BODY.length}\r\n\r\n${BODY}`],
    ['a transfer coding that is not chunked', `${POST}Transfer-Encoding: gzip\r\n\r\n${BODY}`],
    ['a transfer coding besides chunked', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['chunked twice', `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size that is no number', `${POST}${chunked}\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', `${POST}${chunked}\r\n1\r\n{}\r\n0\r\n\r\n`],
    ['a folded header', get('Host: localhost\r\nX-Note: a\r\n b\r\n')],
    ['a space before the colon', get('Host: localhost\r\nX-Note : a\r\n')],
    ['a header without a name', get('Host: localhost\r\n: a\r\n')],
    ['NUL in a header', get('Host: localhost\r\nX-Note: a\0b\r\n')],
    ['a bare CR in a header', get('Host: localhost\r\nX-Note: a\rb\r\n')],
    ['a tab in the path', get('Host: localhost\r\n').replace('/v1/me', '/v1/.\t./livez')],
    ['bytes beyond ASCII in the path', get('Host: localhost\r\n').replace('/v1/me', '/v1/\xe9')],
    ['an unknown method', get('Host: localhost\r\n').replace('GET', 'FETCH')],
    ['a method in small letters', get('Host: localhost\r\n').replace('GET', 'get')],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ];
  for (const [name, request] of requests) {
    test(name, async () => {
      using connection = await openRaw(service.url);
      connection.send(request);
      const reply = await connection.readReply();
      assertError(reply, 400, 'invalid_header');
      assert.equal(reply.headers.connection, 'close');
      assert.equal(await connection.readToEnd(), '');
      assert.equal(await countListings(), 0);
    });
  }

  test('its reply has the headers of every reply', async () => {
    for (const request of [get(''), get('Host: a\r\n: a\r\n')]) {
      const { headers } = await send(request);
      assert.equal(headers['cache-control'], 'private, no-cache');
      assert.equal(headers.vary, 'Authorization, Accept, Accept-Encoding');
    }
  });

  test('its request id is in the log', async () => {
    for (const request of [get(''), get('Host: a\r\n: a\r\n')]) {
      const { headers } = await send(request);
      const id = headers['x-request-id'] ?? '';
      await until('it is logged', () => service.logLines.some((line) => line.includes(id)), 5_000);
    }
  });
});

describe('headers up to 16 KiB are read, more is 431', () => {
  const withHeader = (length: number) =>
    send(`GET /livez HTTP/1.1\r\nHost: a\r\nX-Note: ${'x'.repeat(length)}\r\n\r\n`);
  test('15 KiB', async () => assert.equal((await withHeader(15 * 1024)).status, 200));
  test('17 KiB', async () => assertError(await withHeader(17 * 1024), 431, 'headers_too_large'));
  test('1 MiB', async () => assertError(await withHeader(1024 * 1024), 431, 'headers_too_large'));
  test('a path of 17 KiB', async () => {
    const reply = await send(`GET /v1/${'x'.repeat(17 * 1024)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    assertError(reply, 431, 'headers_too_large');
  });
  test('2,000 short headers, the key behind them all', async () => {
    const reply = await send(`GET /v1/me HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(2000)}${KEY}\r\n`);
    assert.equal(reply.status, 200);
  });
});

describe('what is unusual but clear is answered', () => {
  const requests: [name: string, request: string][] = [
    ['HTTP/1.0', `GET /v1/me HTTP/1.0\r\n${KEY}\r\n`],
    ['HTTP/1.0 with a Host', `GET /v1/me HTTP/1.0\r\nHost: localhost\r\n${KEY}\r\n`],
    ['a target in absolute form', `GET http://localhost/v1/me HTTP/1.1\r\nHost: localhost\r\n${KEY}\r\n`],
    ['a target of another host', `GET https://listings.example:8443/v1/me HTTP/1.1\r\nHost: a\r\n${KEY}\r\n`],
    ['a Host in capitals with a port', `GET /v1/me HTTP/1.1\r\nHost: LISTINGS.Example:80\r\n${KEY}\r\n`],
    ['an IPv6 Host', `GET /v1/me HTTP/1.1\r\nHost: [::1]:3000\r\n${KEY}\r\n`],
    ['a __proto__ header', `GET /v1/me HTTP/1.1\r\nHost: a\r\n__proto__: x\r\nconstructor: y\r\n${KEY}\r\n`],
    ['a wish to upgrade', `GET /v1/me HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${KEY}\r\n`],
    ['an expectation that nobody knows', `GET /v1/me HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n${KEY}\r\n`],
    ['a body with GET', `GET /v1/me HTTP/1.1\r\nHost: a\r\n${KEY}Content-Length: 2\r\n\r\n{}`],
    ['an empty query', `GET /v1/me? HTTP/1.1\r\nHost: a\r\n${KEY}\r\n`],
    ['empty lines before it', `\r\n\r\nGET /v1/me HTTP/1.1\r\nHost: a\r\n${KEY}\r\n`],
  ];
  for (const [name, request] of requests) {
    test(name, async () => {
      const reply = await send(request);
      assert.equal(reply.status, 200, reply.body);
      assert.equal(JSON.parse(reply.body).account.id, tenant.accountId);
    });
  }
});

describe('a path is never answered as the one it could be tidied up to', () => {
  const below = [
    ...['/v1/../livez', '/v1/%2e%2e/livez', '/v1/.%2E/livez', '/v1/./listings', '/v1/listings/.', '/v1/x/../listings'],
    ...[
      '/v1/\\../livez',
      '/v1/listings\\..',
      '/v1//listings',
      '/v1/listings/',
      '/v1/me#x',
      '/v1/me%00',
      '/v1/..;/livez',
    ],
    ...['/v1/..?x', 'http://a/v1/../livez', '/v1/listings/%2e%2e/me', '/v1/me%2f', '/v1/%252e%252e/livez'],
  ];
  const outside = [
    '/v1\\listings',
    '/v1\\..\\livez',
    '/x/../livez',
    '/./v1/me',
    '//v1/me',
    '/V1/me',
    '/..',
    '*',
    '/livez/..',
  ];
  const get = (path: string, lines = '') => send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`);
  for (const path of below) {
    test(path, async () => {
      assert.equal((await get(path)).status, 401);
      assertError(await get(path, KEY), 404, 'not_found');
    });
  }
  for (const path of outside) {
    test(path, async () => {
      assertError(await get(path), 404, 'not_found');
      assertError(await get(path, KEY), 404, 'not_found');
    });
  }
});

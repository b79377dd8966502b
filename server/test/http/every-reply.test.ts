import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill, MINIMAL, post } from '../../../testkit/src/listings.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
const [id = ''] = await fill(service, tenant, 300);

/** Each path and its methods. */
const PATHS: [path: string, allow: string][] = [
  ['/v1/listings', 'GET, HEAD, POST'],
  [`/v1/listings/${id}`, 'DELETE, GET, HEAD, PATCH'],
  ['/v1/listings/external/nobody', 'DELETE, GET, HEAD, PATCH, PUT'],
  ['/v1/events', 'GET, HEAD'],
  ['/v1/imports', 'POST'],
  ['/v1/me', 'GET, HEAD'],
  ['/v1/openapi.json', 'GET, HEAD'],
  ['/livez', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
  ['/docs', 'GET, HEAD'],
  ['/docs/admin', 'GET, HEAD'],
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe('an unsupported method gets 405 with the supported methods', () => {
  for (const [path, allow] of PATHS) {
    for (const method of METHODS.filter((name) => !allow.split(', ').includes(name))) {
      test(`${method} ${path.replace(id, '{id}')}`, async () => {
        const response = await service.fetch(tenant, path, { method, headers: { Origin: 'https://example.com' } });
        assert.equal(response.headers.get('allow'), allow);
        await readError(response, 405, 'method_not_allowed');
      });
    }
  }
  test('TRACE does not echo the request', async () => {
    const request = `TRACE /v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`;
    const reply = await sendRaw(service.url, request);
    assert.equal(reply.status, 405);
    assert.ok(!reply.body.includes(tenant.key));
  });
});

describe('HEAD is GET without the body', () => {
  const gets = [
    ...PATHS.map(([path]) => path),
    '/v1/listings?limit=2',
    '/v1/listings?limit=0',
    '/v1/listings/x',
    '/v1/events?after=9999',
    '/x',
  ];
  for (const path of gets) {
    test(path.replace(id, '{id}'), async () => {
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) => service.fetch(tenant, path, { method, headers: { 'X-Request-Id': 'same' } })),
      );
      assert.ok(head && get);
      const comparable = (response: Response) =>
        [...response.headers].filter(
          ([name]) => !/^(date|connection|keep-alive|content-length|transfer-encoding)$/.test(name),
        );
      assert.equal(head.status, get.status);
      assert.deepEqual(comparable(head), comparable(get));
      assert.equal(await head.text(), '');
      assert.notEqual(await get.text(), '');
    });
  }
});

describe('an unknown path gets 404 with the usual error body', () => {
  const paths = [
    ...['/v1/listings/', '/v1/listing', '/v1/listings/a/b', '/v1/me/', '/v1//me', '/V1/me', '/v2/listings', '/x'],
  ];
  for (const path of [...paths, '/livez/', '/docs/nothing', '/.env']) {
    test(path, async () => {
      await readError(await service.fetch(tenant, path), 404, 'not_found');
    });
  }
});

const ACCEPTED = [
  ...['*/*', 'application/*', 'application/json', 'Application/JSON', 'application/json; charset=utf-8'],
  ...['application/json;q=0.1', 'text/html, application/xhtml+xml, */*;q=0.8', 'text/csv, application/json;q=0.5'],
  '',
];
const REJECTED = [
  ...['text/csv', 'application/xml', 'text/*', 'application/json;q=0', '*/*;q=0', 'application/json;q=0, */*'],
];

describe('Accept decides whether JSON-only endpoints respond (RFC 9110 §12.5.1)', () => {
  const routes = [`/v1/listings/${id}`, '/v1/me'];
  for (const accept of ACCEPTED) {
    test(`Accept: ${accept} gets JSON`, async () => {
      for (const route of routes) {
        const response = await service.fetch(tenant, route, { headers: { Accept: accept } });
        assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json'], route);
        await response.text();
      }
    });
  }
  for (const accept of REJECTED) {
    test(`Accept: ${accept} gets 406, as JSON`, async () => {
      for (const route of routes) {
        await readError(await service.fetch(tenant, route, { headers: { Accept: accept } }), 406, 'not_acceptable');
      }
      await readError(await post(service, tenant, MINIMAL, { Accept: accept }), 406, 'not_acceptable');
    });
  }
  test('every other error is JSON, whatever Accept says', async () => {
    const headers = { Accept: 'text/html' };
    await readError(await service.fetch(tenant, '/v1/nothing', { headers }), 404, 'not_found');
    await readError(await service.fetch(tenant, '/v1/me', { headers, method: 'PUT' }), 405, 'method_not_allowed');
    assert.equal((await fetch(`${service.url}/v1/me`, { headers })).headers.get('content-type'), 'application/json');
  });
});

describe('every response has the same few headers', () => {
  const requests: [path: string, init: RequestInit, status: number][] = [
    ['/v1/listings', {}, 200],
    ['/v1/listings?limit=1', {}, 200],
    [`/v1/listings/${id}`, {}, 200],
    [`/v1/listings/${id}`, { headers: { 'If-None-Match': '"1"' } }, 304],
    ['/v1/me', {}, 200],
    ['/v1/openapi.json', {}, 200],
    ['/v1/listings?limit=0', {}, 400],
    ['/v1/me', { headers: { Authorization: 'Bearer x' } }, 401],
    ['/v1/nothing', {}, 404],
    ['/v1/me', { method: 'OPTIONS' }, 405],
    ['/v1/me', { headers: { Accept: 'text/csv' } }, 406],
    ['/v1/listings', { method: 'POST', body: '{}' }, 415],
  ];
  for (const [path, init, status] of requests) {
    test(`${status} on ${path.replace(id, '{id}')}`, async () => {
      const headers = new Headers({ Authorization: `Bearer ${tenant.key}` });
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
      headers.set('Origin', 'https://example.com');
      const response = await fetch(`${service.url}${path}`, { ...init, headers });
      await response.text();
      assert.equal(response.status, status);
      assert.equal(response.headers.get('cache-control'), 'private, no-cache');
      assert.equal(response.headers.get('vary'), 'Authorization, Accept, Accept-Encoding');
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
      const names = [...response.headers.keys()];
      assert.ok(!names.some((name) => /^access-control|^server$|^x-powered-by/.test(name)), names.join());
    });
  }
});

describe('Strict-Transport-Security', () => {
  const requests = [
    'GET /v1/listings HTTP/1.1\r\nHost: a\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\n',
    'GET /nothing HTTP/1.1\r\nHost: a\r\n',
    'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n',
    'GET /livez HTTP/1.1\r\nbad header\r\n',
    `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n`,
    'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n',
  ];
  const valuesAt = async (publicUrl: string | undefined) => {
    await using other = await startTestService({ publicUrl });
    const replies = await Promise.all(requests.map((head) => sendRaw(other.url, `${head}Connection: close\r\n\r\n`)));
    return [...new Set(replies.map(({ headers }) => headers['strict-transport-security']))];
  };
  test('is in every response if PUBLIC_URL is https, for this host only', async () => {
    assert.deepEqual(await valuesAt('https://listings.example.com'), ['max-age=31536000']);
  });
  test('is in no response if PUBLIC_URL is not https', async () => {
    assert.deepEqual(await valuesAt('http://listings.example.com'), [undefined]);
    assert.deepEqual(await valuesAt(undefined), [undefined]);
  });
});

describe("a request has one id: the client's own if it is plain text", () => {
  for (const given of ['a', 'A.b_c-9', 'x'.repeat(128)]) {
    test(`${given.slice(0, 20)} is used in the response, the error, and the log`, async () => {
      const response = await service.fetch(tenant, '/v1/nothing', { headers: { 'X-Request-Id': given } });
      assert.equal(response.headers.get('x-request-id'), given);
      await readError(response, 404, 'not_found');
      const isLogged = () => service.logLines.some((line) => JSON.parse(line).requestId === given);
      await until('the request is logged', isLogged);
    });
  }
  for (const given of ['', ' ', 'a b', 'a,b', 'é', '<b>', '"a"', 'x'.repeat(129)]) {
    test(`"${given.slice(0, 20)}" is replaced`, async () => {
      const response = await service.fetch(tenant, '/v1/nothing', { headers: { 'X-Request-Id': given } });
      assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
      await readError(response, 404, 'not_found');
    });
  }
});

test('/v1/me shows the account and the key in use, but not its secret', async () => {
  const reader = await service.createTenant('Straße & Söhne', 'read');
  const text = await (await service.fetch(reader, '/v1/me')).text();
  const me = JSON.parse(text);
  assert.deepEqual(me, {
    account: { id: reader.accountId, name: 'Straße & Söhne' },
    key: { id: reader.keyId, name: 'Website', access: 'read', createdAt: me.key.createdAt, expiresAt: null },
  });
  assert.equal(new Date(me.key.createdAt).toISOString(), me.key.createdAt);
  assert.ok(!text.includes(reader.key.slice(8)));
});

test('/docs/ redirects to /docs, and /docs/errors/ to /docs/errors', async () => {
  for (const [path, status, target] of [
    ['/docs/', 308, '/docs'],
    ['/docs/admin/', 308, '/docs/admin'],
    ['/docs/errors/', 308, '/docs/errors'],
  ] as const) {
    const response = await fetch(`${service.url}${path}`, { redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [status, target]);
  }
  assert.match(await (await fetch(`${service.url}/docs/`)).text(), /swagger-ui/);
});

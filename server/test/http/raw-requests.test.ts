import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openRaw } from '../../../testkit/src/raw.ts';
import { KEY_REJECTED } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';

const service = await startSharedService();

const get = (lines: string) => `GET /livez HTTP/1.1\r\n${lines}\r\n`;

describe('an Authorization header that HTTP does not allow is a rejected key', () => {
  const headers = ['Authorization: Bearer \x01', 'authorization: Bearer\r\n abc', 'Authorization : Bearer abc'];
  for (const header of headers) {
    test(JSON.stringify(header), async () => {
      using connection = await openRaw(service.url);
      connection.send(`GET /v1/listings HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
      const { status, body, headers } = await connection.readReply();
      assert.deepEqual([status, body], [401, KEY_REJECTED]);
      assert.match(headers['www-authenticate'] ?? '', /^Bearer .*Send one header/);
    });
  }
});

// `npm run prove -- hostile-http` covers which requests are rejected.
describe('an invalid request is rejected with the usual error', () => {
  const rejected: [name: string, request: string, status: number, code: string, words: RegExp][] = [
    ['an ambiguous request', get(''), 400, 'invalid_header', /Host/],
    ['a parse error', get('Host: a\r\n: a\r\n'), 400, 'invalid_header', /HTTP\/1\.1/],
    ['a target beyond ASCII', 'GET /v1/\xe9 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_header', /percent-encode/],
    ['a target without a host', get('Host: a\r\n').replace(' /', ' http:///'), 400, 'invalid_header', /target/],
    ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_header', /proxy/],
    ['headers above 16 KiB', get(`Host: a\r\nA: ${'x'.repeat(17_000)}\r\n`), 431, 'headers_too_large', /16 KiB/],
    [
      'many short headers above 16 KiB',
      get(`Host: a\r\n${'a:\r\n'.repeat(4_100)}`),
      431,
      'headers_too_large',
      /16 KiB/,
    ],
    ['headers of 1 MiB', get(`Host: a\r\nA: ${'x'.repeat(1024 * 1024)}\r\n`), 431, 'headers_too_large', /16 KiB/],
  ];
  for (const [name, request, status, code, words] of rejected) {
    test(name, async () => {
      using connection = await openRaw(service.url);
      connection.send(request);
      const { headers, ...reply } = await connection.readReply();
      assert.equal(reply.status, status);
      const { error } = JSON.parse(reply.body);
      assert.deepEqual([error.code, error.requestId], [code, headers['x-request-id']]);
      assert.match(error.message, words);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['cache-control'], 'private, no-cache');
      assert.equal(headers.vary, 'Authorization, Accept, Accept-Encoding');
      assert.equal(headers.connection, 'close');
      assert.equal(await connection.readToEnd(), '');
      await until('the request is logged', () => service.logLines.some((line) => line.includes(error.requestId)));
    });
  }
});

describe('an early error has the id of a request whose headers were read', () => {
  const sent = 'X-Request-Id: my-id\r\n';
  const chunked = get(
    `Host: a\r\nOrigin: http://a\r\n${sent}Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n`,
  );
  const signIn = chunked.replace('GET /livez', 'POST /admin/auth/sign-in/email');
  const rejected: [name: string, request: string, status: number, isKept?: boolean][] = [
    ['a long header', get(`Host: a\r\n${sent}A: ${'x'.repeat(17_000)}\r\n`), 431],
    ['a long URL', get(`Host: a\r\n${sent}`).replace('/livez', `/${'x'.repeat(16_400)}`), 431],
    ['two hosts', get(`Host: a\r\nHost: b\r\n${sent}`), 400],
    ['no host', get(sent), 400],
    ['an invalid host', get(`Host: a b\r\n${sent}`), 400],
    ['a second transfer coding', get(`Host: a\r\n${sent}Transfer-Encoding: gzip, chunked\r\n`), 400],
    ['small chunks', `${signIn}${'1\r\n \r\n'.repeat(20_000)}`, 413],
    ['an invalid chunk', `${signIn}x`, 400],
    ['CONNECT', `CONNECT a:80 HTTP/1.1\r\nHost: a\r\n${sent}\r\n`, 400],
    ['an invalid id', get(sent.replace('my-id', 'my id')), 400, false],
    ['headers that end early', get(`${sent}: a\r\n`), 400, false],
    ['headers of 1 MiB', get(`${sent}A: ${'x'.repeat(1024 * 1024)}\r\n`), 431, false],
  ];
  for (const [name, request, status, isKept = true] of rejected) {
    test(name, async () => {
      using connection = await openRaw(service.url);
      connection.send(request);
      const reply = await connection.readReply();
      const id = reply.headers['x-request-id'] ?? '';
      assert.deepEqual([reply.status, JSON.parse(reply.body).error.requestId], [status, id]);
      assert.match(id, isKept ? /^my-id$/ : /^[0-9a-f-]{36}$/);
    });
  }
});

describe('a chunked body', () => {
  const head =
    'POST /admin/auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\n';
  const chunks = (count: number) => '1\r\n \r\n'.repeat(count);

  test('of too many one-byte chunks is rejected at the first excess chunk', async () => {
    using connection = await openRaw(service.url);
    connection.send(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks(1_001)}`);
    const { status, body } = await connection.readReply();
    assert.equal(status, 413);
    assert.equal(JSON.parse(body).error.code, 'payload_too_large');
    assert.match(body, /16 bytes or more in each/);
    assert.equal(await connection.readToEnd(), '');
  });

  test('of a few small chunks or many larger ones is read', async () => {
    for (const text of [chunks(900), `11\r\n${' '.repeat(17)}\r\n`.repeat(950) + chunks(60)]) {
      using connection = await openRaw(service.url);
      connection.send(`${head}Transfer-Encoding: chunked\r\n\r\n${text}0\r\n\r\n`);
      const { status, body } = await connection.readReply();
      assert.deepEqual([status, JSON.parse(body).error.code], [400, 'invalid_json']);
    }
  });
});

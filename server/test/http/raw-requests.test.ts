import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openRaw } from '../../../testkit/src/raw.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';

const service = await startSharedService();

const get = (lines: string) => `GET /livez HTTP/1.1\r\n${lines}\r\n`;

// What is refused, and what is not, stands in prove/src/parts/hostile-http/.
describe('what is no request is refused in the form of every error', () => {
  const refused: [name: string, request: string, status: number, code: string, words: RegExp][] = [
    ['a request of which two programs could see different ones', get(''), 400, 'invalid_header', /Host/],
    ['what the parser does not take', get('Host: a\r\n: a\r\n'), 400, 'invalid_header', /HTTP\/1\.1/],
    ['a target beyond ASCII', 'GET /v1/\xe9 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_header', /percent-encode/],
    ['a target without a host', get('Host: a\r\n').replace(' /', ' http:///'), 400, 'invalid_header', /target/],
    ['a wish for a proxy', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_header', /proxy/],
    ['headers above 16 KiB', get(`Host: a\r\nA: ${'x'.repeat(17_000)}\r\n`), 431, 'headers_too_large', /16 KiB/],
    ['headers of 1 MiB', get(`Host: a\r\nA: ${'x'.repeat(1024 * 1024)}\r\n`), 431, 'headers_too_large', /16 KiB/],
  ];
  for (const [name, request, status, code, words] of refused) {
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
      await until('it is logged', () => service.logLines.some((line) => line.includes(error.requestId)));
    });
  }
});

describe('a body in chunks', () => {
  const head =
    'POST /admin/auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\n';
  const chunks = (count: number) => '1\r\n \r\n'.repeat(count);

  test('of a byte each, too many of them, is refused with the next one', async () => {
    using connection = await openRaw(service.url);
    connection.send(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks(1_001)}`);
    const { status, body } = await connection.readReply();
    assert.equal(status, 413);
    assert.equal(JSON.parse(body).error.code, 'payload_too_large');
    assert.match(body, /16 bytes or more in each/);
    assert.equal(await connection.readToEnd(), '');
  });

  test('is read if they are few, or larger', async () => {
    for (const text of [chunks(900), `11\r\n${' '.repeat(17)}\r\n`.repeat(950) + chunks(60)]) {
      using connection = await openRaw(service.url);
      connection.send(`${head}Transfer-Encoding: chunked\r\n\r\n${text}0\r\n\r\n`);
      const { status, body } = await connection.readReply();
      assert.deepEqual([status, JSON.parse(body).error.code], [400, 'invalid_json']);
    }
  });
});

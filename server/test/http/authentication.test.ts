import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type RawReply, sendRaw } from '../../../testkit/src/raw.ts';
import { KEY_REFUSED } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { generateSecret } from '../../src/model/api-keys.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
const { key } = tenant;

function assertUnauthorized(reply: RawReply, body = KEY_REFUSED): void {
  assert.deepEqual([reply.status, reply.headers['content-type'], reply.body], [401, 'application/json', body]);
  assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer realm="property-listings"/);
  assert.match(reply.headers['x-request-id'] ?? '', /^[A-Za-z0-9._-]{1,128}$/);
  assert.match(reply.headers.vary ?? '', /\bAuthorization\b/);
}

const wrongChecksum = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
const anotherRandomPart = `plk_${key[4] === 'A' ? 'B' : 'A'}${key.slice(5)}`;

const refusedHeaders: [name: string, lines: string][] = [
  ['no Authorization', ''],
  ['an empty one', 'Authorization:\r\n'],
  ['only a space', 'Authorization: \r\n'],
  ['the scheme alone', 'Authorization: Bearer\r\n'],
  ['the scheme and a space', 'Authorization: Bearer \r\n'],
  ['the key without a scheme', `Authorization: ${key}\r\n`],
  ['the scheme and the key without a space', `Authorization: Bearer${key}\r\n`],
  ['a tab instead of the space', `Authorization: Bearer\t${key}\r\n`],
  ['another scheme', `Authorization: Token ${key}\r\n`],
  ['Basic with the key as the user', `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}\r\n`],
  ['the key in quotes', `Authorization: Bearer "${key}"\r\n`],
  ['two keys in one header', `Authorization: Bearer ${key}, Bearer ${key}\r\n`],
  ['the header twice', `Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}\r\n`],
  ['a good header behind a bad one', `Authorization: Bearer x\r\nAuthorization: Bearer ${key}\r\n`],
  ['a bad header behind a good one', `Authorization: Bearer ${key}\r\nAuthorization: Basic x\r\n`],
  ['an empty header behind a good one', `Authorization: Bearer ${key}\r\nAuthorization:\r\n`],
  ['a wrong checksum', `Authorization: Bearer ${wrongChecksum}\r\n`],
  ['a character changed within', `Authorization: Bearer ${anotherRandomPart}\r\n`],
  ['the key in capitals', `Authorization: Bearer ${key.toUpperCase()}\r\n`],
  ['the key cut by one', `Authorization: Bearer ${key.slice(0, -1)}\r\n`],
  ['the prefix alone', 'Authorization: Bearer plk_\r\n'],
  ['the key without its prefix', `Authorization: Bearer ${key.slice(4)}\r\n`],
  ['a character after the key', `Authorization: Bearer ${key}x\r\n`],
  ['an equals sign after the key', `Authorization: Bearer ${key}=\r\n`],
  ['a word after the key', `Authorization: Bearer ${key} x\r\n`],
  ['7,000 characters', `Authorization: Bearer ${'a'.repeat(7000)}\r\n`],
  ['the key 170 times', `Authorization: Bearer ${key.repeat(170)}\r\n`],
  ['7,000 spaces before the key and a word after it', `Authorization: Bearer${' '.repeat(7000)}${key} x\r\n`],
  ['letters beyond ASCII', `Authorization: Bearer ${key.slice(0, -1)}\xe9\r\n`],
  ['nothing but letters beyond ASCII', 'Authorization: \xff\xfe\xe9\r\n'],
  ['a key that was never made', `Authorization: Bearer ${generateSecret()}\r\n`],
  ['the key in another header', `X-Api-Key: ${key}\r\nProxy-Authorization: Bearer ${key}\r\nCookie: key=${key}\r\n`],
];

describe('a request without exactly one good key is refused with the same bytes', () => {
  for (const [name, lines] of refusedHeaders) {
    test(name, async () => {
      assertUnauthorized(await sendRaw(service.url, `GET /v1/me HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`));
    });
  }

  for (const query of [`key=${key}`, `api_key=${key}`, `access_token=${key}`, `Authorization=Bearer%20${key}`]) {
    test(`the key in the query: ${query.split('=')[0]}`, async () => {
      assertUnauthorized(await sendRaw(service.url, `GET /v1/me?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
    });
  }
});

test('who holds a key learns from WWW-Authenticate what is wrong with it', async () => {
  const reasons: [secret: string, reason: RegExp][] = [
    [wrongChecksum, /error="invalid_token", error_description="[^"]*checksum[^"]*"$/],
    [generateSecret(), /error="invalid_token", error_description="[^"]*no such API key[^"]*"$/],
  ];
  for (const [secret, reason] of reasons) {
    const head = `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\n\r\n`;
    const reply = await sendRaw(service.url, head);
    assert.match(reply.headers['www-authenticate'] ?? '', reason);
  }
});

describe('the scheme is taken in any case (RFC 9110 §11.1)', () => {
  for (const value of [`Bearer ${key}`, `bearer ${key}`, `BEARER ${key}`, `bEaReR   ${key}`, `  Bearer ${key}  `]) {
    test(JSON.stringify(value.replace(key, '…')), async () => {
      const request = `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization:${value}\r\n\r\n`;
      assert.equal((await sendRaw(service.url, request)).status, 200);
    });
  }
});

const POST_JSON = 'POST /v1/listings HTTP/1.1\r\nContent-Type: application/json';
const JSON_LENGTH = 'Content-Type: application/json\r\nContent-Length';
/** What a request asks for after its method, each of which a key's holder would be told about. */
const otherFaults: [name: string, request: string][] = [
  ['an unknown path', 'GET /v1/nothing HTTP/1.1\r\n'],
  ['the version alone', 'GET /v1 HTTP/1.1\r\n'],
  ['the version and a slash', 'GET /v1/ HTTP/1.1\r\n'],
  ['an id that does not exist', 'GET /v1/listings/lst_00000000000000000000000000 HTTP/1.1\r\n'],
  ['a wrong method', 'DELETE /v1/listings HTTP/1.1\r\n'],
  ['OPTIONS', 'OPTIONS /v1/listings HTTP/1.1\r\nOrigin: https://example.com\r\nAccess-Control-Request-Method: GET\r\n'],
  ['a wrong method on the public document', 'POST /v1/openapi.json HTTP/1.1\r\nContent-Length: 0\r\n'],
  ['a bad query', 'GET /v1/listings?limit=0&nonsense=1 HTTP/1.1\r\n'],
  ['a bad cursor', 'GET /v1/listings?cursor=garbage HTTP/1.1\r\n'],
  ['a type that is not to be had', 'GET /v1/listings HTTP/1.1\r\nAccept: image/png\r\n'],
  ['an ETag that cannot be read', 'GET /v1/listings HTTP/1.1\r\nIf-None-Match: nonsense\r\n'],
  ['bad JSON', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 1\r\n{`],
  ['no body', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 0\r\n`],
  ['an invalid listing', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 2\r\n{}`],
  ['a wrong content type', 'POST /v1/listings HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n'],
  ['an oversize body that is announced', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 2000000\r\n`],
  ['a body that is still to come', `${POST_JSON}\r\nTransfer-Encoding: chunked\r\n`],
  ['a body that waits to be asked for', `POST /v1/listings HTTP/1.1\r\nExpect: 100-continue\r\n${JSON_LENGTH}: 50\r\n`],
  ['an Idempotency-Key', 'POST /v1/listings HTTP/1.1\r\nIdempotency-Key: a\r\nContent-Length: 0\r\n'],
];

describe('without a key nothing else can be learned', () => {
  for (const [name, request] of otherFaults) {
    test(name, async () => {
      const [line = '', ...rest] = request.split('\r\n');
      const body = rest.pop() ?? '';
      const lines = [line, 'Host: localhost', ...rest, '', body].join('\r\n');
      // The first reply is the 401: nothing asks for the body with a 100 before it.
      assertUnauthorized(await sendRaw(service.url, lines));
    });
  }

  test('HEAD gets the same refusal without the body', async () => {
    assertUnauthorized(await sendRaw(service.url, 'HEAD /v1/listings HTTP/1.1\r\nHost: localhost\r\n\r\n'), '');
  });
});

describe('what holds no data of an account needs no key', () => {
  for (const path of [
    '/v1/openapi.json',
    '/admin/openapi.json',
    '/livez',
    '/readyz',
    '/docs',
    '/docs/swagger-ui.css',
  ]) {
    for (const method of ['GET', 'HEAD']) {
      test(`${method} ${path}`, async () => {
        assert.equal((await fetch(`${service.url}${path}`, { method })).status, 200);
      });
    }
  }
});

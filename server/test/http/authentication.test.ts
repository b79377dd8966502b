import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type RawReply, sendRaw } from '../../../testkit/src/raw.ts';
import { KEY_REJECTED } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { generateSecret } from '../../src/model/api-keys.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
const { key } = tenant;

function assertUnauthorized(reply: RawReply, body = KEY_REJECTED): void {
  assert.deepEqual([reply.status, reply.headers['content-type'], reply.body], [401, 'application/json', body]);
  assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer realm="property-listings"/);
  assert.match(reply.headers['x-request-id'] ?? '', /^[A-Za-z0-9._-]{1,128}$/);
  assert.match(reply.headers.vary ?? '', /\bAuthorization\b/);
}

const wrongChecksum = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
const anotherRandomPart = `plk_${key[4] === 'A' ? 'B' : 'A'}${key.slice(5)}`;

const rejectedHeaders: [name: string, lines: string][] = [
  ['no Authorization', ''],
  ['an empty header', 'Authorization:\r\n'],
  ['only a space', 'Authorization: \r\n'],
  ['only the scheme', 'Authorization: Bearer\r\n'],
  ['only the scheme and a space', 'Authorization: Bearer \r\n'],
  ['the key without a scheme', `Authorization: ${key}\r\n`],
  ['the scheme and the key without a space', `Authorization: Bearer${key}\r\n`],
  ['a tab instead of the space', `Authorization: Bearer\t${key}\r\n`],
  ['another scheme', `Authorization: Token ${key}\r\n`],
  ['Basic with the key as the user', `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}\r\n`],
  ['the key in quotes', `Authorization: Bearer "${key}"\r\n`],
  ['two keys in one header', `Authorization: Bearer ${key}, Bearer ${key}\r\n`],
  ['the header twice', `Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}\r\n`],
  ['a valid header after an invalid one', `Authorization: Bearer x\r\nAuthorization: Bearer ${key}\r\n`],
  ['an invalid header after a valid one', `Authorization: Bearer ${key}\r\nAuthorization: Basic x\r\n`],
  ['an empty header after a valid one', `Authorization: Bearer ${key}\r\nAuthorization:\r\n`],
  ['a wrong checksum', `Authorization: Bearer ${wrongChecksum}\r\n`],
  ['one changed character', `Authorization: Bearer ${anotherRandomPart}\r\n`],
  ['the key in upper case', `Authorization: Bearer ${key.toUpperCase()}\r\n`],
  ['the key without its last character', `Authorization: Bearer ${key.slice(0, -1)}\r\n`],
  ['only the prefix', 'Authorization: Bearer plk_\r\n'],
  ['the key without its prefix', `Authorization: Bearer ${key.slice(4)}\r\n`],
  ['a character after the key', `Authorization: Bearer ${key}x\r\n`],
  ['an equals sign after the key', `Authorization: Bearer ${key}=\r\n`],
  ['a word after the key', `Authorization: Bearer ${key} x\r\n`],
  ['7,000 characters', `Authorization: Bearer ${'a'.repeat(7000)}\r\n`],
  ['the key 170 times', `Authorization: Bearer ${key.repeat(170)}\r\n`],
  ['7,000 spaces before the key and a word after it', `Authorization: Bearer${' '.repeat(7000)}${key} x\r\n`],
  ['characters beyond ASCII', `Authorization: Bearer ${key.slice(0, -1)}\xe9\r\n`],
  ['only characters beyond ASCII', 'Authorization: \xff\xfe\xe9\r\n'],
  ['a key that was never issued', `Authorization: Bearer ${generateSecret()}\r\n`],
  ['the key in another header', `X-Api-Key: ${key}\r\nProxy-Authorization: Bearer ${key}\r\nCookie: key=${key}\r\n`],
];

describe('a request without exactly one valid key gets the same 401', () => {
  for (const [name, lines] of rejectedHeaders) {
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

test('WWW-Authenticate says what is wrong with a key', async () => {
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

describe('the scheme is case-insensitive (RFC 9110 §11.1)', () => {
  for (const value of [`Bearer ${key}`, `bearer ${key}`, `BEARER ${key}`, `bEaReR   ${key}`, `  Bearer ${key}  `]) {
    test(JSON.stringify(value.replace(key, '…')), async () => {
      const request = `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization:${value}\r\n\r\n`;
      assert.equal((await sendRaw(service.url, request)).status, 200);
    });
  }
});

const POST_JSON = 'POST /v1/listings HTTP/1.1\r\nContent-Type: application/json';
const JSON_LENGTH = 'Content-Type: application/json\r\nContent-Length';
/** Requests to send without a key; with a valid key, most would get another error than 401. */
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
  ['an unavailable media type', 'GET /v1/listings HTTP/1.1\r\nAccept: image/png\r\n'],
  ['an invalid ETag', 'GET /v1/listings HTTP/1.1\r\nIf-None-Match: nonsense\r\n'],
  ['bad JSON', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 1\r\n{`],
  ['no body', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 0\r\n`],
  ['an invalid listing', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 2\r\n{}`],
  ['a wrong content type', 'POST /v1/listings HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n'],
  ['an announced body that is too large', `POST /v1/listings HTTP/1.1\r\n${JSON_LENGTH}: 2000000\r\n`],
  ['a body that has not arrived', `${POST_JSON}\r\nTransfer-Encoding: chunked\r\n`],
  ['Expect: 100-continue', `POST /v1/listings HTTP/1.1\r\nExpect: 100-continue\r\n${JSON_LENGTH}: 50\r\n`],
  ['an Idempotency-Key', 'POST /v1/listings HTTP/1.1\r\nIdempotency-Key: a\r\nContent-Length: 0\r\n'],
];

describe('without a key, every request gets the same 401', () => {
  for (const [name, request] of otherFaults) {
    test(name, async () => {
      const [line = '', ...rest] = request.split('\r\n');
      const body = rest.pop() ?? '';
      const lines = [line, 'Host: localhost', ...rest, '', body].join('\r\n');
      // The first response is the 401, not a 100 Continue.
      assertUnauthorized(await sendRaw(service.url, lines));
    });
  }

  test('HEAD gets the same 401 without the body', async () => {
    assertUnauthorized(await sendRaw(service.url, 'HEAD /v1/listings HTTP/1.1\r\nHost: localhost\r\n\r\n'), '');
  });
});

describe('endpoints without account data need no key', () => {
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

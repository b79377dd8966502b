import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { faultsOf, readError, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { LISTING_BYTES_MAX } from '../../src/http/contract/operation.ts';
import { type Refusal, testRefusals } from '../support/refusals.ts';

const service = await startSharedService();

const GOOD = JSON.stringify(MINIMAL);

function badJson(name: string, body: string | Buffer, offset: number): Refusal {
  return { name, body, status: 400, code: 'invalid_json', offset };
}

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

describe('invalid JSON is rejected with the byte offset of the error', () => {
  testRefusals(service, [
    badJson('nothing', '', 0),
    badJson('white space', ' \r\n\t', 4),
    badJson('only a byte order mark', '\uFEFF', 3),
    badJson('words', 'hello', 0),
    badJson('a form', 'address=12+Elm+Street&beds=3&baths=2', 0),
    badJson('an unclosed object', GOOD.slice(0, -1), GOOD.length - 1),
    badJson('two documents', `${GOOD}\n${GOOD}`, GOOD.length + 1),
    badJson('a trailing comma', '{"beds":3,}', 10),
    badJson('single quotes', "{'beds':3}", 1),
    badJson('an unquoted name', '{beds:3}', 1),
    badJson('a comment', '{/* */"beds":3}', 1),
    badJson('NaN', '{"beds":NaN}', 8),
    badJson('a leading zero', '{"beds":03}', 9),
    badJson('a hexadecimal number', '{"beds":0x3}', 9),
    badJson('a raw NUL between tokens', '{"beds":\u0000 3}', 8),
    badJson('a raw NUL in a string', '{"address":"a\u0000b"}', 13),
    badJson('a raw line feed in a string', '{"address":"a\nb"}', 13),
    badJson('a depth of 33', `{"metadata":${'['.repeat(32)}${']'.repeat(32)}}`, 12 + 31),
    badJson('a depth of 10,000', '['.repeat(10_000) + ']'.repeat(10_000), 32),
    badJson('objects to a depth of 10,000', '{"a":'.repeat(10_000), 5 * 32),
    badJson('a duplicate member', '{"beds":3,"beds":4}', 10),
    badJson('a duplicate member with the same value', '{"beds":3,"baths":2,"beds":3}', 20),
    badJson('a duplicate member, once escaped', '{"beds":3,"b\\u0065ds":3}', 10),
    badJson('a duplicate nested member', '{"metadata":{"a":1,"a":1}}', 19),
    badJson('a duplicate member in the second photo', '{"photos":[{"url":1},{"url":1,"url":1}]}', 30),
    badJson('__proto__ twice', '{"__proto__":1,"__proto__":1}', 15),
    badJson('a byte that cannot start a character', bytes('{"address":"é', [0xff], '"}'), 14),
    badJson('an overlong encoding', bytes('{"address":"', [0xc0, 0xaf], '"}'), 12),
    badJson('a surrogate in UTF-8', bytes('{"address":"ab', [0xed, 0xa0, 0x80], '"}'), 15),
    badJson('a truncated character', bytes('"ü', [0xf0, 0x9f, 0x98]), 6),
    badJson('UTF-16', Buffer.from(`\uFEFF${GOOD}`, 'utf16le'), 0),
    badJson('an offset after multibyte characters', '{"address":"😀é",}', 20),
    badJson('an offset after a byte order mark', '\uFEFF{"address":"é",}', 19),
  ]);
});

test('a compressed body gets a message that says so', async () => {
  const response = await post(service, await service.createTenant(), gzipSync(GOOD));
  const { message, offset } = await readError(response, 400, 'invalid_json');
  assert.match(message, /looks like gzip/);
  assert.equal(offset, 1);
});

function wrongBody(name: string, body: string): Refusal {
  return { name, body, status: 422, code: 'validation_failed', faults: ['body: invalid_type'] };
}

describe('a body that is not an object is rejected', () => {
  testRefusals(service, [
    wrongBody('an array', `[${GOOD}]`),
    wrongBody('an empty array', '[]'),
    wrongBody('null', 'null'),
    wrongBody('a string', '"12 Elm Street"'),
    wrongBody('a number', '3'),
    wrongBody('true', 'true'),
    wrongBody('a depth of 32', '['.repeat(32) + ']'.repeat(32)),
  ]);
});

function wrongType(name: string, headers: Record<string, string | null>, body: string | Buffer = GOOD): Refusal {
  return { name, body, headers, status: 415, code: 'unsupported_media_type' };
}

describe('a body that is not declared as uncompressed JSON in UTF-8 is rejected', () => {
  testRefusals(service, [
    wrongType('no Content-Type', { 'Content-Type': null }),
    wrongType('no Content-Type and no body', { 'Content-Type': null }, ''),
    wrongType('an empty one', { 'Content-Type': '' }),
    wrongType('text', { 'Content-Type': 'text/plain' }),
    wrongType('a form', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    wrongType('JSON lines', { 'Content-Type': 'application/x-ndjson' }),
    wrongType('a merge patch', { 'Content-Type': 'application/merge-patch+json' }),
    wrongType('a type with the same prefix', { 'Content-Type': 'application/jsonp' }),
    wrongType('two types', { 'Content-Type': 'application/json, text/plain' }),
    wrongType('Latin-1', { 'Content-Type': 'application/json; charset=latin1' }),
    wrongType('UTF-16', { 'Content-Type': 'application/json;charset="utf-16"' }),
    wrongType('a second charset', { 'Content-Type': 'application/json; charset=utf-8; charset=latin1' }),
    wrongType('gzip', { 'Content-Encoding': 'gzip' }, gzipSync(GOOD)),
    wrongType('gzip that is not compressed', { 'Content-Encoding': 'gzip' }),
    wrongType('an unknown encoding', { 'Content-Encoding': 'identity, x' }),
  ]);
});

const tooLarge = { status: 413, code: 'payload_too_large' };
const unknownParameter = { status: 400, code: 'unknown_parameter', faults: ['query.x: unknown_field'] };
const OVERSIZE = GOOD.padEnd(LISTING_BYTES_MAX + 1);

describe('a body above 1 MiB is rejected', () => {
  testRefusals(service, [
    { name: 'one byte more, announced', body: OVERSIZE, ...tooLarge },
    { name: 'one byte more, in chunks', body: OVERSIZE, isChunked: true, ...tooLarge },
    { name: '8 MiB, in chunks', body: GOOD.padEnd(8 * LISTING_BYTES_MAX), isChunked: true, ...tooLarge },
    { name: 'invalid JSON', body: '['.repeat(LISTING_BYTES_MAX + 1), ...tooLarge },
  ]);

  for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
    test(`exactly 1 MiB is accepted${'Transfer-Encoding' in headers ? ' in chunks' : ''}`, async () => {
      const tenant = await service.createTenant();
      const body = new Uint8Array(Buffer.from(GOOD.padEnd(LISTING_BYTES_MAX)));
      const response = await service.fetch(tenant, '/v1/listings', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: 'Transfer-Encoding' in headers ? ReadableStream.from([body]) : body,
        duplex: 'half',
      });
      assert.equal((await readListing(response, 201)).address, MINIMAL.address);
    });
  }
});

describe('unknown parameters and unusable keys are rejected, not ignored', () => {
  const DRY_RUN = 'query.dryRun: unknown_field';
  testRefusals(service, [
    ...['', '""', 'two words', 'x'.repeat(256), 'é'].map((key) => ({
      name: `Idempotency-Key: ${key}`,
      body: GOOD,
      headers: { 'Idempotency-Key': key },
      status: 400,
      code: 'invalid_idempotency_key',
    })),
    { ...unknownParameter, name: 'a query parameter', body: GOOD, query: '?dryRun=true', faults: [DRY_RUN] },
  ]);
});

describe('the first failed check decides the error', () => {
  const notJson = { Accept: 'image/png', 'Content-Type': null };
  testRefusals(service, [
    { name: '406 before 415', body: '{', headers: notJson, status: 406, code: 'not_acceptable' },
    { ...wrongType('415 before 400', { 'Content-Type': 'text/plain', 'Idempotency-Key': 'a' }), query: '?x=1' },
    { name: '400 before 413', body: OVERSIZE, query: '?x=1', ...unknownParameter },
    { name: '413 before JSON', body: `{${OVERSIZE}`, ...tooLarge },
    badJson('JSON before fields', '{"beds":"3"', 11),
  ]);
});

describe('an external id is unique within an account', () => {
  test('creating a second listing with an external id in use gets an error that names the first listing', async () => {
    const tenant = await service.createTenant();
    const first = await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'A-1' }), 201);
    const second = await post(service, tenant, { ...MINIMAL, externalId: ' A-1\t' });
    const error = await readError(second, 409, 'external_id_taken');
    assert.deepEqual([error.listingId, faultsOf(error)], [first.id, []]);
    const { data, sequence } = await readList(await service.fetch(tenant, '/v1/listings'));
    assert.deepEqual([data, sequence], [[first], 1]);
  });

  test('of concurrent creates, exactly one succeeds', async () => {
    const tenant = await service.createTenant();
    const sent = Array.from({ length: 20 }, () => post(service, tenant, { ...MINIMAL, externalId: 'A-1' }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
    assert.equal((await readList(await service.fetch(tenant, '/v1/listings'))).sequence, 1);
  });

  test('external ids are case-sensitive', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'a' }), 201);
    await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'A' }), 201);
  });
});

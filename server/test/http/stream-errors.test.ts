import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { decode, ENCODINGS } from '../../../testkit/src/encodings.ts';
import { fillBeyondBuffers, MINIMAL, openList, post, readAll } from '../../../testkit/src/listings.ts';
import { openRaw } from '../../../testkit/src/raw.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';

/** Makes every read of listings fail, as in a damaged database. */
async function breakListings({ script }: TestService): Promise<void> {
  await script('alter table listings rename to lost');
}

const errorsIn = ({ logLines }: TestService) =>
  logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);

describe('an error in the middle of a list cuts off the response', () => {
  test('the client sees an incomplete response, the error is logged, and the service keeps running', async () => {
    await using service = await startTestService();
    const tenant = await service.createTenant();
    await fillBeyondBuffers(service, tenant);
    const response = await openList(service, tenant);
    assert.equal(response.statusCode, 200);
    // A client that does not read loses received data when the connection is cut off.
    await once(response, 'readable');
    const beginning = String(response.read());
    await breakListings(service);
    const { text: rest, isComplete } = await readAll(response);
    const text = beginning + rest;
    assert.equal(isComplete, false);
    assert.ok(text.startsWith('{"data":[{"id":"lst_'));
    assert.throws(() => JSON.parse(text));
    assert.doesNotMatch(text.slice(-500), /error|no such table|does not exist/i);

    const requestId = response.headers['x-request-id'];
    await until('the error is logged', () => errorsIn(service).length === 1);
    const [error] = errorsIn(service);
    assert.deepEqual([error.requestId, error.msg], [requestId, 'a response was cut off']);
    assert.match(error.err.message, /no such table|relation "listings" does not exist/);
    assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
  });

  test('the last chunk is missing', async () => {
    await using service = await startTestService();
    const tenant = await service.createTenant();
    await fillBeyondBuffers(service, tenant);
    using connection = await openRaw(service.url);
    connection.send(`GET /v1/listings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`);
    await connection.pauseAtFirstByte();
    await breakListings(service);
    connection.socket.resume();
    const bytes = await connection.readToEnd();
    assert.match(bytes.slice(0, 2000), /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*transfer-encoding: chunked\r\n/i);
    assert.ok(!bytes.endsWith('\r\n0\r\n\r\n'));
  });
});

/** The start of a list in each format. */
const BEGINNINGS: [format: string, beginning: RegExp][] = [
  ['application/json', /^\{"data":\[\{"id":"lst_/],
  ['application/x-ndjson', /^\{"id":"lst_/],
  ['text/csv', /^id,externalId,.*\r\nlst_/],
  ['application/geo+json', /^\{"type":"FeatureCollection","features":\[\{"type":"Feature","id":"lst_/],
];

test('in every format and encoding, the client gets the listings read before the error, and no end mark', async () => {
  await using service = await startTestService();
  const tenant = await service.createTenant();
  const count = await fillBeyondBuffers(service, tenant);
  const cases = BEGINNINGS.flatMap(([format, beginning]) =>
    ENCODINGS.map(async (encoding) => {
      const response = await openList(service, tenant, '', { Accept: format, 'Accept-Encoding': encoding });
      return { name: `${format}, ${encoding}`, beginning, encoding, response };
    }),
  );
  const opened = await Promise.all(cases);
  // A client that does not read loses received data when the connection is cut off.
  const reading = opened.map(({ response, ...given }) => ({ ...given, response, whole: readAll(response) }));
  await breakListings(service);
  for (const { name, beginning, encoding, response, whole } of reading) {
    const { bytes, text, isComplete } = await whole;
    assert.equal(response.headers['content-encoding'], encoding === 'identity' ? undefined : encoding, name);
    assert.equal(isComplete, false, name);
    assert.match(text, beginning, name);
    const arrived = text.match(/ Elm Street/g)?.length ?? 0;
    assert.ok(arrived > 0 && arrived < count, `${name}: ${arrived}`);
    assert.doesNotMatch(text.slice(-500), /"end":true|"nextCursor"|"epoch"|no such table/, name);
    if (encoding !== 'identity') assert.throws(() => decode(bytes, encoding), name);
  }
});

test('an error before the first byte is a 500 without database details', async () => {
  await using service = await startTestService();
  const tenant = await service.createTenant();
  await breakListings(service);
  for (const path of ['/v1/listings', '/v1/listings?limit=1', '/v1/listings/lst_0']) {
    const error = await readError(await service.fetch(tenant, path), 500, 'internal_error');
    assert.doesNotMatch(JSON.stringify(error), /table|sqlite|select/i);
  }
  await readError(await post(service, tenant, MINIMAL), 500, 'internal_error');
  assert.equal(errorsIn(service).length, 4);
  assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
});

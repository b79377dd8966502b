import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill, MINIMAL, post } from '../../../testkit/src/listings.ts';
import { type RawReply, sendRaw } from '../../../testkit/src/raw.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { runFeed } from '../support/feeds.ts';

const FORMATS = ['application/json', 'application/x-ndjson', 'text/csv', 'application/geo+json'];
/** More listings than one run of a list has. */
const COUNT = 400;

const service = await startSharedService();

function ask({ key }: Tenant, path: string, headers = '', method = 'GET', body = ''): Promise<RawReply> {
  return sendRaw(service.url, `${method} ${path} HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n${body}`);
}

describe('over HTTP/1.0, in which a response that is cut off looks complete', () => {
  test('a long list is rejected in every format and encoding, and the message names the proxy setting', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, COUNT);
    for (const format of FORMATS) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const { status, body } = await ask(
          tenant,
          '/v1/listings',
          `Accept: ${format}\r\nAccept-Encoding: ${encoding}\r\n`,
        );
        const { code, message, requestId } = JSON.parse(body).error;
        assert.deepEqual([status, code], [505, 'http_version_not_supported'], format);
        assert.match(message, /proxy_http_version 1\.1/);
        assert.match(requestId, /^[\w-]{36}$/);
      }
    }
    assert.equal((await ask(tenant, '/v1/listings', '', 'HEAD')).status, 505);
    assert.equal((await ask(tenant, '/v1/events?limit=1000')).status, 505);
    const over11 = await service.fetch(tenant, '/v1/listings');
    assert.equal(Object(await over11.json()).data.length, COUNT);
  });

  test('a page that fits into one piece has a Content-Length, and so has a long one that would be compressed', async () => {
    const tenant = await service.createTenant();
    await fill(service, tenant, COUNT, 800);
    for (const format of FORMATS) {
      const gzip = `Accept: ${format}\r\nAccept-Encoding: gzip\r\n`;
      for (const [limit, encoding] of [
        [10, 'gzip'],
        [100, undefined],
        [1000, undefined],
      ] as const) {
        const { status, headers } = await ask(tenant, `/v1/listings?limit=${limit}`, gzip);
        assert.equal(status, 200);
        assert.match(headers['content-length'] ?? '', /^[1-9]\d*$/, `${format}, ${limit}`);
        assert.equal(headers['content-encoding'], encoding, `${format}, ${limit}`);
        assert.equal(headers['transfer-encoding'], undefined);
      }
    }
  });

  test('a short list of failed rows has a Content-Length, and a long one is rejected', async () => {
    const tenant = await service.createTenant();
    for (const [count, expected] of [
      [1, 200],
      [101, 505],
    ] as const) {
      const rows = Array.from({ length: count }, (_, index) => ({ ...MINIMAL, externalId: `${index}`, beds: -1 }));
      const run = await runFeed(service, tenant, 'mls', rows, { query: '?failedMax=100%25' });
      for (const format of ['application/json', 'application/x-ndjson', 'text/csv']) {
        const path = `/v1/feeds/mls/runs/${run.id}/errors`;
        const { status, headers, body } = await ask(tenant, path, `Accept: ${format}\r\n`);
        assert.equal(status, expected, body);
        assert.equal(headers['content-length'], String(Buffer.byteLength(body)));
      }
    }
  });

  test('an import that would respond with lines is rejected before its body is read, and no row is imported', async () => {
    const tenant = await service.createTenant();
    const rows = `${JSON.stringify(MINIMAL)}\n`.repeat(2);
    const send = (query: string, accept: string, body: string) => {
      const headers = `Content-Type: application/x-ndjson\r\nAccept: ${accept}\r\nContent-Length: ${rows.length}\r\n`;
      return ask(tenant, `/v1/imports${query}`, headers, 'POST', body);
    };
    for (const query of ['', '?progress=true', '?dryRun=true', '?mode=replace']) {
      for (const body of [rows, '']) {
        const reply = await send(query, 'application/x-ndjson', body);
        const { code, message } = JSON.parse(reply.body).error;
        assert.deepEqual([reply.status, code], [505, 'http_version_not_supported'], query);
        assert.match(message, /no row was imported.*Accept: application\/json.*proxy_http_version 1\.1/i);
      }
    }
    assert.equal(JSON.parse((await ask(tenant, '/v1/listings')).body).data.length, 0);
    for (const [query, accept] of [
      ['', 'application/json'],
      ['?atomic=true', 'application/x-ndjson'],
    ] as const) {
      const { status, body } = await send(query, accept, rows);
      assert.deepEqual([status, JSON.parse(body).created], [200, 2], accept);
    }
    assert.equal(JSON.parse((await ask(tenant, '/v1/listings')).body).data.length, 4);
  });

  test('everything else works as before', async () => {
    const tenant = await service.createTenant();
    const { status, headers } = await post(service, tenant, MINIMAL);
    assert.equal(status, 201);
    assert.equal((await ask(tenant, headers.get('location') ?? '')).status, 200);
    assert.equal(JSON.parse((await ask(tenant, '/v1/events')).body).data.length, 1);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { decode, decodeStart } from '../../../testkit/src/encodings.ts';
import { NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { fill, openList, readAll } from '../../../testkit/src/listings.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { createCompressor } from '../../src/http/protocol/compression.ts';
import { FORMATS } from '../support/formats.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
const [id = ''] = await fill(service, tenant, 700);

describe('a list is compressed according to Accept-Encoding (RFC 9110 §12.5.3)', () => {
  const cases: [acceptEncoding: string | undefined, encoding: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['nonsense, ;q=', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['*', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=1.0', 'br'],
    ['gzip;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.8', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
  ];
  for (const [acceptEncoding, encoding] of cases) {
    test(`${acceptEncoding}: ${encoding ?? 'not at all'}`, async () => {
      const headers = acceptEncoding === undefined ? {} : { 'Accept-Encoding': acceptEncoding };
      for (const query of ['', '?limit=2', '?limit=500']) {
        const response = await openList(service, tenant, query, headers);
        assert.equal(response.headers['content-encoding'], encoding, query);
        assert.equal(response.headers.vary, 'Authorization, Accept, Accept-Encoding');
        const { bytes, isComplete } = await readAll(response);
        assert.ok(isComplete);
        assert.ok(JSON.parse(decode(bytes, encoding)).data.length > 0);
      }
    });
  }
});

describe('compression does not change the bytes', () => {
  for (const format of FORMATS) {
    test(format, async () => {
      const empty = await service.createTenant();
      for (const [owner, query] of [
        [tenant, ''],
        [tenant, '?limit=2'],
        [tenant, '?limit=700'],
        [empty, ''],
      ] as const) {
        const plain = await openList(service, owner, query, { Accept: format });
        const { text } = await readAll(plain);
        for (const encoding of ['gzip', 'br']) {
          const packed = await openList(service, owner, query, { Accept: format, 'Accept-Encoding': encoding });
          const { bytes } = await readAll(packed);
          assert.equal(decode(bytes, encoding), text);
          assert.equal(packed.headers.etag, plain.headers.etag);
          assert.equal(packed.headers['content-type'], plain.headers['content-type']);
          const length = packed.headers['content-length'];
          assert.ok(length === undefined || Number(length) === bytes.length);
          assert.ok(query === '?limit=2' || owner === empty || bytes.length < text.length * 0.8);
        }
      }
    });
  }
});

for (const encoding of ['gzip', 'br'] as const) {
  test(`the report of an import is compressed with ${encoding}`, async () => {
    const headers = { 'Accept-Encoding': encoding };
    const response = await sendFile(service, tenant, { type: NDJSON, body: '{}\n'.repeat(200), headers });
    assert.equal(response.headers.get('content-encoding'), encoding);
    assert.equal((await readReport(response)).failed, 200);
  });

  test(`events are compressed with ${encoding}`, async () => {
    const [plain, packed] = await Promise.all(
      ['identity', encoding].map((asked) =>
        service.fetch(tenant, '/v1/events?limit=300', { headers: { 'Accept-Encoding': asked } }),
      ),
    );
    assert.equal(plain?.headers.get('content-encoding'), null);
    assert.equal(packed?.headers.get('content-encoding'), encoding);
    assert.equal(await packed.text(), await plain.text());
  });

  test(`${encoding} emits each chunk before it accepts the next`, async () => {
    const compressor = createCompressor(encoding);
    const chunks: Buffer[] = [];
    compressor.on('data', (chunk) => chunks.push(chunk));
    let text = '';
    for (const piece of ['one', 'two', 'x'.repeat(300_000), 'four']) {
      text += piece;
      await new Promise((resolve) => compressor.write(piece, resolve));
      assert.equal(decodeStart(Buffer.concat(chunks), encoding), text);
    }
    compressor.end();
    await once(compressor, 'end');
    assert.equal(decode(Buffer.concat(chunks), encoding), text);
  });
}

describe('other responses are not compressed', () => {
  const requests: [path: string, status: number][] = [
    [`/v1/listings/${id}`, 200],
    ['/v1/me', 200],
    ['/v1/listings?limit=0', 400],
    ['/v1/listings/none', 404],
  ];
  for (const [path, status] of requests) {
    test(`${status} on ${path.replace(id, '{id}')}`, async () => {
      const response = await service.fetch(tenant, path, { headers: { 'Accept-Encoding': 'gzip, br' } });
      assert.deepEqual([response.status, response.headers.get('content-encoding')], [status, null]);
      await response.text();
    });
  }

  test('a 304 has neither a body nor an encoding', async () => {
    const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': '*' };
    const response = await openList(service, tenant, '', headers);
    assert.deepEqual([response.statusCode, response.headers['content-encoding']], [304, undefined]);
    assert.equal((await readAll(response)).bytes.length, 0);
  });
});

test('HEAD has the headers of GET and no body', async () => {
  for (const query of ['', '?limit=2', '?limit=500']) {
    const lines = `Host: a\r\nAuthorization: Bearer ${tenant.key}\r\nAccept-Encoding: gzip\r\n\r\n`;
    const { status, headers } = await sendRaw(service.url, `HEAD /v1/listings${query} HTTP/1.1\r\n${lines}`);
    const got = await openList(service, tenant, query, { 'Accept-Encoding': 'gzip' });
    const { bytes } = await readAll(got);
    assert.deepEqual([status, headers['content-encoding'], headers.etag], [200, 'gzip', got.headers.etag]);
    assert.ok(headers['content-length'] === undefined || Number(headers['content-length']) === bytes.length);
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill } from '../../../testkit/src/listings.ts';
import { sendRaw } from '../../../testkit/src/raw.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { CSV, GEOJSON, JSON_TYPE, NDJSON } from '../support/formats.ts';

const service = await startSharedService();
const tenant = await service.createTenant();
await fill(service, tenant, 1);

const CASES: [accept: string, format: string][] = [
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/json', JSON_TYPE],
  ['Application/JSON', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['text/html, application/xhtml+xml, */*;q=0.8', JSON_TYPE],
  ['application/json;charset=UTF-8', JSON_TYPE],
  ['application/json;q=0.001', JSON_TYPE],
  ['text/csv;q=0.1, */*', JSON_TYPE],
  ['application/x-ndjson', NDJSON],
  ['application/json;q=0, */*', NDJSON],
  ['application/json;q=0.1, */*;q=0.2', NDJSON],
  ['text/csv;q=0.5, application/x-ndjson', NDJSON],
  ['application/x-ndjson, application/json', NDJSON],
  ['text/csv', CSV],
  ['TEXT/CSV', CSV],
  ['text/*', CSV],
  ['text/csv; charset=utf-8', CSV],
  ['text/csv, application/json;q=0.5', CSV],
  ['application/json;q=0.5,text/csv;q=0.6', CSV],
  ['*/*, text/csv', CSV],
  ['application/geo+json', GEOJSON],
  ['application/vnd.geo+json, application/geo+json;q=0.9', GEOJSON],
  ['application/geo+json, application/json', GEOJSON],
];

const REJECTED = [
  ...['application/xml', 'image/*', 'text/csv;q=0', 'text/*;q=0, application/json;q=0.000', '*/*;q=0'],
  ...['text/csv; charset=iso-8859-1', 'application/json; version=2', 'application/vnd.geo+json', 'nonsense', ','],
];

describe('Accept selects the format of a list (RFC 9110 §12.5.1)', () => {
  for (const [accept, format] of CASES) {
    test(`Accept: ${accept}`, async () => {
      const response = await service.fetch(tenant, '/v1/listings', { headers: { Accept: accept } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type')?.split(';')[0], format);
      await response.text();
    });
  }

  test('without Accept the list is JSON', async () => {
    const lines = `Host: a\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`;
    const { headers } = await sendRaw(service.url, `GET /v1/listings HTTP/1.1\r\n${lines}`);
    assert.equal(headers['content-type'], JSON_TYPE);
  });

  for (const accept of REJECTED) {
    test(`Accept: ${accept} gets 406 in JSON with the available formats`, async () => {
      const response = await service.fetch(tenant, '/v1/listings', { headers: { Accept: accept } });
      const { message } = await readError(response, 406, 'not_acceptable');
      for (const format of [JSON_TYPE, NDJSON, CSV, GEOJSON]) assert.ok(message.includes(format), message);
    });
  }
});

test('errors are JSON in every format, and Accept is checked before the query', async () => {
  for (const accept of [NDJSON, CSV, GEOJSON]) {
    const headers = { Accept: accept };
    await readError(await service.fetch(tenant, '/v1/listings?limit=0', { headers }), 400, 'invalid_query');
    await readError(await service.fetch(tenant, '/v1/listings?cursor=x', { headers }), 400, 'invalid_cursor');
    await readError(await service.fetch(tenant, '/v1/me', { headers }), 406, 'not_acceptable');
    const { status } = await fetch(`${service.url}/v1/listings`, { headers });
    assert.equal(status, 401);
  }
  const rejected = { headers: { Accept: 'image/png' } };
  await readError(await service.fetch(tenant, '/v1/listings?limit=0', rejected), 406, 'not_acceptable');
});

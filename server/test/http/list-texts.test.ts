import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { formatOf } from '../../src/http/contract/formats/formats.ts';
import { replyList } from '../../src/http/protocol/list-reply.ts';
import { CSV, FORMATS, GEOJSON, JSON_TYPE, NDJSON, readText } from '../support/formats.ts';

const service = await startSharedService();

const HEADER =
  'id,externalId,feed,address,unitNumber,city,stateOrProvince,postalCode,country,beds,baths,status,propertyType,' +
  'listPrice,currency,closePrice,livingArea,livingAreaUnits,lotSizeArea,lotSizeUnits,yearBuilt,onMarketDate,' +
  'closeDate,latitude,longitude,description,photos,metadata,version,createdAt,updatedAt\r\n';

/** The members that follow `data` in the account's list. */
async function readFrame(tenant: Tenant) {
  const { nextCursor, sequence, epoch } = JSON.parse(await readText(service, tenant, JSON_TYPE));
  return { nextCursor, sequence, epoch };
}

test('an empty list has the expected text in every format', async () => {
  const tenant = await service.createTenant();
  const { epoch } = await readFrame(tenant);
  const frame = `"nextCursor":null,"sequence":0,"epoch":"${epoch}"}`;
  for (const [format, text] of [
    [JSON_TYPE, `{"data":[],${frame}`],
    [NDJSON, `{"end":true,"count":0,"sequence":0,"epoch":"${epoch}"}\n`],
    [CSV, HEADER],
    [GEOJSON, `{"type":"FeatureCollection","features":[],${frame}`],
  ] as const) {
    assert.equal(await readText(service, tenant, format), text);
    assert.equal(await readText(service, tenant, format, '?limit=1'), text);
  }
});

test('two listings, one of them with coordinates, have the expected text in every format', async () => {
  const tenant = await service.createTenant();
  const place = { latitude: 30.2672, longitude: -97.7431 };
  const photos = [{ url: 'https://a.example/1.jpg', caption: 'a "b"' }];
  const input = { ...MINIMAL, address: '=1, Elm', ...place, description: 'One\nTwo', photos, metadata: { a: '=1' } };
  const docs: string[] = [];
  for (const body of [MINIMAL, input]) docs.unshift(await (await post(service, tenant, body)).text());
  const [second, first] = docs.map((doc) => JSON.parse(doc));
  const { epoch } = await readFrame(tenant);
  const frame = `"nextCursor":null,"sequence":2,"epoch":"${epoch}"}`;

  assert.equal(await readText(service, tenant, JSON_TYPE), `{"data":[${docs.join(',')}],${frame}`);
  const lastLine = `{"end":true,"count":2,"sequence":2,"epoch":"${epoch}"}`;
  assert.equal(await readText(service, tenant, NDJSON), `${docs.join('\n')}\n${lastLine}\n`);
  const row = (listing: { id: string; createdAt: string; updatedAt: string }, cells: string) =>
    `${listing.id},,,${cells},1,${listing.createdAt},${listing.updatedAt}\r\n`;
  assert.equal(
    await readText(service, tenant, CSV),
    HEADER +
      row(
        second,
        `"'=1, Elm",,,,,,3,2,active,,,,,,,,,,,,30.2672,-97.7431,"One\nTwo",` +
          `"[{""url"":""https://a.example/1.jpg"",""caption"":""a \\""b\\""""}]","{""a"":""=1""}"`,
      ) +
      row(first, '12 Elm Street,,,,,,3,2,active,,,,,,,,,,,,,,,,'),
  );
  const feature = (id: string, geometry: string, doc: string | undefined) =>
    `{"type":"Feature","id":"${id}","geometry":${geometry},"properties":${doc}}`;
  const features = [
    feature(second.id, '{"type":"Point","coordinates":[-97.7431,30.2672]}', docs[0]),
    feature(first.id, 'null', docs[1]),
  ];
  const collection = `{"type":"FeatureCollection","features":[${features.join(',')}],${frame}`;
  assert.equal(await readText(service, tenant, GEOJSON), collection);
});

test('every format links to the next page, and both JSON formats have its cursor', async () => {
  const tenant = await service.createTenant();
  for (let count = 0; count < 3; count += 1) await readListing(await post(service, tenant, MINIMAL), 201);
  for (const format of FORMATS) {
    const response = await service.fetch(tenant, '/v1/listings?limit=2&fields=id', { headers: { Accept: format } });
    const text = await response.text();
    const link = /^<\/v1\/listings\?limit=2&fields=id&cursor=([\w-]+)>; rel="next"$/;
    const [, cursor = ''] = link.exec(response.headers.get('link') ?? '') ?? [];
    assert.notEqual(cursor, '', format);
    if (format === JSON_TYPE || format === GEOJSON) assert.equal(JSON.parse(text).nextCursor, cursor);
    if (format === NDJSON) assert.equal(JSON.parse(text.split('\n')[2] ?? '').count, 2);
  }
});

test('only a CSV has the sequence and epoch in headers', async () => {
  const tenant = await service.createTenant();
  await readListing(await post(service, tenant, MINIMAL), 201);
  const { sequence, epoch } = await readFrame(tenant);
  for (const format of FORMATS) {
    const { headers } = await service.fetch(tenant, '/v1/listings', { headers: { Accept: format } });
    const expected = format === CSV ? [String(sequence), epoch] : [null, null];
    assert.deepEqual([headers.get('x-sequence'), headers.get('x-epoch')], expected, format);
  }
});

test('Content-Type names the format, and the charset of a CSV', async () => {
  const tenant = await service.createTenant();
  for (const format of FORMATS) {
    const { headers } = await service.fetch(tenant, '/v1/listings', { headers: { Accept: format } });
    assert.equal(headers.get('content-type'), format === CSV ? 'text/csv; charset=utf-8' : format);
  }
});

describe('each format has its own ETag', () => {
  test('which gets 304 for this format and 200 for others', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, MINIMAL), 201);
    for (const query of ['', '?limit=1', '?fields=id']) {
      for (const format of FORMATS) {
        const first = await service.fetch(tenant, `/v1/listings${query}`, { headers: { Accept: format } });
        const etag = first.headers.get('etag') ?? '';
        assert.match(etag, /^W\/"/);
        for (const other of FORMATS) {
          const headers = { Accept: other, 'If-None-Match': etag };
          const { status } = await service.fetch(tenant, `/v1/listings${query}`, { headers });
          assert.equal(status, other === format ? 304 : 200, `${format}, then ${other}`);
        }
      }
    }
  });
});

test('HEAD has the headers of GET in every format', async () => {
  const tenant = await service.createTenant();
  await readListing(await post(service, tenant, MINIMAL), 201);
  for (const format of FORMATS) {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) =>
        service.fetch(tenant, '/v1/listings?limit=1', { method, headers: { Accept: format, 'X-Request-Id': 'same' } }),
      ),
    );
    const comparable = (response: Response | undefined) =>
      [...(response?.headers ?? [])].filter(([name]) => !/^(date|ratelimit|connection|keep-alive)$/.test(name));
    assert.deepEqual(comparable(head), comparable(get));
    assert.equal(await head?.text(), '');
  }
});
test('the total is in the last member or line, or in a header of a CSV', () => {
  const frame = { nextCursor: null, sequence: 7, epoch: 'abcdefgh', total: 5 };
  const reply = (format: string) =>
    replyList(formatOf(format), { frame, first: [], rest: undefined }, { fields: ['id'] }, {});
  const members = '"nextCursor":null,"sequence":7,"epoch":"abcdefgh","total":5}';
  assert.equal(reply(JSON_TYPE).body, `{"data":[],${members}`);
  assert.equal(reply(GEOJSON).body, `{"type":"FeatureCollection","features":[],${members}`);
  assert.equal(reply(NDJSON).body, '{"end":true,"count":0,"sequence":7,"epoch":"abcdefgh","total":5}\n');
  assert.equal(reply(CSV).body, 'id\r\n');
  assert.equal(reply(CSV).headers['X-Total-Count'], '5');
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fill, MINIMAL, post } from '../../../testkit/src/listings.ts';
import { linesOf, readList, readListing } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { CSV, FORMATS, type Members, parseList, readText } from '../support/formats.ts';
import { FULL_LISTING } from '../support/full-listing.ts';

const service = await startSharedService();

async function readListings(tenant: Tenant, format: string): Promise<Members[]> {
  return parseList(format, await readText(service, tenant, format));
}

const HOSTILE = [
  ...['=1+1', '+49', '-5', '@a', "'=1", "''=1", "'s", '"', 'a"b', ',', 'a,b;c', '\\', '{}', '[]', 'null', '0', '007'],
  ...['1e3', 'true', '😀語é', 'a\u2028b', 'a\ufeffb', '<script>', '%00', '</a>'],
];

describe('every format contains the same listings', () => {
  test('with all fields, with few, and with hostile strings', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, MINIMAL), 201);
    await readListing(await post(service, tenant, FULL_LISTING), 201);
    for (const text of HOSTILE) {
      const texts = { address: text, externalId: text, city: text, description: `${text}\n${text}` };
      const photos = [{ url: 'https://a.example/', caption: text }];
      await readListing(await post(service, tenant, { ...MINIMAL, ...texts, photos, metadata: { [text]: text } }), 201);
    }
    const expected = (await readList(await service.fetch(tenant, '/v1/listings'))).data;
    assert.equal(expected.length, HOSTILE.length + 2);
    for (const format of FORMATS) assert.deepEqual(await readListings(tenant, format), expected, format);
  });

  for (const count of [0, 1, 250, 251, 700]) {
    test(`${count} listings`, async () => {
      const tenant = await service.createTenant();
      const ids = await fill(service, tenant, count);
      for (const format of FORMATS) {
        const found = await readListings(tenant, format);
        assert.deepEqual(linesOf(found, 'id'), ids.toReversed(), format);
      }
    });
  }

  test('Link headers lead through all pages, even if the format changes between them', async () => {
    const tenant = await service.createTenant();
    const ids = await fill(service, tenant, 9);
    const seen: unknown[] = [];
    let path = '/v1/listings?limit=2&fields=id';
    for (const format of [...FORMATS, CSV]) {
      const response = await service.fetch(tenant, path, { headers: { Accept: format } });
      seen.push(...parseList(format, await response.text()));
      const link = response.headers.get('link') ?? '';
      assert.equal(link === '', seen.length === ids.length);
      path = /^<(.*)>; rel="next"$/.exec(link)?.[1] ?? '';
    }
    const expected = ids.toReversed().map((id) => ({ id }));
    assert.deepEqual(seen, expected);
  });
});

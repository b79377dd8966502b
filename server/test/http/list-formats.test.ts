import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fill, MINIMAL, post } from '../../../testkit/src/listings.ts';
import { readList, readListing } from '../../../testkit/src/replies.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { CSV, FORMATS, type Members, parseList, readText } from '../support/formats.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

async function readListings(tenant: Tenant, format: string): Promise<Members[]> {
  return parseList(format, await readText(service, tenant, format));
}

const HOSTILE = [
  '=1+1',
  '+49',
  '-5',
  '@a',
  "'=1",
  "''=1",
  "'s",
  '"',
  'a"b',
  ',',
  'a,b;c',
  '\\',
  '{}',
  '[]',
  'null',
  '0',
  '007',
  '1e3',
  'true',
  '😀語é',
  'a\u2028b',
  'a\ufeffb',
  '<script>',
  '%00',
  '</a>',
];

const FULL = {
  externalId: 'A-1',
  address: '12 Elm Street',
  unitNumber: '-4',
  city: 'Austin',
  stateOrProvince: 'TX',
  postalCode: '00701',
  country: 'US',
  beds: 0,
  baths: 999,
  status: 'hold',
  propertyType: 'land',
  listPrice: 999999999999.99,
  currency: 'EUR',
  livingArea: 0.01,
  livingAreaUnits: 'sqm',
  lotSizeArea: 0.0001,
  lotSizeUnits: 'acres',
  yearBuilt: 1000,
  latitude: -1e-8,
  longitude: -97.12345678,
  description: 'One\nTwo\tThree, "four"',
  photos: [{ url: 'https://example.com/1.jpg', caption: 'a\n"b"' }, { url: 'https://example.com/2.jpg' }],
  metadata: { '=a': '=1\u2028', 'b"': '', c: 1e-7, d: false, e: '\u00a0 x ' },
};

describe('every format has the same listings', () => {
  test('with every field, with few, and with hostile texts in all of them', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, MINIMAL), 201);
    await readListing(await post(service, tenant, FULL), 201);
    for (const text of HOSTILE) {
      const input = {
        ...MINIMAL,
        address: text,
        externalId: text,
        city: text,
        description: `${text}\n${text}`,
        metadata: { [text]: text },
        photos: [{ url: 'https://a.example/', caption: text }],
      };
      await readListing(await post(service, tenant, input), 201);
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
        assert.deepEqual(
          found.map(({ id }) => id),
          ids.toReversed(),
          format,
        );
      }
    });
  }

  test('pages follow each other by Link, and the format may change between them', async () => {
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
    assert.deepEqual(
      seen,
      ids.toReversed().map((id) => ({ id })),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { readError, readList } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { createListing, deleteListing, updateListing } from '../../src/domain/listings/listings.ts';
import type { Listing, ListingInput } from '../../src/model/listings.ts';
import { search } from '../support/search-model.ts';

const { MODEL_RUNS = '100' } = process.env;

const service = await startSharedService();

async function create(tenant: Tenant, fields: Partial<ListingInput>): Promise<string> {
  const { outcome } = await createListing(service.database, tenant, { ...MINIMAL, ...fields });
  return outcome.id;
}

/** The ids of the found listings. */
async function find(tenant: Tenant, words: string): Promise<string[]> {
  const { data } = await readList(await service.fetch(tenant, `/v1/listings?q=${encodeURIComponent(words)}`));
  return data.map(({ id }) => id);
}

const tenant = await service.createTenant();
const house = await create(tenant, {
  address: '12-A O’Connor Straße',
  city: 'Cañon City',
  description: 'Bright corner,\nmit Größe 5½ & Ⅷ; ΟΔΟΣ.ΑΒ Œuvre\tﬁne 東京都 İstanbul ٣٤',
  externalId: 'MLS-20931',
  unitNumber: 'unit9',
  stateOrProvince: 'Colorado',
  postalCode: '81212',
  metadata: { agent: 'Smith' },
  photos: [{ url: 'https://a.example/1.jpg', caption: 'kitchen' }],
});

describe('each word must start a word of address, unit number, city, postal code, external id, or description', () => {
  const found = [
    ...['12', 'a', 'O’Connor', "o'connor", 'o', 'connor', 'stra', 'straße', 'STRA', 'canon', 'CAÑON', 'cañ'],
    ...['city canon', 'canon 12 bright', 'bri cor', 'große', 'GRO', '5', '1 2 5', 'viii', 'VIII', 'οδοσ', 'Οδός'],
    ...['οδος', 'αβ', 'œuvre', 'ŒUV', 'fine', 'ﬁne', '東', '東京', 'istanbul', 'ISTANBUL', 'İstanbul', '٣'],
    ...['canon, city!', '"canon" & (city)', 'canon*', 'city canon city'],
    ...['mls', '20931', 'MLS-20931', '209', 'unit9', 'unit', '81212', '812 unit', 'canon 81212 mls'],
  ];
  for (const words of found) {
    test(`found: ${words}`, async () => {
      assert.deepEqual(await find(tenant, words), [house]);
    });
  }

  const notFound = [
    ...['anon', 'onnor', 'canon denver', 'canoncity', 'citycanon', '京', '3', 'kitchen', 'smith', '0931', 'nit9'],
    ...['colorado', '1212', 'listings', 'active', 'house', 'brights', 'NOT canon', 'canon OR denver', 'words:canon'],
    '^12 zzz',
  ];
  for (const words of notFound) {
    test(`not found: ${words}`, async () => {
      assert.deepEqual(await find(tenant, words), []);
    });
  }
});

test('a search finds the current text only, and no deleted listings', async () => {
  const owner = await service.createTenant();
  const id = await create(owner, { city: 'Austin' });
  const other = await create(owner, { city: 'Boston' });
  assert.deepEqual(await find(owner, 'austin'), [id]);
  await updateListing(service.database, owner, { id }, () => ({ ...MINIMAL, city: 'Boston', beds: 4 }));
  assert.deepEqual([await find(owner, 'austin'), await find(owner, 'boston')], [[], [other, id]]);
  await updateListing(service.database, owner, { id }, () => ({ ...MINIMAL, city: 'Boston', beds: 5 }));
  assert.deepEqual(await find(owner, 'bos elm'), [other, id]);
  await deleteListing(service.database, owner, { id: other });
  assert.deepEqual(await find(owner, 'boston'), [id]);
  const third = await create(owner, { city: 'Denver' });
  assert.deepEqual([await find(owner, 'boston'), await find(owner, 'denver')], [[id], [third]]);
});

test('a search follows a change of every searched field', async () => {
  const owner = await service.createTenant();
  const id = await create(owner, {});
  for (const [field, value] of [
    ['unitNumber', 'penthouse'],
    ['postalCode', '78701'],
    ['externalId', 'MLS-7'],
  ] as const) {
    assert.deepEqual(await find(owner, value), []);
    await updateListing(service.database, owner, { id }, () => ({ ...MINIMAL, [field]: value }));
    assert.deepEqual(await find(owner, value), [id], field);
    await updateListing(service.database, owner, { id }, () => MINIMAL);
    assert.deepEqual(await find(owner, value), [], field);
  }
});

test('words as long as a description are found by their prefix', async () => {
  const owner = await service.createTenant();
  // Normalization turns each letter into three, of three bytes each.
  const id = await create(owner, { description: '각'.repeat(4000) });
  const latin = await create(owner, { description: 'x'.repeat(4000) });
  assert.deepEqual(await find(owner, '각'.repeat(166)), [id]);
  assert.deepEqual(await find(owner, 'x'.repeat(200)), [latin]);
  assert.deepEqual(await find(owner, `${'x'.repeat(198)} y`), []);
});

test('a searched word is compared whole: one that is too long for the index is rejected', async () => {
  const owner = await service.createTenant();
  // Normalization turns ㌖ into six characters.
  const start = '㌖'.repeat(83);
  const id = await create(owner, { description: `${start}abcd` });
  const other = await create(owner, { description: `${start}ab` });
  assert.deepEqual(await find(owner, start), [other, id]);
  assert.deepEqual(await find(owner, `${start}ab`), [other, id]);
  assert.deepEqual(await find(owner, `${start}ac`), []);
  for (const words of [`${start}abc`, `elm ${'㌖'.repeat(90)}y`, '각'.repeat(167)]) {
    const response = await service.fetch(owner, `/v1/listings?q=${encodeURIComponent(words)}`);
    const { details } = await readError(response, 400, 'invalid_query');
    assert.deepEqual(details, [
      {
        field: 'query.q',
        code: 'too_long',
        message: 'Must not contain a word of more than 500 characters after Unicode normalization (NFKD).',
      },
    ]);
  }
});

/** Any valid characters, including letters of many scripts and separators. */
const character = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom(
    ...['a', 'B', 'é', 'ß', 'Σ', 'ς', 'İ', 'ı', 'ﬁ', '½', 'Ⅷ', '\u0301', '\u200d', ' ', '-', '.', '’', '"', '*', '각'],
    '東',
  ),
);
const text = fc
  .array(character, { minLength: 1, maxLength: 12 })
  .map((characters) =>
    characters
      .join('')
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
      .normalize('NFC'),
  )
  .filter((given) => given !== '' && given.trim() === given);

test('any search finds the same listings as a comparison with each description', async () => {
  const owner = await service.createTenant();
  const texts = fc.sample(text, { numRuns: 400, seed: 3 });
  await Promise.all(texts.map((description) => create(owner, { description })));
  const all: Listing[] = JSON.parse(await (await service.fetch(owner, '/v1/listings')).text()).data;
  const words = fc
    .tuple(fc.constantFrom(...texts), fc.nat(11), fc.integer({ min: 1, max: 12 }))
    .map(([given, start, length]) => [...given].slice(start, start + length).join(''));
  await fc.assert(
    fc.asyncProperty(fc.oneof(words, text), async (q) => {
      const expected = search(all, { q });
      const response = await service.fetch(owner, `/v1/listings?q=${encodeURIComponent(q)}`);
      if (response.status === 400) assert.equal(/[\p{L}\p{N}]/u.test(q.normalize('NFKD')), false, q);
      else assert.deepEqual((await readList(response)).data, expected, q);
    }),
    { numRuns: Number(MODEL_RUNS) },
  );
});

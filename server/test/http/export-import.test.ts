import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { counts, importFile, JSON_ARRAY, listAll, NDJSON } from '../../../testkit/src/imports.ts';
import { MINIMAL } from '../../../testkit/src/listings.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { LISTING_FIELDS as FIELDS } from '../../src/http/contract/schemas/listings.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const RUNS = 12;

/** Ambiguous strings: formulas, quotes, separators, other values, raw bytes. */
const PIECES = [
  ...[
    '=',
    '+',
    '-',
    '@',
    "'",
    "''",
    '"',
    '""',
    ',',
    ';',
    '\\',
    '\\n',
    ' ',
    '\u00a0',
    '\ufeff',
    '\ufffd',
    '\u2028',
    '%',
  ],
  ...['null', 'true', '{"a":1}', '[]', '007', '1e3', 'a', 'é', 'e\u0301', '語', '😀', '<b>', '#', '.'],
];
const LINES = [...PIECES, '\t', '\n', '\n\n'];
const isText = (value: string) => !/^[\s.]*$/.test(value);
const text = (lengthMax = 6) =>
  fc.string({ unit: fc.constantFrom(...PIECES), minLength: 1, maxLength: lengthMax }).filter(isText);
const lines = fc.string({ unit: fc.constantFrom(...LINES), minLength: 1, maxLength: 20 }).filter(isText);
const decimal = (decimals: number) => fc.nat(2 ** 31 - 1).map((value) => (value + 1) / 10 ** decimals);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const listing = fc.record({
  externalId: maybe(text()),
  address: text(),
  unitNumber: maybe(text(3)),
  city: maybe(text()),
  stateOrProvince: maybe(text()),
  postalCode: maybe(text(1)),
  country: maybe(fc.constantFrom('US', 'CH')),
  beds: fc.nat(999),
  baths: fc.nat(999),
  status: maybe(fc.constantFrom('active', 'hold', 'active_under_contract')),
  propertyType: maybe(fc.constantFrom('land', 'manufactured_in_park')),
  listPrice: maybe(decimal(2)),
  closePrice: maybe(decimal(2)),
  onMarketDate: maybe(fc.constantFrom('2026-11-22', '0001-01-01')),
  closeDate: maybe(fc.constantFrom('9999-12-31')),
  livingArea: maybe(decimal(2)),
  lotSizeArea: maybe(decimal(4)),
  yearBuilt: maybe(fc.integer({ min: 1000, max: 2026 })),
  coordinates: maybe(fc.tuple(fc.integer({ min: -90e8, max: 90e8 }), fc.integer({ min: -180e8, max: 180e8 }))),
  description: maybe(lines),
  photos: maybe(
    fc.array(fc.record({ url: text(2).map((end) => `https://a.example/${end}`), caption: maybe(lines) }), {
      maxLength: 2,
    }),
  ),
  metadata: maybe(
    fc.dictionary(text(), fc.oneof(text(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()), {
      maxKeys: 3,
    }),
  ),
});

type Generated = typeof listing extends fc.Arbitrary<infer T> ? T : never;

function toRow({ coordinates, ...fields }: Generated): object {
  const [latitude, longitude] = coordinates?.map((value) => value / 1e8) ?? [];
  return { ...fields, latitude, longitude };
}

/** Imports listings with these fields and a minimal one. @returns the number created */
async function plant(tenant: Tenant, generated: Generated[]): Promise<number> {
  const rows = [...generated.map(toRow), MINIMAL];
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const { errors, ...planted } = await importFile(service, tenant, { type: NDJSON, body });
  // Random names or external ids can be equal once normalized; only such rows may fail.
  assert.ok(
    errors.every((error) => error.includes('duplicate')),
    errors.join(),
  );
  return planted.created;
}

async function exportAs(tenant: Tenant, type: string, query = ''): Promise<string> {
  const response = await service.fetch(tenant, `/v1/listings${query}`, { headers: { Accept: type } });
  const body = await response.text();
  return type === JSON_ARRAY ? JSON.stringify(JSON.parse(body).data) : body;
}

const TYPES = [NDJSON, JSON_ARRAY, 'text/csv'];

describe('importing an export changes nothing', () => {
  for (const type of TYPES) {
    test(`as ${type}, with any field values`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(listing, { maxLength: 20 }), async (generated) => {
          const tenant = await service.createTenant();
          const count = await plant(tenant, generated);
          const before = await listAll(service, tenant);
          const body = await exportAs(tenant, type);
          assert.deepEqual(await importFile(service, tenant, { type, body }), counts(0, 0, count));
          assert.deepEqual(await listAll(service, tenant), before);
        }),
        { numRuns: RUNS },
      );
    });
  }
});

describe('importing an export into another account creates the same listings', () => {
  const OWN = ['id', 'version', 'createdAt', 'updatedAt'];

  for (const type of TYPES) {
    test(`as ${type}, without the ids`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(listing, { maxLength: 20 }), async (generated) => {
          const [from, to] = [await service.createTenant(), await service.createTenant()];
          const count = await plant(from, generated);
          const fields = FIELDS.filter((field) => !OWN.includes(field)).join();
          const body = await exportAs(from, type, `?fields=${fields}`);
          assert.deepEqual(await importFile(service, to, { type, body }), counts(count));
          const contents = async (tenant: Tenant) =>
            (await listAll(service, tenant)).data.map(
              ({ id: _i, version: _v, createdAt: _c, updatedAt: _u, ...fields }) => JSON.stringify(fields),
            );
          // An export starts with the newest listing, which the import creates first, so it is the oldest there.
          assert.deepEqual(await contents(to), (await contents(from)).reverse());
        }),
        { numRuns: RUNS },
      );
    });
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listAll, NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { type Expected, FEED_VALUES } from '../support/feed-values.ts';

const service = await startSharedService();

/** For each kind of value in a feed, the column that has it, and how to read the result from the listing. */
const SHAPES: Record<
  keyof typeof FEED_VALUES,
  { column: string; read: (listing: Record<string, unknown>) => unknown }
> = {
  listPrice: { column: 'listPrice', read: ({ listPrice }) => listPrice },
  currency: { column: 'listPrice', read: ({ currency }) => currency },
  livingArea: { column: 'livingArea', read: ({ livingArea, livingAreaUnits }) => join(livingArea, livingAreaUnits) },
  lotSizeArea: { column: 'lotSizeArea', read: ({ lotSizeArea, lotSizeUnits }) => join(lotSizeArea, lotSizeUnits) },
  beds: { column: 'beds', read: ({ beds }) => beds },
  baths: { column: 'baths', read: ({ baths }) => baths },
  yearBuilt: { column: 'yearBuilt', read: ({ yearBuilt }) => yearBuilt },
  closeDate: { column: 'closeDate', read: ({ closeDate }) => closeDate },
  status: { column: 'status', read: ({ status }) => status },
  propertyType: { column: 'propertyType', read: ({ propertyType }) => propertyType },
  country: { column: 'country', read: ({ country }) => country },
  latitude: { column: 'latitude', read: ({ latitude }) => latitude },
  metadata: { column: 'Custom', read: ({ metadata }) => Object(metadata).custom },
  city: { column: 'city', read: ({ city }) => city },
};

function join(area: unknown, unit: unknown) {
  return area === undefined ? undefined : `${area} ${unit}`;
}

const quote = (cell: unknown) => `"${String(cell).replaceAll('"', '""')}"`;

describe('each value of real feeds is read correctly or is an error', () => {
  for (const [kind, values] of Object.entries(FEED_VALUES) as [keyof typeof FEED_VALUES, [string, Expected][]][]) {
    const { column, read } = SHAPES[kind];
    const rowOf = (given: string, index: number) => ({
      ...{ externalId: `${index}`, address: '12 Elm Street', beds: 3, baths: 2 },
      ...(kind === 'latitude' && { longitude: -97.7431 }),
      [column]: given,
    });
    const rows = values.map(([given], index) => rowOf(given, index));
    const query = '?clean=true&map[Custom]=metadata.custom'.slice(
      0,
      kind === 'metadata' ? undefined : '?clean=true'.length,
    );
    const names = Object.keys(rows[0] ?? {});
    const csv = [names.join(), ...rows.map((row) => Object.values(row).map(quote).join())].join('\n');
    const ndjson = rows.map((row) => JSON.stringify(row)).join('\n');
    for (const [type, body] of [
      ['text/csv', csv],
      [NDJSON, ndjson],
    ] as const) {
      test(`${kind} in ${type}`, async () => {
        const tenant = await service.createTenant();
        const headers = { Accept: NDJSON };
        const text = await (await sendFile(service, tenant, { type, body, query, headers })).text();
        const failures = text
          .trim()
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line));
        const messages = new Map(
          failures.map(({ externalId, message, details }) => [externalId, JSON.stringify([message, details])]),
        );
        const { data } = await listAll(service, tenant);
        const listings = new Map(data.map((listing) => [listing.externalId, listing]));
        for (const [index, [given, expected]] of values.entries()) {
          const listing = listings.get(`${index}`);
          const message = messages.get(`${index}`)?.replaceAll('\\"', '"');
          if (expected instanceof RegExp) {
            assert.equal(listing && read(listing), undefined, `${given} must be an error`);
            assert.match(message ?? '', expected, given);
          } else {
            assert.ok(listing !== undefined, `${given}: ${message}`);
            assert.equal(read(listing) ?? null, expected, given);
          }
        }
      });
    }
  }
});

test('with semicolons, a comma before three digits is unambiguous only in an amount of dollars', async () => {
  const tenant = await service.createTenant();
  const cells = ['$450,000', 'USD 450,000', '450,000', '€450,000'];
  const rows = cells.map((cell, index) => `${index};12 Elm Street;3;2;${cell}`);
  const body = ['externalId;address;beds;baths;listPrice', ...rows].join('\n');
  const { errors } = await readReport(
    await sendFile(service, tenant, { type: 'text/csv', body, query: '?clean=true' }),
  );
  assert.deepEqual(
    errors.map(({ externalId }) => externalId),
    ['2', '3'],
  );
  const { data } = await listAll(service, tenant);
  assert.deepEqual(new Set(data.map(({ listPrice }) => listPrice)), new Set([450_000]));
});

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { only } from '../../../testkit/src/database.ts';
import { counts, importFile, listAll, NDJSON, sendFile } from '../../../testkit/src/imports.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { readError, readListing } from '../../../testkit/src/replies.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { MEBIBYTE, watchMemory } from '../support/memory.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const RUNS = 25;
const row = (members: object) => ({ ...MINIMAL, ...members });
const line = (members: object = {}) => `${JSON.stringify(row(members))}\n`;

/** Sends a file as a dry run, then as an import: same response, but only the import changes data. */
async function importBothWays(tenant: Tenant, type: string, body: string, query = ''): Promise<unknown> {
  const before = await listAll(service, tenant);
  const dry = await send(tenant, type, body, `?dryRun=true${query}`);
  assert.deepEqual(await listAll(service, tenant), before);
  const real = await send(tenant, type, body, `?dryRun=false${query}`);
  assert.deepEqual(dry, real);
  return real;
}

async function send(tenant: Tenant, type: string, body: string, query: string) {
  const response = await sendFile(service, tenant, { type, body, query });
  const text = (await response.text())
    .replace(/"requestId":"[^"]*"/, '')
    // New listings get different ids.
    .replaceAll(/lst_[0-9a-z]{26}/g, 'lst_');
  return [response.status, text];
}

const importShort = (tenant: Tenant) =>
  sendFile(service, tenant, { type: NDJSON, body: line(), query: '?dryRun=true' });

/** Rows that affect each other and existing listings: few external ids and values. */
const jsonRow = fc.record(
  {
    target: fc.nat(9),
    externalId: fc.constantFrom('A', 'B', 'C', ' A ', null),
    beds: fc.constantFrom(1, 2, -1),
    listPrice: fc.constantFrom(1, null),
    currency: fc.constantFrom('USD', 'EUR'),
  },
  { requiredKeys: ['beds'] },
);

/** Such rows as CSV, with only some of the columns. */
const csvColumns = fc.uniqueArray(
  fc.constantFrom('target', 'externalId', 'address', 'beds', 'baths', 'listPrice', 'currency', 'latitude', 'longitude'),
  { minLength: 1 },
);
const csvCells = fc.record({
  target: fc.nat(9),
  externalId: fc.constantFrom('A', 'B', 'C', ''),
  address: fc.constantFrom('x', 'y', ''),
  beds: fc.constantFrom('1', '2', '', 'x'),
  baths: fc.constantFrom('1', ''),
  listPrice: fc.constantFrom('1', ''),
  currency: fc.constantFrom('USD', 'EUR', ''),
  latitude: fc.constantFrom('1', ''),
  longitude: fc.constantFrom('1', ''),
});

/** Creates the existing listings. The `target` of a row is the index of one of them, or of none. */
async function plant(tenant: Tenant): Promise<string[]> {
  const ids: string[] = [];
  for (const members of [
    { externalId: 'A' },
    { externalId: 'B', listPrice: 5, currency: 'EUR' },
    { latitude: 1, longitude: 1 },
  ]) {
    ids.push((await readListing(await post(service, tenant, row(members)), 201)).id);
  }
  return ids;
}

describe("a dry run returns the import's response", () => {
  test('for JSON rows that affect each other and existing listings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jsonRow, { maxLength: 12 }), fc.boolean(), async (rows, isAtomic) => {
        const tenant = await service.createTenant();
        const ids = await plant(tenant);
        const body = rows.map(({ target, ...members }) =>
          line({ ...members, ...(target !== undefined && { id: ids[target] }) }),
        );
        await importBothWays(tenant, NDJSON, body.join(''), isAtomic ? '&atomic=true' : '');
      }),
      { numRuns: RUNS },
    );
  });

  test('for CSV rows with missing columns and empty cells', async () => {
    await fc.assert(
      fc.asyncProperty(
        csvColumns,
        fc.array(csvCells, { maxLength: 12 }),
        fc.boolean(),
        async (columns, rows, isAtomic) => {
          const tenant = await service.createTenant();
          const ids = await plant(tenant);
          const header = columns.map((column) => (column === 'target' ? 'id' : column)).join();
          const lines = rows.map((cells) =>
            columns.map((column) => (column === 'target' ? (ids[cells.target] ?? '') : cells[column])).join(),
          );
          await importBothWays(tenant, 'text/csv', [header, ...lines, ''].join('\n'), isAtomic ? '&atomic=true' : '');
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('for an externalId that moves to another listing', async () => {
    const tenant = await service.createTenant();
    const { id } = await readListing(await post(service, tenant, row({ externalId: 'A' })), 201);
    const body =
      line({ id, externalId: 'B' }) + line({ externalId: 'A' }) + line({ id, externalId: 'A' }) + line({ id });
    const [status, report] = Object(await importBothWays(tenant, NDJSON, body));
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(report), {
      ...counts(1, 1, 1, 1),
      failed: 1,
      errors: [{ ...JSON.parse(report).errors[0], line: 3, code: 'external_id_taken' }],
    });
  });

  test('for rejected and broken files', async () => {
    const tenant = await service.createTenant();
    for (const [type, body, query, status] of [
      ['text/csv', 'adress\nx\n', '', 422],
      ['application/json', `[${line()},`, '', 400],
      ['application/json', `[${line()},`, '&atomic=true', 400],
      [NDJSON, '{}\n', '&atomic=true', 422],
      [NDJSON, line({ id: 'lst_0' }), '&atomic=true', 422],
      [NDJSON, line().repeat(10_001), '&atomic=true', 413],
    ] as const) {
      const [replied] = Object(await importBothWays(await service.createTenant(), type, body, query));
      assert.equal(replied, status);
    }
    assert.equal((await listAll(service, tenant)).sequence, 0);
  });
});

describe('a dry run leaves no traces', () => {
  test('it creates no listing and no event', async () => {
    const tenant = await service.createTenant();
    const sent = { type: NDJSON, body: line({ externalId: 'A' }) };
    for (const query of ['?dryRun=true&atomic=true', '?dryRun=true&atomic=true', '?dryRun=true', '?atomic=true']) {
      assert.deepEqual(await importFile(service, tenant, { ...sent, query }), counts(1));
    }
    const { data } = Object(await (await service.fetch(tenant, '/v1/events')).json());
    assert.equal(data.length, 1);
  });

  test('it rejects an Idempotency-Key without using it up', async () => {
    const tenant = await service.createTenant();
    const sent = { type: NDJSON, body: line(), headers: { 'Idempotency-Key': 'a' } };
    const dry = () => sendFile(service, tenant, { ...sent, query: '?atomic=true&dryRun=true' });
    assert.match((await readError(await dry(), 400, 'invalid_idempotency_key')).message, /dry run/);
    const real = { ...sent, query: '?atomic=true&dryRun=false' };
    assert.deepEqual(await importFile(service, tenant, real), counts(1));
    await readError(await dry(), 400, 'invalid_idempotency_key');
    const again = await sendFile(service, tenant, real);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await listAll(service, tenant)).sequence, 1);
  });

  test('it takes constant memory', only('sqlite', 'a dry run saves its rows in SQLite on both engines'), async () => {
    const tenant = await service.createTenant();
    const description = 'x'.repeat(3900);
    const body = (async function* () {
      for (let index = 0; index < 8000; index += 16) {
        const lines = Array.from({ length: 16 }, (_, at) => line({ externalId: `A-${index + at}`, description }));
        yield Buffer.from(lines.join(''));
      }
    })();
    const sent = { type: NDJSON, body, query: '?dryRun=true' };
    const { result, growthBytes } = await watchMemory(() => importFile(service, tenant, sent));
    assert.deepEqual(result, counts(8000));
    assert.ok(growthBytes < 20 * MEBIBYTE, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
  });

  test("an account's fifth concurrent dry run gets 429; other accounts are not affected", async () => {
    const [tenant, other] = [await service.createTenant(), await service.createTenant()];
    const ended = Promise.withResolvers<void>();
    const body = async function* () {
      yield Buffer.from(line());
      await ended.promise;
    };
    const send = () => sendFile(service, tenant, { type: NDJSON, body: body(), query: '?dryRun=true' });
    const sent = Array.from({ length: 5 }, send);
    const rejected = await Promise.race(sent);
    assert.equal(rejected.headers.get('retry-after'), '5');
    await readError(rejected, 429, 'too_many_imports');
    assert.equal((await importShort(other)).status, 200);
    ended.resolve();
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 429]);
    assert.equal((await importShort(tenant)).status, 200);
  });

  test('a read-only key gets 403', async () => {
    const reader = await service.createTenant('Readers', 'read');
    const response = await sendFile(service, reader, { type: NDJSON, body: line(), query: '?dryRun=true' });
    await readError(response, 403, 'insufficient_scope');
  });
});

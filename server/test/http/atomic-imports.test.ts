import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { only } from '../../../testkit/src/database.ts';
import { counts, importFile, JSON_ARRAY, listAll, NDJSON, sendFile } from '../../../testkit/src/imports.ts';
import { MINIMAL, post } from '../../../testkit/src/listings.ts';
import { type ErrorReply, readError, readListing } from '../../../testkit/src/replies.ts';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { storedSequence, words } from '../storage/support.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const line = (members: object = {}) => `${JSON.stringify({ ...MINIMAL, ...members })}\n`;
const query = '?atomic=true';
const run = (tenant: Tenant, body: string, type = NDJSON) => importFile(service, tenant, { type, body, query });

/** `line field: code` of each issue, in order. */
async function rejected(tenant: Tenant, body: string, type = NDJSON): Promise<string[]> {
  const error = await readError(await sendFile(service, tenant, { type, body, query }), 422, 'import_failed');
  return faults(error);
}

function faults({ details = [] }: ErrorReply): string[] {
  return details.map(({ line: at, field, code }) => `${at} ${field}: ${code}`);
}

async function assertNothing(tenant: Tenant): Promise<void> {
  const { data, sequence } = await listAll(service, tenant);
  assert.deepEqual([data, sequence], [[], 0]);
}

describe('an atomic import saves all rows or none', () => {
  const files: [type: string, good: string, bad: string, at: number][] = [
    [NDJSON, line().repeat(3), `${line().repeat(2)}{}\n${line()}`, 3],
    [JSON_ARRAY, `[${line()},${line()},${line()}]`, `[${line()},${line()},{},${line()}]`, 3],
    ['text/csv', 'address,beds,baths\na,1,1\na,1,1\na,1,1\n', 'address,beds,baths\na,1,1\na,1,1\n,,\na,1,1\n', 4],
  ];
  for (const [type, good, bad, at] of files) {
    test(`all: ${type}`, async () => {
      const tenant = await service.createTenant();
      assert.deepEqual(await run(tenant, good, type), counts(3));
      assert.equal((await listAll(service, tenant)).sequence, 3);
    });
    test(`none: ${type}`, async () => {
      const tenant = await service.createTenant();
      const required = ['address', 'beds', 'baths'].map((field) => `${at} ${field}: required`);
      assert.deepEqual(await rejected(tenant, bad, type), required);
      await assertNothing(tenant);
    });
  }

  test('rows that the database rejects undo the rows before them', async () => {
    const tenant = await service.createTenant();
    const listing = await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'TAKEN' }), 201);
    const other = await readListing(await post(service, tenant, MINIMAL), 201);
    const body = line().repeat(500) + line({ id: 'lst_0' }) + line({ id: other.id, externalId: 'TAKEN' });
    assert.deepEqual(await rejected(tenant, body), ['501 id: not_found', '502 externalId: external_id_taken']);
    const { data, sequence } = await listAll(service, tenant);
    assert.deepEqual([data, sequence], [[other, listing], 2]);
  });

  test('later rows change listings of earlier rows', async () => {
    const tenant = await service.createTenant();
    const body = line({ externalId: 'A' }) + line({ externalId: 'A', beds: 4 }) + line({ externalId: 'A', beds: 4 });
    assert.deepEqual(await run(tenant, body), counts(1, 1, 1, 2));
  });

  test('a file that is too large for memory is saved like others', async () => {
    const tenant = await service.createTenant();
    const description = 'x'.repeat(4_000);
    const rows = Array.from({ length: 3_500 }, (_, index) =>
      line({ externalId: `L-${index % 3_400}`, beds: index % 9, description }),
    );
    assert.deepEqual(await run(tenant, rows.join('')), counts(3_400, 100, 0, 100));
    const { data } = await listAll(service, tenant);
    const found = data.map(({ externalId, beds }) => `${externalId} ${beds}`);
    const expected = Array.from(
      { length: 3_400 },
      (_, index) => `L-${index} ${(index < 100 ? index + 3_400 : index) % 9}`,
    );
    assert.deepEqual(found.reverse(), expected);
    assert.ok(data.every((listing) => listing.description === description));
  });

  test(
    'changes are counted by status, beds, type, and baths',
    only('sqlite', 'PostgreSQL counts by an index'),
    async () => {
      const tenant = await service.createTenant();
      const rows = (change: (index: number) => object, length = 400) =>
        Array.from({ length }, (_, index) => line({ externalId: `A-${index}`, ...change(index) })).join('');
      const types = ['land', 'farm', undefined];
      const statuses = ['active', 'pending'];
      await run(
        tenant,
        rows((index) => ({ beds: index % 7, propertyType: types[index % 3] })),
      );
      await run(
        tenant,
        rows((index) => ({ beds: (index * 3) % 5, propertyType: types[index % 2], baths: index % 4 })),
      );
      await run(
        tenant,
        rows((index) => ({ beds: 1, status: statuses[index % 2] }), 500) + rows(() => ({ beds: 2 }), 50),
      );
      await run(
        tenant,
        rows(() => ({ listPrice: 5 })),
      );
      const values = "account_id, status, beds, coalesce(property_type, '') as property_type, baths";
      const expected = `select ${values}, count(*) as count from listing_facets group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`;
      const counted = await service.sql(`select ${values}, count from listing_counts order by 1, 2, 3, 4, 5`);
      assert.ok(counted.length > 5);
      assert.deepEqual(counted, await service.sql(expected));
    },
  );

  test('a CSV row without required columns is valid only for an existing listing', async () => {
    const tenant = await service.createTenant();
    await readListing(await post(service, tenant, { ...MINIMAL, externalId: 'A' }), 201);
    assert.deepEqual(await run(tenant, 'externalId,beds\nA,4\n', 'text/csv'), counts(0, 1));
    assert.deepEqual(await rejected(tenant, 'externalId,beds\nA,5\nB,5\n', 'text/csv'), [
      '3 address: required',
      '3 baths: required',
    ]);
    assert.equal((await listAll(service, tenant)).data[0]?.beds, 4);
  });

  test('issues from every stage are listed together, even in a dry run', async () => {
    const tenant = await service.createTenant();
    const body = 'id,externalId,address,beds,baths\n,A,a,1,1\n,B,a,-1,1\nlst_0,,a,1,1\n,,,1,1\n,C,a,many,1\n,D,a,1\n';
    const found = await rejected(tenant, body, 'text/csv');
    const fields = ['3 beds: out_of_range', '4 id: not_found', '5 address: required', '6 beds: invalid_type'];
    assert.deepEqual(found, [...fields, '7 body: invalid_format']);
    const dryRun = await sendFile(service, tenant, { type: 'text/csv', body, query: `${query}&dryRun=true` });
    assert.deepEqual(faults(await readError(dryRun, 422, 'import_failed')), found);
    await assertNothing(tenant);
  });

  test('issues are listed by row, up to 100', async () => {
    const tenant = await service.createTenant();
    const mixed = await rejected(
      tenant,
      `${line()}[\n${line({ beds: 'x', city: 1 })}5\n${'x'.repeat(1024 * 1024 + 1)}\n`,
    );
    assert.deepEqual(mixed, [
      '2 body: invalid_json',
      '3 city: invalid_type',
      '3 beds: invalid_type',
      '4 body: invalid_type',
      '5 body: payload_too_large',
    ]);
    assert.equal((await rejected(tenant, '{}\n'.repeat(200))).length, 100);
    await assertNothing(tenant);
  });

  test('a file that cannot be read to its end saves nothing', async () => {
    const tenant = await service.createTenant();
    const cut = await sendFile(service, tenant, { type: JSON_ARRAY, body: `[${line()},`, query });
    const error = await readError(cut, 400, 'invalid_json');
    assert.deepEqual([error.line, 'created' in error], [2, false]);
    const packed = {
      type: NDJSON,
      body: gzipSync(line()).subarray(0, -9),
      query,
      headers: { 'Content-Encoding': 'gzip' },
    };
    await readError(await sendFile(service, tenant, packed), 422, 'import_failed');
    const unclosed = await sendFile(service, tenant, { type: 'text/csv', body: 'address,beds,baths\na,1,1\n"', query });
    await readError(unclosed, 422, 'import_failed');
    await assertNothing(tenant);
  });

  test('a full disk saves nothing', only('sqlite', 'its file size can be limited'), async () => {
    await using full = await startTestService();
    const tenant = await full.createTenant();
    await full.database.write((session) => session.execute(words('pragma max_page_count = 400'), {}));
    const body = line({ description: 'x'.repeat(4000) }).repeat(500);
    await readError(await sendFile(full, tenant, { type: NDJSON, body, query }), 507, 'storage_full');
    assert.equal(await storedSequence(full.database, tenant.accountId), 0);
  });

  test('other requests are served during the import, and readers never see part of it', async () => {
    const [tenant, other] = [await service.createTenant(), await service.createTenant()];
    const importing = run(tenant, line().repeat(10_000));
    const isOver = importing.then(() => true);
    let served = 0;
    const seen = new Set<number>();
    const look = async () => {
      const { data } = Object(await (await service.fetch(tenant, '/v1/listings?limit=1')).json());
      seen.add(data.length);
      await (await service.fetch(other, '/v1/me')).text();
      return false;
    };
    while (!(await Promise.race([isOver, look()]))) served += 1;
    assert.deepEqual(await importing, counts(10_000));
    assert.equal((await listAll(service, tenant)).sequence, 10_000);
    assert.ok(served > 10 && seen.has(0), `${served} responses`);
  });
});

describe('an atomic import is limited', () => {
  test('to 10,000 rows', async () => {
    const tenant = await service.createTenant();
    const row = line({ externalId: 'A' });
    assert.deepEqual(await run(tenant, row.repeat(10_000)), counts(1, 0, 9_999, 9_999));
    const more = await sendFile(service, tenant, { type: NDJSON, body: row.repeat(10_001), query });
    assert.match((await readError(more, 413, 'payload_too_large')).message, /10000 rows/);
    assert.equal((await listAll(service, tenant)).sequence, 1);
  });

  test('to 64 MiB', async () => {
    const tenant = await service.createTenant();
    const body = Buffer.alloc(64 * 1024 * 1024 + 1, 0x0a);
    await readError(await sendFile(service, tenant, { type: NDJSON, body, query }), 413, 'payload_too_large');
  });

  test('to 64 MiB after decompression', async () => {
    const tenant = await service.createTenant();
    const blank = Buffer.from(`${' '.repeat(65_535)}\n`.repeat(1024));
    const body = gzipSync(Buffer.concat([blank, Buffer.from(' ')]));
    const sent = { type: NDJSON, body, query, headers: { 'Content-Encoding': 'gzip' } };
    await readError(await sendFile(service, tenant, sent), 413, 'payload_too_large');
    assert.deepEqual(await importFile(service, tenant, { ...sent, body: gzipSync(blank) }), counts(0));
  });
});

describe('an atomic import can be retried with its Idempotency-Key', () => {
  const withKey = (key: string) => ({ type: NDJSON, query, headers: { 'Idempotency-Key': key } });

  test('a retry replays the response and imports nothing', async () => {
    const tenant = await service.createTenant();
    const body = line().repeat(3);
    const first = await sendFile(service, tenant, { ...withKey('a'), body });
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const again = await sendFile(service, tenant, { ...withKey('a'), body });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual([again.status, await again.text()], [200, await first.text()]);
    assert.equal((await listAll(service, tenant)).sequence, 3);
  });

  test('concurrent retries import once', async () => {
    const tenant = await service.createTenant();
    const replies = await Promise.all(
      [1, 2, 3].map(() => sendFile(service, tenant, { ...withKey('a'), body: line() })),
    );
    const replayed = replies.map(({ headers }) => headers.get('idempotent-replayed')).sort();
    assert.deepEqual(replayed, [null, 'true', 'true']);
    assert.equal((await listAll(service, tenant)).sequence, 1);
  });

  test('another file with the same key is rejected, even an invalid one', async () => {
    const tenant = await service.createTenant();
    assert.deepEqual(await importFile(service, tenant, { ...withKey('a'), body: line() }), counts(1));
    for (const body of [line({ beds: 9 }), '{}\n', line() + line()]) {
      const response = await sendFile(service, tenant, { ...withKey('a'), body });
      await readError(response, 422, 'idempotency_key_reused');
    }
    assert.equal((await listAll(service, tenant)).sequence, 1);
  });

  test('a rejected file does not use up the key', async () => {
    const tenant = await service.createTenant();
    await readError(await sendFile(service, tenant, { ...withKey('a'), body: '{}\n' }), 422, 'import_failed');
    const body = line({ id: 'lst_0' });
    await readError(await sendFile(service, tenant, { ...withKey('a'), body }), 422, 'import_failed');
    assert.deepEqual(await importFile(service, tenant, { ...withKey('a'), body: line() }), counts(1));
  });

  test('the same file is recognized when it is compressed', async () => {
    const tenant = await service.createTenant();
    assert.deepEqual(await importFile(service, tenant, { ...withKey('a'), body: line() }), counts(1));
    const headers = { 'Idempotency-Key': 'a', 'Content-Encoding': 'gzip' };
    const packed = await sendFile(service, tenant, { ...withKey('a'), body: gzipSync(line()), headers });
    assert.equal(packed.headers.get('idempotent-replayed'), 'true');
  });

  test('the key is rejected without atomic=true', async () => {
    const tenant = await service.createTenant();
    for (const given of ['', '?atomic=false', '?dryRun=true']) {
      const response = await sendFile(service, tenant, { ...withKey('a'), query: given, body: line() });
      await readError(response, 400, 'invalid_idempotency_key');
    }
    const unusable = await sendFile(service, tenant, { ...withKey('a b'), body: line() });
    await readError(unusable, 400, 'invalid_idempotency_key');
    await assertNothing(tenant);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, mock, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { defer } from '../../../testkit/src/cleanup.ts';
import { ENGINE } from '../../../testkit/src/database.ts';
import { counts, importFile, listAll, NDJSON, readReport, sendFile } from '../../../testkit/src/imports.ts';
import { KEY_REJECTED, readError } from '../../../testkit/src/replies.ts';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';
import { storedSequence } from '../storage/support.ts';
import { MEBIBYTE, watchMemory } from '../support/memory.ts';
import { line, openImport } from '../support/uploads.ts';

const service = await startSharedService();

const countListings = async (tenant: Tenant) => (await listAll(service, tenant)).data.length;

describe('an import stops', () => {
  test('after its key is deleted, even if no row is written and no byte arrives', async () => {
    const tenant = await service.createTenant();
    const { sending, replied } = openImport(service, tenant, { Expect: '100-continue' });
    await once(sending, 'continue');
    sending.write('{}\n');
    await deleteApiKey(service.database, tenant.keyId);
    const { status, body } = await replied;
    assert.equal(status, 401);
    assert.equal(body, KEY_REJECTED);
    sending.destroy();
  });

  test('after its client disconnects, even if the whole body has arrived', async () => {
    const tenant = await service.createTenant();
    const body = gzipSync(line().repeat(60_000));
    const headers = { 'Content-Encoding': 'gzip', 'Content-Length': String(body.length) };
    const { sending } = openImport(service, tenant, headers);
    sending.end(body);
    await until('a row is stored', async () => (await countListings(tenant)) > 0);
    sending.destroy();
    let stored = 0;
    await until('no more rows are stored', async () => {
      stored = await countListings(tenant);
      await importFile(service, tenant, { type: NDJSON, body: line() });
      return (await countListings(tenant)) === stored + 1;
    });
    assert.ok(stored < 50_000, `${stored} rows were stored`);
  });
});

describe('a body that arrives too slowly gets 408', () => {
  test('after the first minute, unless 30 KiB arrive every 30 seconds', async (t) => {
    const tenant = await service.createTenant();
    mock.timers.enable({ apis: ['setTimeout'] });
    defer(t, () => mock.timers.reset());
    const { sending, replied } = openImport(service, tenant);
    let sent = 0;
    const send = async (row: string) => {
      sending.write(row);
      sent += 1;
      // Asks the database, not the service: the HTTP client's timers are mocked too.
      await until('the row is stored', async () => (await storedSequence(service.database, tenant.accountId)) === sent);
    };
    for (const afterMs of [0, 20_000, 20_000, 20_000]) {
      mock.timers.tick(afterMs);
      await send(line());
    }
    for (let rows = 0; rows < 9; rows += 1) await send(line({ description: 'x'.repeat(3_800) }));
    mock.timers.tick(20_000);
    await send(line());
    mock.timers.tick(20_000);
    await send(line());
    mock.timers.tick(20_000);
    await send(line());
    mock.timers.tick(10_000);
    const { status, body } = await replied;
    const { code, message, created } = JSON.parse(body).error;
    assert.deepEqual([status, code, created], [408, 'request_timeout', sent]);
    assert.match(message, /30 KiB every 30 seconds/);
  });
});

describe('blank lines are accepted, but not 10,000 in a row', () => {
  for (const [type, start] of [
    [NDJSON, line()],
    ['text/csv', 'address,beds,baths\n12 Elm Street,3,2\n'],
  ] as const) {
    const row = type === NDJSON ? line() : '14 Elm Street,3,2\n';

    test(`${type}: 9,999 lines are accepted, and again after a row`, async () => {
      const tenant = await service.createTenant();
      const body = start + '\n'.repeat(9_999) + row + '\n'.repeat(9_999);
      assert.deepEqual(await importFile(service, tenant, { type, body }), counts(2));
    });

    test(`${type}: 10,000 lines are 422 with their line number, and earlier rows stay`, async () => {
      const tenant = await service.createTenant();
      const body = gzipSync(start + '\n'.repeat(2 * MEBIBYTE) + row);
      const response = await sendFile(service, tenant, { type, body, headers: { 'Content-Encoding': 'gzip' } });
      const error = await readError(response, 422, 'import_failed');
      assert.match(error.message, /10000 consecutive lines are empty/);
      assert.equal(error.created, 1);
      assert.ok(Number(error.line) > 10_000 && Number(error.line) < 10_010, `line ${error.line}`);
      assert.equal(await countListings(tenant), 1);
    });
  }
});

test('CSV rows whose cells are all empty count as blank lines', async () => {
  const tenant = await service.createTenant();
  const body = `address,beds,baths\n12 Elm Street,3,2\n${' ,,\n'.repeat(10_000)}`;
  const error = await readError(await sendFile(service, tenant, { type: 'text/csv', body }), 422, 'import_failed');
  assert.match(error.message, /10000 consecutive lines are empty/);
  assert.deepEqual([error.created, error.failed], [1, 10_000]);
});

describe("an account's concurrent uploads are limited", () => {
  test('invalid rows of atomic imports take little memory', async () => {
    const tenant = await service.createTenant();
    const body = gzipSync(`{"photos":[${'0,'.repeat(98)}0]}\n`.repeat(1_500));
    const { growthBytes } = await watchMemory(async () => {
      const imports = Array.from({ length: 4 }, () =>
        openImport(service, tenant, { 'Content-Encoding': 'gzip' }, '?atomic=true&dryRun=true'),
      );
      for (const { sending } of imports) sending.end(body);
      const replies = await Promise.all(imports.map(({ replied }) => replied));
      for (const { status, body: reply } of replies) {
        assert.equal(status, 422, reply);
        assert.equal(JSON.parse(reply).error.details.length, 100);
      }
    });
    assert.ok(growthBytes < 60 * MEBIBYTE, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
  });

  for (const [type, body] of [
    [NDJSON, `{"photos":[${'0,'.repeat(98)}0]}\n`.repeat(300)],
    ['text/csv', `address,beds,baths,photos\n${`a,1,1,"[${'0,'.repeat(98)}0]"\n`.repeat(300)}`],
  ] as const) {
    test(`${type}: a report has at most 100 failed rows and 100 issues`, async () => {
      const tenant = await service.createTenant();
      const { failed, errors } = await readReport(await sendFile(service, tenant, { type, body }));
      assert.deepEqual([failed, errors.length], [300, 100]);
      // A CSV row has 99 issues, and the issues of a second row do not fit.
      assert.equal(errors.flatMap(({ details = [] }) => details).length, type === NDJSON ? 100 : 99);
      // Later rows get no detailed validation.
      assert.equal(errors.at(-1)?.message, 'Fields of the row are not valid.');
    });
  }

  test("an account's atomic imports are in memory one at a time; other accounts are not affected", async () => {
    const [tenant, other] = [await service.createTenant(), await service.createTenant()];
    const query = '?atomic=true';
    const first = openImport(service, tenant, { Expect: '100-continue' }, query);
    await once(first.sending, 'continue');
    const second = openImport(service, tenant, { Expect: '100-continue' }, query);
    let isSecondRead = false;
    const read = once(second.sending, 'continue').then(() => {
      isSecondRead = true;
    });
    assert.equal((await sendFile(service, other, { type: NDJSON, body: line(), query })).status, 200);
    assert.equal((await sendFile(service, tenant, { type: NDJSON, body: line() })).status, 200);
    assert.equal(isSecondRead, false);
    first.sending.end(line());
    assert.equal((await first.replied).status, 200);
    await read;
    second.sending.end(line());
    assert.equal((await second.replied).status, 200);
  });

  test('an atomic import that will change too much is rejected before it has arrived', async () => {
    const tenant = await service.createTenant();
    const headers = { 'Content-Encoding': 'gzip' };
    const { sending, replied } = openImport(service, tenant, headers, '?atomic=true');
    // More than the limit of changes on SQLite, or of rows on PostgreSQL. The end of the compressed file is not sent.
    const rows = ENGINE === 'sqlite' ? 6_800 : 10_100;
    const packed = gzipSync(line({ description: 'x'.repeat(4_000) }).repeat(rows));
    sending.write(packed.subarray(0, -8));
    const { status, body } = await replied;
    assert.deepEqual([status, JSON.parse(body).error.code], [413, 'payload_too_large']);
    sending.destroy();
  });

  test('an import waits for a free place if other accounts use all places', async () => {
    const tenants = await Promise.all(Array.from({ length: 8 }, () => service.createTenant()));
    const open = tenants.flatMap((tenant) =>
      Array.from({ length: 4 }, () => openImport(service, tenant, { Expect: '100-continue' })),
    );
    await Promise.all(open.map(({ sending }) => once(sending, 'continue')));
    const late = await service.createTenant();
    const { sending, replied } = openImport(service, late, { Expect: '100-continue' });
    let hasPlace = false;
    const placed = once(sending, 'continue').then(() => {
      hasPlace = true;
    });
    assert.equal((await service.fetch(late, '/v1/me')).status, 200);
    assert.equal(hasPlace, false);
    open[0]?.sending.end(line());
    await placed;
    sending.end(line());
    assert.equal((await replied).status, 200);
    for (const one of open) one.sending.end(line());
    for (const one of open) assert.equal((await one.replied).status, 200);
  });
});

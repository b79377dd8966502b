import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, mock, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { defer } from '../../../testkit/src/cleanup.ts';
import { only } from '../../../testkit/src/database.ts';
import { counts, importFile, JSON_ARRAY, listAll, NDJSON, sendFile } from '../../../testkit/src/imports.ts';
import { openRaw } from '../../../testkit/src/raw.ts';
import { KEY_REJECTED, readError } from '../../../testkit/src/replies.ts';
import { startSharedService, startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { deleteApiKey } from '../../src/domain/keys/api-keys.ts';
import { storedSequence, words } from '../storage/support.ts';
import { MEBIBYTE, watchMemory } from '../support/memory.ts';
import { line, openImport } from '../support/uploads.ts';

const service = await startSharedService();

const countListings = async (tenant: Tenant) => (await listAll(service, tenant)).data.length;

describe('a file is imported while it arrives', () => {
  test('rows are stored before the file ends', async () => {
    const tenant = await service.createTenant();
    const { sending, replied } = openImport(service, tenant);
    for (const count of [1, 2, 3]) {
      sending.write(line());
      await until('the row is stored', async () => (await countListings(tenant)) === count);
    }
    sending.end();
    const { status, body } = await replied;
    assert.deepEqual([status, JSON.parse(body)], [200, counts(3)]);
  });

  test('even one byte at a time', async () => {
    const tenant = await service.createTenant();
    for (const [type, file] of [
      [NDJSON, line({ city: 'Zürich' }) + line()],
      [JSON_ARRAY, `[${line({ city: 'Zürich' })},${line()}]`],
    ] as const) {
      const bytes = Buffer.from(file);
      const body = (async function* () {
        for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
      })();
      assert.deepEqual(await importFile(service, tenant, { type, body }), counts(2));
    }
    assert.equal(await countListings(tenant), 4);
  });

  test('in constant memory, however long it is', async () => {
    const tenant = await service.createTenant();
    const LINES = 300;
    const long = Buffer.from(line({ nonsense: 'x'.repeat(500_000) }));
    const body = (async function* () {
      for (let count = 0; count < LINES; count += 1) yield long;
    })();
    const { result, growthBytes } = await watchMemory(() => importFile(service, tenant, { type: NDJSON, body }));
    assert.equal(result.failed, LINES);
    assert.ok(growthBytes < 100 * MEBIBYTE, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
  });

  test('while other requests are served', async () => {
    const [tenant, other] = [await service.createTenant(), await service.createTenant()];
    const importing = importFile(service, tenant, { type: NDJSON, body: line().repeat(1000) });
    let served = 0;
    const isOver = importing.then(() => true);
    while (!(await Promise.race([isOver, service.fetch(other, '/v1/me').then(() => false)]))) served += 1;
    assert.deepEqual(await importing, counts(1000));
    assert.ok(served > 10, `${served} responses`);
  });

  test('for as long as it takes, even if no bytes arrive during the import', async () => {
    const idleTimeoutMs = 100;
    await using impatient = await startTestService({ idleTimeoutMs });
    const tenant = await impatient.createTenant();
    const body = gzipSync(line({ externalId: 'A' }).repeat(20_000));
    const startTimeMs = performance.now();
    const sent = { type: NDJSON, body, headers: { 'Content-Encoding': 'gzip' } };
    assert.deepEqual(await importFile(impatient, tenant, sent), counts(1, 0, 19_999, 19_999));
    assert.ok(performance.now() - startTimeMs > 2 * idleTimeoutMs);
    // The idle timeout applies again to the next request.
    assert.equal((await impatient.fetch(tenant, '/v1/me')).status, 200);
  });

  test('several at once, each into its account', async () => {
    const tenants = await Promise.all(Array.from({ length: 5 }, () => service.createTenant()));
    const reports = await Promise.all(
      tenants.map((tenant) => importFile(service, tenant, { type: NDJSON, body: line().repeat(300) })),
    );
    for (const report of reports) assert.deepEqual(report, counts(300));
    for (const tenant of tenants) assert.equal((await listAll(service, tenant)).sequence, 300);
  });
});

describe('an incomplete upload saves only whole rows', () => {
  test('if the connection breaks', async () => {
    const tenant = await service.createTenant();
    using connection = await openRaw(service.url);
    const body = line({ externalId: 'A-1' }) + line({ externalId: 'A-2' });
    // The response begins with the failure of the first row.
    const sent = `{}\n${body}${line().slice(0, -5)}`;
    connection.send(
      `POST /v1/imports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n` +
        `Content-Type: ${NDJSON}\r\nAccept: ${NDJSON}\r\nContent-Length: 1000\r\nX-Request-Id: broken-off\r\n\r\n${sent}`,
    );
    await until('the rows are stored', async () => (await countListings(tenant)) === 2);
    connection.socket.destroy();
    const lines = () =>
      service.logLines.map((logged) => JSON.parse(logged)).filter((one) => one.requestId === 'broken-off');
    await until('the request is logged', () => lines().length === 1);
    assert.deepEqual(await importFile(service, tenant, { type: NDJSON, body }), counts(0, 0, 2));
    assert.deepEqual(
      lines().map(({ aborted, level }) => [aborted, level]),
      [[true, 30]],
    );
    assert.equal((await listAll(service, tenant)).sequence, 2);
  });

  test('after 30 seconds without a byte: 408 with the counts', async (t) => {
    const tenant = await service.createTenant();
    mock.timers.enable({ apis: ['setTimeout'] });
    defer(t, () => mock.timers.reset());
    const { sending, replied } = openImport(service, tenant);
    sending.write(`${line()}{}\n`);
    await until('the row is stored', async () => (await countListings(tenant)) === 1);
    mock.timers.tick(29_000);
    sending.write(line());
    await until('the row is stored', async () => (await countListings(tenant)) === 2);
    mock.timers.tick(29_000);
    assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
    mock.timers.tick(1_000);
    const { status, body } = await replied;
    const { code, line: at, created, failed, errors } = JSON.parse(body).error;
    assert.deepEqual([status, code, at, created, failed, errors.length], [408, 'request_timeout', 4, 2, 1, 1]);
  });

  test('after its key is deleted: 401, and no more rows', async () => {
    const tenant = await service.createTenant();
    const { sending, replied } = openImport(service, tenant);
    sending.write(line());
    await until('the row is stored', async () => (await countListings(tenant)) === 1);
    await deleteApiKey(service.database, tenant.keyId);
    sending.write(line());
    const { status, body } = await replied;
    assert.equal(status, 401);
    assert.equal(body, KEY_REJECTED);
    sending.destroy();
    assert.equal(await storedSequence(service.database, tenant.accountId), 1);
  });

  test('on a full disk: 507 with the counts', only('sqlite', 'its file size can be limited'), async () => {
    await using full = await startTestService();
    const tenant = await full.createTenant();
    await full.database.write((session) => session.execute(words('pragma max_page_count = 400'), {}));
    const body = line({ description: 'x'.repeat(4000) }).repeat(500);
    const response = await sendFile(full, tenant, { type: NDJSON, body });
    const error = await readError(response, 507, 'storage_full');
    const { data, sequence } = await listAll(full, tenant);
    assert.ok(data.length > 0 && data.length < 500);
    assert.deepEqual([error.created, error.failed, sequence], [data.length, 0, data.length]);
  });
});

describe('a file may be compressed', () => {
  const good = line({ externalId: 'A-1' }) + line({ externalId: 'A-2' });
  for (const encoding of ['gzip', 'x-gzip', ' GZIP']) {
    test(`Content-Encoding: ${encoding}`, async () => {
      const tenant = await service.createTenant();
      const sent = { type: NDJSON, body: gzipSync(good), headers: { 'Content-Encoding': encoding } };
      assert.deepEqual(await importFile(service, tenant, sent), counts(2));
    });
  }
  const packed = { type: NDJSON, headers: { 'Content-Encoding': 'gzip' } };

  test('in several gzip members (RFC 1952 §2.2)', async () => {
    const tenant = await service.createTenant();
    const body = Buffer.concat([gzipSync(good.slice(0, 30)), gzipSync(good.slice(30))]);
    assert.deepEqual(await importFile(service, tenant, { ...packed, body }), counts(2));
  });

  const broken: [name: string, body: Buffer, created: number][] = [
    ['an uncompressed file', Buffer.from(good), 0],
    ['an empty file', Buffer.alloc(0), 0],
    ['a truncated file', gzipSync(good).subarray(0, -9), 2],
    ['a file with a wrong checksum', Buffer.concat([gzipSync(good).subarray(0, -8), Buffer.alloc(8)]), 2],
  ];
  for (const [name, body, created] of broken) {
    test(`${name} is rejected`, async () => {
      const tenant = await service.createTenant();
      const error = await readError(await sendFile(service, tenant, { ...packed, body }), 422, 'import_failed');
      assert.ok(Number(error.created) <= created);
      assert.equal(await countListings(tenant), error.created);
    });
  }

  for (const type of [NDJSON, 'text/csv', 'application/json']) {
    for (const query of ['', '?atomic=true', '?dryRun=true']) {
      test(`without Content-Encoding, no row is read and the error asks for the header: ${type} ${query}`, async () => {
        const tenant = await service.createTenant();
        const response = await sendFile(service, tenant, { type, body: gzipSync(good), query });
        const { message } = await readError(response, 422, 'import_failed');
        assert.match(message, /looks like gzip; send it with the Content-Encoding: gzip header/);
        assert.equal(await countListings(tenant), 0);
      });
    }
  }

  test('a file compressed twice gets an error that says so', async () => {
    const tenant = await service.createTenant();
    const response = await sendFile(service, tenant, { ...packed, body: gzipSync(gzipSync(good)) });
    assert.match((await readError(response, 422, 'import_failed')).message, /compressed twice/);
  });

  test('one row of 100 MB is rejected, in constant memory', async () => {
    const tenant = await service.createTenant();
    const body = gzipSync(`{"address":"${'x'.repeat(100_000_000)}"}\n${line()}`);
    const { result, growthBytes } = await watchMemory(() => importFile(service, tenant, { ...packed, body }));
    assert.deepEqual(result, { ...counts(1), failed: 1, errors: ['1: payload_too_large'] });
    assert.ok(growthBytes < 50 * MEBIBYTE, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
  });

  test('100 MB of many rows are accepted', async () => {
    const tenant = await service.createTenant();
    const body = gzipSync(`${' '.repeat(999_999)}\n`.repeat(100) + line());
    assert.deepEqual(await importFile(service, tenant, { ...packed, body }), counts(1));
  });
});

describe('an invalid request is rejected before the file is read', () => {
  type Init = { query?: string; headers?: Record<string, string> };
  const cases: [name: string, init: Init, status: number, code: string][] = [
    ['another type', { headers: { 'Content-Type': 'application/xml' } }, 415, 'unsupported_media_type'],
    ['another charset', { headers: { 'Content-Type': `${NDJSON}; charset=latin1` } }, 415, 'unsupported_media_type'],
    ['another encoding', { headers: { 'Content-Encoding': 'br' } }, 415, 'unsupported_media_type'],
    ['two encodings', { headers: { 'Content-Encoding': 'gzip, gzip' } }, 415, 'unsupported_media_type'],
    ['Accept without JSON', { headers: { Accept: 'text/csv' } }, 406, 'not_acceptable'],
    ['an unknown parameter', { query: '?nonsense=1' }, 400, 'unknown_parameter'],
    ['an invalid switch', { query: '?atomic=yes' }, 400, 'invalid_query'],
    ['a switch without a value', { query: '?dryRun' }, 400, 'invalid_query'],
    ['a repeated switch', { query: '?atomic=true&atomic=true' }, 400, 'invalid_query'],
    ['an Idempotency-Key', { headers: { 'Idempotency-Key': 'a' } }, 400, 'invalid_idempotency_key'],
  ];
  for (const [name, init, status, code] of cases) {
    test(name, async () => {
      const tenant = await service.createTenant();
      await readError(await sendFile(service, tenant, { type: NDJSON, body: line(), ...init }), status, code);
      assert.equal(await countListings(tenant), 0);
    });
  }

  test('the error names the accepted types and encodings', async () => {
    const tenant = await service.createTenant();
    const wrongType = await sendFile(service, tenant, { type: 'text/xml', body: '' });
    assert.match((await readError(wrongType, 415, 'unsupported_media_type')).message, /application\/x-ndjson/);
    const brotli = { 'Content-Encoding': 'br' };
    const wrongPacking = await sendFile(service, tenant, { type: NDJSON, body: '', headers: brotli });
    assert.equal(wrongPacking.headers.get('accept-encoding'), 'gzip, identity');
  });

  test('a read-only key gets 403 without 100 Continue', async () => {
    const reader = await service.createTenant('Readers', 'read');
    const { sending, replied } = openImport(service, reader, { Expect: '100-continue' });
    let isAsked = false;
    sending.on('continue', () => {
      isAsked = true;
    });
    const { status, body } = await replied;
    assert.deepEqual([status, JSON.parse(body).error.code, isAsked], [403, 'insufficient_scope', false]);
    sending.destroy();
  });

  test('a full key gets 100 Continue', async () => {
    const tenant = await service.createTenant();
    const { sending, replied } = openImport(service, tenant, { Expect: '100-continue' });
    await once(sending, 'continue');
    sending.end(line());
    assert.equal((await replied).status, 200);
  });

  test('the first failed check decides the error', async () => {
    const reader = await service.createTenant('Readers', 'read');
    const bad = { 'Content-Type': 'text/plain', 'Idempotency-Key': 'a' };
    const query = '?nonsense=1';
    const send = (headers: Record<string, string>, sent: object = {}) =>
      sendFile(service, reader, { type: NDJSON, body: '[', headers, ...sent });
    await readError(await send({ ...bad, Accept: 'image/png' }, { query }), 406, 'not_acceptable');
    await readError(await send(bad, { query }), 415, 'unsupported_media_type');
    await readError(await send({ 'Idempotency-Key': 'a' }, { query }), 400, 'unknown_parameter');
    await readError(await send({ 'Idempotency-Key': 'a' }), 400, 'invalid_idempotency_key');
    await readError(await send({}), 403, 'insufficient_scope');
  });
});

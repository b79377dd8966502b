import assert from 'node:assert/strict';
import { createReadStream, openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { defer } from '../../testkit/src/cleanup.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { directoryFor } from '../../testkit/src/serving.ts';
import { until } from '../../testkit/src/until.ts';
import {
  ImportFailedError,
  type ImportFailure,
  type ImportOptions,
  type ImportSource,
  ValidationFailedError,
} from '../src/index.ts';
import { clientOf, connect, connectByProxy, HOME, sequenceOf } from './support/connect.ts';

const CSV = 'address,beds,baths\r\n"12 Elm Street, rear",3,2\r\n14 Elm Street,4,3\r\n';
const NDJSON = `${JSON.stringify(HOME)}\n${JSON.stringify({ ...HOME, beds: 4 })}\n`;
const JSON_ARRAY = JSON.stringify([HOME, { ...HOME, beds: 4 }]);

/** Sources with two rows each. */
const SOURCES: Record<string, () => [ImportSource, ImportOptions?]> = {
  'an array': () => [[HOME, HOME]],
  'a set': () => [new Set([HOME, { ...HOME }])],
  'a generator': () => [[HOME, HOME].values()],
  'an async generator': () => [generate()],
  'a string': () => [CSV, { format: 'csv' }],
  'a JSON string': () => [JSON_ARRAY, { format: 'json' }],
  bytes: () => [new TextEncoder().encode(NDJSON)],
  'pieces of a string': () => [[NDJSON.slice(0, 30), NDJSON.slice(30)]],
  'a stream': () => [new Blob([CSV]).stream(), { format: 'csv' }],
  'a CSV file by its name': () => [new File([CSV], 'listings.CSV')],
  'a gzipped file by its name': () => [new File([gzipSync(NDJSON)], 'listings.jsonl.gz')],
  'a JSON file by its type': () => [new Blob([JSON_ARRAY], { type: 'application/json' })],
  'an NDJSON file by its type': () => [new Blob([NDJSON], { type: 'application/x-ndjson' })],
};

async function* generate() {
  yield HOME;
  yield HOME;
}

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

describe('an import', () => {
  test('can name columns, clean values, and receive every failed row', async () => {
    const { client } = await connect(service);
    const rows = ['Street,beds,baths,Price,externalId', 'a,1,2.5,"$5,000",A', ...Array(150).fill('a,x,1,1,B')];
    const failures: ImportFailure[] = [];
    const call = client.imports.create(rows.join('\n'), {
      format: 'csv',
      map: { Street: 'address', Price: 'listPrice' },
      clean: true,
      onFailure: (failure) => failures.push(failure),
    });
    const { data, response } = await call.withResponse();
    assert.deepEqual([data.created, data.failed, data.repeated, data.cleaned], [1, 150, 149, 2]);
    assert.deepEqual([response.status, failures.length], [200, 150]);
    assert.deepEqual([failures[149]?.line, failures[149]?.externalId], [152, 'B']);
    const [listing] = (await client.listings.list({ limit: 1 })).data;
    assert.deepEqual([listing?.baths, listing?.listPrice], [3, 5000]);
  });

  test('rejects with the error of onFailure, or of the service', async () => {
    const { client } = await connect(service);
    const onFailure = () => {
      throw new RangeError('Too many.');
    };
    await assert.rejects(async () => client.imports.create([{ beds: 1 }], { onFailure }), RangeError);
    const unknown = client.imports.create('adress\n1\n', { format: 'csv', onFailure: () => {} });
    await assert.rejects(async () => unknown, ValidationFailedError);
  });

  for (const [name, make] of Object.entries(SOURCES)) {
    for (const atomic of [false, true]) {
      test(`accepts ${name}${atomic ? ', atomically' : ''}`, async () => {
        const { client } = await connect(service);
        const [source, options] = make();
        const { created, errors } = await client.imports.create(source, { ...options, atomic });
        assert.deepEqual([created, errors], [2, []]);
      });
    }
  }

  test('accepts a file on disk', async (t) => {
    const { client } = await connect(service);
    const path = join(await directoryFor(t), 'listings.csv');
    await writeFile(path, CSV);
    assert.equal((await client.imports.create(createReadStream(path), { format: 'csv' })).created, 2);
    assert.equal((await client.imports.create(await openAsBlob(path, { type: 'text/csv' }))).created, 2);
  });

  test('reports each rejected row, and saves the others', async () => {
    const { client } = await connect(service);
    const report = await client.imports.create([HOME, { ...HOME, beds: -1 }, HOME]);
    assert.deepEqual([report.created, report.failed, report.errors[0]?.line], [2, 1, 2]);
    const all = client.imports.create([HOME, { ...HOME, beds: -1 }], { atomic: true });
    await assert.rejects(all, (error) => {
      assert.ok(error instanceof ImportFailedError);
      assert.deepEqual([error.status, error.details[0]?.line, error.details[0]?.field], [422, 2, 'beds']);
      return true;
    });
  });

  test('gives the reason if it is rejected early, and closes its source', async () => {
    const { client, tenant } = await connect(service);
    let isClosed = false;
    async function* endless() {
      try {
        yield 'address,beds,bath\n';
        for (;;) yield `${'12 Elm Street,3,2\n'.repeat(1000)}`;
      } finally {
        isClosed = true;
      }
    }
    const unknown = client.imports.create(endless(), { format: 'csv' });
    await assert.rejects(unknown, (error) => error instanceof ValidationFailedError && /baths/.test(error.message));
    await until('the source is closed', () => isClosed);
    await service.sql('delete from api_keys where account_id = ?', tenant.accountId);
    await assert.rejects(client.imports.create(endless(), { format: 'csv' }), { name: 'UnauthorizedError' });
  });

  test('fails with the error of its source, without a retry', async (t) => {
    const { client, tenant, proxy } = await connectByProxy(t, service);
    const fault = new Error('disk on fire');
    function* failing() {
      yield HOME;
      throw fault;
    }
    await assert.rejects(client.imports.create(failing()), fault);
    await assert.rejects(client.imports.create(failing(), { atomic: true }), fault);
    assert.ok(proxy.seen.length <= 1);
    assert.ok((await sequenceOf(service, tenant)) <= 1);
  });

  test('times out if the service is slow, but not if its source is', async (t) => {
    const { client, proxy } = await connectByProxy(t, service);
    async function* slow() {
      yield HOME;
      await until('time has passed', () => performance.now() > startTimeMs + 600);
      yield HOME;
    }
    const startTimeMs = performance.now();
    assert.equal((await client.imports.create(slow(), { timeoutMs: 500 })).created, 2);
    proxy.judge = () => 'hold reply';
    await assert.rejects(client.imports.create([HOME], { timeoutMs: 100 }), { name: 'TimeoutError' });
  });

  test('does not time out while only its source or onFailure is busy, even once the response has started', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let upload: ReadableStreamDefaultReader | undefined;
    const encode = (row: object) => new TextEncoder().encode(`${JSON.stringify(row)}\n`);
    const fetch = async (_url: string, { body }: RequestInit) => {
      assert.ok(body instanceof ReadableStream);
      upload = body.getReader();
      return new Response(ReadableStream.from(reply()), { headers: { 'Content-Type': 'application/x-ndjson' } });
    };
    async function* reply() {
      await upload?.read();
      yield encode({ line: 1 });
      await upload?.read();
      yield encode({ failed: 1 });
    }
    async function* source() {
      yield encode(HOME);
      yield encode(HOME);
      t.mock.timers.tick(60_000);
    }
    const onFailure = async () => {
      const reading = upload?.read();
      // The client pauses after the first chunk.
      t.mock.timers.tick(100);
      await reading;
      t.mock.timers.tick(60_000);
    };
    const client = clientOf(generateSecret(), 'http://127.0.0.1:9', { fetch });
    assert.equal((await client.imports.create(source(), { onFailure })).failed, 1);
  });

  test('rejects with the abort reason of its signal', async () => {
    const { client } = await connect(service);
    const controller = new AbortController();
    const reason = new Error('enough');
    function* endless() {
      for (let row = 0; ; row += 1) {
        if (row === 5_000) controller.abort(reason);
        yield HOME;
      }
    }
    await assert.rejects(client.imports.create(endless(), { signal: controller.signal }), reason);
  });

  test('rejects with the abort reason of its signal even if the source of an atomic import is stuck', async () => {
    const { client } = await connect(service);
    const controller = new AbortController();
    const reason = new Error('enough');
    async function* silent() {
      yield HOME;
      controller.abort(reason);
      await new Promise(() => {});
    }
    const rows = silent();
    await assert.rejects(client.imports.create(rows, { atomic: true, signal: controller.signal }), reason);
  });

  test('is retried if the service has not processed it and the source can be read again', async () => {
    await using strict = await startTestService({ rateLimit: { points: 1, seconds: 1 } });
    const { client, tenant } = await connect(strict);
    const reports = await Promise.all([client.imports.create([HOME]), client.imports.create([HOME])]);
    assert.deepEqual([reports.length, await sequenceOf(strict, tenant)], [2, 2]);
  });

  test('sends rows as NDJSON only, and at most 64 MiB atomically', async () => {
    const { client } = await connect(service);
    await assert.rejects(client.imports.create([HOME], { format: 'csv' }), /Omit format/);
    const megabyte = 'x'.repeat(1024 * 1024);
    const large = Array.from({ length: 65 }, () => megabyte);
    await assert.rejects(client.imports.create(large, { atomic: true }), /limited to 64 MiB/);
  });

  test('is buffered in a browser page, which cannot send streams', async (t) => {
    const { client } = await connectByProxy(t, service);
    Object.assign(globalThis, { window: globalThis, document: {} });
    defer(t, () => ['window', 'document'].map((name) => Reflect.deleteProperty(globalThis, name)));
    assert.equal((await client.imports.create(new File([CSV], 'listings.csv'))).created, 2);
  });
});

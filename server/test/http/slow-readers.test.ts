import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../../../testkit/src/database.ts';
import { ENCODINGS } from '../../../testkit/src/encodings.ts';
import { fillBeyondBuffers, openList, readAll } from '../../../testkit/src/listings.ts';
import { assertCut, beginCsv } from '../../../testkit/src/raw.ts';
import { openSocket } from '../../../testkit/src/raw-http.ts';
import { createDirectory, startTestService, type TestService } from '../../../testkit/src/service.ts';
import { untilStill } from '../../../testkit/src/still.ts';
import { until } from '../../../testkit/src/until.ts';
import type { ServerLimits } from '../../src/http/protocol/server.ts';
import { MEBIBYTE, memoryBytes } from '../support/memory.ts';

const aborted = ({ logLines }: TestService) => logLines.filter((line) => JSON.parse(line).aborted === true);

const errorsIn = ({ logLines }: TestService) => logLines.filter((line) => JSON.parse(line).level >= 50);

const directory = await createDirectory();
const database = await createDatabase(directory);
after(async () => {
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

/** A service on the database that the tests share, since filling it takes long. */
function serve(limits: ServerLimits = {}): Promise<TestService> {
  return startTestService({ ...limits, database: { ...database, drop: async () => {} } });
}

const { tenant, count } = await fillDatabase();

async function fillDatabase() {
  await using service = await serve();
  const tenant = await service.createTenant();
  return { tenant, count: await fillBeyondBuffers(service, tenant) };
}

describe('a list is sent at its reader’s pace', () => {
  for (const encoding of ENCODINGS) {
    test(`a reader that pauses takes a few chunks of memory, and then gets the whole list: ${encoding}`, async () => {
      await using service = await serve();
      const before = memoryBytes();
      const response = await openList(service, tenant, '', { 'Accept-Encoding': encoding });
      await untilStill('the service waits for its reader', () => Math.round(memoryBytes() / MEBIBYTE));
      const growth = memoryBytes() - before;
      assert.ok(growth < 2.5 * MEBIBYTE, `memory grew by ${(growth / MEBIBYTE).toFixed(1)} MiB`);

      const { text, isComplete } = await readAll(response);
      assert.ok(isComplete && text.length > 25 * MEBIBYTE);
      assert.equal(JSON.parse(text).data.length, count);
    });
  }

  test('other requests are served while readers pause', async () => {
    await using service = await serve();
    const responses = await Promise.all(Array.from({ length: 10 }, () => openList(service, tenant)));
    assert.equal((await service.fetch(tenant, '/v1/listings?limit=1')).status, 200);
    for (const response of responses) response.destroy();
    await until('all requests are logged', () => aborted(service).length === responses.length);
  });

  test('a reader that reads nothing is disconnected, and its response is recognizably incomplete', async () => {
    await using service = await serve({ idleTimeoutMs: 300 });
    const response = await openList(service, tenant);
    await until('the reader is disconnected', () => aborted(service).length > 0);
    const { text, isComplete } = await readAll(response);
    assert.equal(isComplete, false);
    assert.throws(() => JSON.parse(text));
    assert.equal((await service.fetch(tenant, '/v1/me')).status, 200);
  });

  test('a reader that outlasts the shutdown is cut off', async () => {
    const service = await serve({ shutdownMaxMs: 300 });
    using connection = await beginCsv(service.url, tenant.key);
    await service[Symbol.asyncDispose]();
    await assertCut(connection);
    assert.equal(aborted(service).length, 1);
    assert.deepEqual(errorsIn(service), []);
  });

  test('when another process takes over, the service waits longer for readers', async () => {
    await using service = await serve({ shutdownMaxMs: 100 });
    const response = await openList(service, tenant);
    const idle = await openSocket(service.url);
    const stopped = service.stop({ isReplaced: true });
    await once(idle.resume(), 'close');
    const { text, isComplete } = await readAll(response);
    assert.ok(isComplete);
    assert.equal(JSON.parse(text).data.length, count);
    await stopped;
    assert.deepEqual(aborted(service), []);
  });

  test('a slow but steady reader is not disconnected', async () => {
    const idleTimeoutMs = 1_000;
    await using service = await serve({ idleTimeoutMs });
    const response = await openList(service, tenant);
    const startTimeMs = performance.now();
    let length = 0;
    let pauseAt = 0;
    for await (const chunk of response) {
      length += chunk.length;
      if (length < pauseAt) continue;
      pauseAt += MEBIBYTE;
      await sleep(idleTimeoutMs / 10);
    }
    assert.ok(response.complete && performance.now() - startTimeMs > 2 * idleTimeoutMs);
    assert.deepEqual(aborted(service), []);
  });

  for (const encoding of ENCODINGS) {
    test(`a reader that disconnects stops the reading and logs no error: ${encoding}`, async () => {
      await using service = await serve();
      const response = await openList(service, tenant, '', { 'Accept-Encoding': encoding });
      response.destroy();
      await once(response, 'close');
      await until('the request is logged', () => aborted(service).length > 0);
      assert.deepEqual(errorsIn(service), []);
    });
  }
});

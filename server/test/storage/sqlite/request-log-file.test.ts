import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createPerson, signIn } from '../../../../testkit/src/browser.ts';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { MINIMAL, post } from '../../../../testkit/src/listings.ts';
import { whyNoMounts } from '../../../../testkit/src/mounts.ts';
import { createDirectory, startTestService } from '../../../../testkit/src/service.ts';
import { mountSmallDisk } from '../../../../testkit/src/small-disk.ts';
import { until } from '../../../../testkit/src/until.ts';
import { createAccount } from '../../../src/domain/accounts/accounts.ts';
import { RequestLog } from '../../../src/domain/requests/request-log.ts';
import { type LoggedRequest, parseStoredRequests } from '../../../src/model/request-log.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { findRequestBlocks } from '../../../src/storage/request-blocks.ts';
import { create } from '../support.ts';

const RETENTION = { days: 7, bytes: 1_000_000_000 };
const ALL = { since: '', before: '~', failed: false };

function request(requestId: string, errorBody: string | null = null): LoggedRequest {
  return {
    at: Date.now(),
    keyId: 'key_1',
    method: 'GET',
    path: '/v1/me',
    query: '',
    status: 200,
    code: null,
    durationMs: 1,
    requestId,
    sequence: null,
    errorBody,
  };
}

/** The request log of a database in this directory, with the numbers of lost requests. */
async function logIn(t: TestContext, directory: string) {
  const database = await openDatabase(`file:${join(directory, 'listings.db')}`);
  defer(t, () => database.close());
  const losses: number[] = [];
  const log = new RequestLog(database.requestLog, RETENTION, (count) => losses.push(count));
  const record = async (...ids: string[]) => {
    for (const id of ids) log.record('acc_1', request(id));
    await log.flush();
  };
  return {
    database,
    log,
    losses,
    record,
    stored: () => storedIn(database),
    path: join(directory, 'listings.requests.db'),
  };
}

async function storedIn({ requestLog }: Database): Promise<string[]> {
  const blocks = await findRequestBlocks(requestLog, 'acc_1', ALL, 1_000);
  const requests = blocks
    .reverse()
    .flatMap(({ requests: bytes }) => parseStoredRequests(Buffer.from(bytes).toString(), 0));
  return requests.map(({ requestId }) => requestId);
}

async function logFor(t: TestContext) {
  const directory = await createDirectory();
  defer(t, () => rm(directory, { recursive: true, force: true }));
  return { directory, ...(await logIn(t, directory)) };
}

test('the log has its own file, which only the operator can read, and no file before the first request', async (t) => {
  const { directory, stored, record, path } = await logFor(t);
  assert.deepEqual(await stored(), []);
  assert.ok(!existsSync(path));
  await record('a', 'b');
  assert.deepEqual(await stored(), ['a', 'b']);
  for (const name of await readdir(directory)) assert.equal((await stat(join(directory, name))).mode & 0o077, 0, name);
});

test('several processes write to one file', async (t) => {
  const { directory, record, stored, losses } = await logFor(t);
  const other = await logIn(t, directory);
  const ids = Array.from({ length: 50 }, (_, index) => `${index}`);
  await Promise.all(ids.map((id) => (Number(id) % 2 === 0 ? record(id) : other.record(id))));
  assert.deepEqual((await stored()).sort(), ids.sort());
  assert.deepEqual([losses, other.losses], [[], []]);
});

test('requests that end while the file is locked are lost, and the next ones are not', async (t) => {
  const { record, stored, losses, path } = await logFor(t);
  await record('a');
  const other = new DatabaseSync(path);
  other.exec('begin exclusive');
  await record('b', 'c');
  assert.deepEqual(losses, [2]);
  other.exec('rollback');
  other.close();
  await record('d');
  assert.deepEqual(await stored(), ['a', 'd']);
});

test('a removed file is created again', async (t) => {
  const { record, stored, losses, path } = await logFor(t);
  await record('a');
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix);
  assert.deepEqual(await stored(), []);
  await record('b');
  assert.deepEqual([await stored(), losses], [['b'], []]);
});

test('a file that is damaged at the start is replaced', async (t) => {
  const directory = await createDirectory();
  defer(t, () => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'listings.requests.db'), 'x'.repeat(10_000));
  const { record, stored, losses } = await logIn(t, directory);
  await record('a');
  await record('b');
  assert.deepEqual([await stored(), losses], [['b'], [1]]);
});

test('a file that is damaged while the service runs is replaced, also for other processes', async (t) => {
  const { directory, database, record, stored, path } = await logFor(t);
  const other = await logIn(t, directory);
  await record('a');
  await other.record('b');
  const damaging = new DatabaseSync(path);
  damaging.exec('pragma wal_checkpoint(truncate)');
  damaging.close();
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  await file.write('x'.repeat(size), 0);
  await file.close();
  // The error is reported, and does not stop anything.
  for (const id of ['c', 'd']) await record(id);
  for (const id of ['e', 'f']) await other.record(id);
  const found = await stored();
  assert.ok(found.includes('d') && found.includes('f') && !found.includes('a'), found.join());
  assert.deepEqual(await storedIn(other.database), found);
  assert.ok(await createAccount(database, 'Still works'));
});

test('without a usable file, requests are lost and nothing else fails', async (t) => {
  const { record, losses, path, database, stored } = await logFor(t);
  await mkdir(path);
  await record('a');
  assert.deepEqual(losses, [1]);
  await assert.rejects(stored(), { code: 'unavailable' });
  await create(database, (await createAccount(database, 'Hill Country Homes')).id);
});

test('requests get responses while the log’s file is locked, and the service can stop', async (t) => {
  const service = await startTestService({ engine: 'sqlite', requestLog: RETENTION });
  defer(t, () => service[Symbol.asyncDispose]());
  const tenant = await service.createTenant();
  const person = await createPerson(service, { accountId: tenant.accountId });
  const browser = await signIn(service, person);
  assert.equal((await post(service, tenant, MINIMAL)).status, 201);
  await until('it is stored', async () => (await browser.ask('GET', '/admin/requests')).data.length === 1);
  const other = new DatabaseSync(join(service.directory, 'listings.requests.db'));
  defer(t, () => other.close());
  other.exec('begin exclusive');
  for (let count = 0; count < 20; count += 1) assert.equal((await post(service, tenant, MINIMAL)).status, 201);
  assert.equal((await browser.ask('GET', '/admin/requests')).data.length, 1);
  await service.stop();
  const warnings = service.logLines.filter((line) => line.includes('requests are missing from the request log'));
  const lost = warnings.map((line) => JSON.parse(line).requests).reduce((sum, count) => sum + count, 0);
  assert.equal(lost, 20);
});

test('the log leaves a tenth of a full disk to the listings', { skip: whyNoMounts() ?? false }, async (t) => {
  const disk = await mountSmallDisk(t, 64);
  const { database, log, losses, record, stored } = await logIn(t, disk.directory);
  const { id: accountId } = await createAccount(database, 'Hill Country Homes');
  // Text that does not compress.
  const body = () => randomBytes(3_072).toString('base64');
  for (let flushes = 0; flushes < 2_000 && losses.length === 0; flushes += 1) {
    for (let count = 0; count < 40; count += 1) log.record('acc_1', request(`${flushes}-${count}`, body()));
    await log.flush();
  }
  assert.ok(losses.length > 0, 'the disk did not fill up');
  for (let count = 0; count < 20; count += 1) await create(database, accountId, { description: 'x'.repeat(4_000) });
  disk.fill();
  await record('lost');
  assert.ok((await stored()).length > 0);
  disk.makeRoom();
  disk.grow(96 * 2 ** 20);
  await record('last');
  assert.equal((await stored()).at(-1), 'last');
});

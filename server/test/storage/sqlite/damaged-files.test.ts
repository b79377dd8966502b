import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { copyFile, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommand } from '../../../../testkit/src/process.ts';
import { startTestService } from '../../../../testkit/src/service.ts';
import { directoryFor, serveFor } from '../../../../testkit/src/serving.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { create, databaseFor } from '../support.ts';

const PAGE_BYTES = 4_096;
const LISTINGS = 300;

/** The path of a closed database with some listings. */
async function closedFor(t: TestContext): Promise<string> {
  const directory = await directoryFor(t);
  const path = join(directory, 'listings.db');
  const { database, accountId, path: source } = await databaseFor(t);
  for (let index = 0; index < LISTINGS; index += 1)
    await create(database, accountId, { description: 'x'.repeat(1_000) });
  assert.equal((await runCommand(['backup', path], { DATABASE_URL: `file:${source}` })).code, 0);
  await rm(`${path}.sha256`);
  return path;
}

async function overwrite(path: string, from: number, bytes: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(randomBytes(bytes), 0, bytes, from);
  await file.close();
}

/** Opening must fail with advice to restore, and create no file. */
async function assertRefused(path: string, expected: RegExp): Promise<void> {
  const before = readdirSync(join(path, '..'));
  await assert.rejects(openDatabase(`file:${path}`), { code: 'unavailable', message: expected });
  await assert.rejects(openDatabase(`file:${path}`), { message: /property-listings restore FILE --force/ });
  assert.deepEqual(readdirSync(join(path, '..')), before);
}

test('an empty file is rejected, not turned into a database', async (t) => {
  const path = await closedFor(t);
  await truncate(path, 0);
  await assertRefused(path, /is empty/);
});

test('a file that ends within a page is rejected', async (t) => {
  const path = await closedFor(t);
  const { size } = await stat(path);
  for (const cut of [1, PAGE_BYTES + 1]) {
    await truncate(path, size - cut);
    await assertRefused(path, /truncated|malformed/);
  }
});

test('a database without its log is rejected, and so is a log without its database', async (t) => {
  const { database, accountId, path } = await databaseFor(t);
  await create(database, accountId);
  const directory = await directoryFor(t);
  const copy = join(directory, 'listings.db');
  for (const ending of ['', '-wal', '-shm']) await copyFile(path + ending, copy + ending);
  await rename(copy, `${copy}.away`);
  await assertRefused(copy, /is missing/);
  await rename(`${copy}.away`, copy);
  await rename(`${copy}-wal`, `${copy}.wal`);
  await assertRefused(copy, /log .* is missing/);
  await rename(`${copy}.wal`, `${copy}-wal`);
  await (await openDatabase(`file:${copy}`)).close();
});

test('the start of the service detects overwritten pages and says how to restore', async (t) => {
  const path = await closedFor(t);
  const { size } = await stat(path);
  await overwrite(path, Math.floor(size / 2 / PAGE_BYTES) * PAGE_BYTES, 10 * PAGE_BYTES);
  const starting = serveFor(t, { DATABASE_URL: `file:${path}`, DATA_DIR: join(path, '..') });
  await assert.rejects(starting, /ended with 1 .*is damaged: .*property-listings restore FILE --force/);
  assert.deepEqual(await readdir(join(path, '..')), ['listings.db']);
});

test('damage found while the service runs gives 500, and the log says what to do', async () => {
  await using service = await startTestService({ engine: 'sqlite' });
  const tenant = await service.createTenant();
  for (let index = 0; index < LISTINGS; index += 1)
    await create(service.database, tenant.accountId, { description: 'x'.repeat(1_000) });
  const path = join(service.directory, 'listings.db');
  // Pages must be read from the file, not from the log; there are more than the cache holds.
  await service.sql('pragma wal_checkpoint(truncate)');
  const { size } = await stat(path);
  await overwrite(path, PAGE_BYTES * 100, size - PAGE_BYTES * 101);
  const response = await service.fetch(tenant, '/v1/listings?q=elm');
  const { error } = JSON.parse(await response.text());
  assert.deepEqual([response.status, error.code], [500, 'internal_error']);
  assert.doesNotMatch(error.message, /sqlite|malformed|restore/i);
  assert.ok(service.logLines.some((line) => /The database is damaged.*property-listings restore FILE/.test(line)));
});

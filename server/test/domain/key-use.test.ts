import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { issueApiKey, KeyUse } from '../../src/domain/api-keys.ts';
import { listApiKeys } from '../../src/storage/api-keys.ts';
import type { Database } from '../../src/storage/database.ts';
import { databaseFor } from '../storage/support.ts';

const KEYS = 1_200;
const JOB_KEYS_MAX = 500;

/** A database with many keys, whose writes of their use are counted, and fail when `failAt` comes. */
async function keysFor(t: TestContext) {
  const { database, accountId } = await databaseFor(t);
  const request = { accountId, name: 'Test', access: 'full', expiresAt: null, createdBy: null } as const;
  const keys = await Promise.all(Array.from({ length: KEYS }, () => issueApiKey(database, request)));
  const writes = { count: 0, failAt: 0 };
  const watched: Database = {
    ...database,
    write(job) {
      writes.count += 1;
      if (writes.count === writes.failAt) return Promise.reject(new Error('the disk is gone'));
      return database.write(job);
    },
  };
  const keyUse = new KeyUse(watched);
  for (const { key } of keys) keyUse.record(key.id);
  const countUsed = async () =>
    (await listApiKeys(database, accountId)).filter(({ lastUsedAt }) => lastUsedAt !== null).length;
  return { keyUse, writes, countUsed };
}

test('the use of many keys is written in several jobs, so that other writes come in between', async (t) => {
  const { keyUse, writes, countUsed } = await keysFor(t);
  await keyUse.flush();
  assert.equal(await countUsed(), KEYS);
  assert.equal(writes.count, Math.ceil(KEYS / JOB_KEYS_MAX));
  await keyUse.flush();
  assert.equal(writes.count, Math.ceil(KEYS / JOB_KEYS_MAX), 'nothing is written twice');
});

test('what could not be written is kept for the next time', async (t) => {
  const { keyUse, writes, countUsed } = await keysFor(t);
  writes.failAt = 2;
  await assert.rejects(keyUse.flush(), /the disk is gone/);
  assert.equal(await countUsed(), JOB_KEYS_MAX);
  await keyUse.flush();
  assert.equal(await countUsed(), KEYS);
  assert.equal(writes.count, 4);
});

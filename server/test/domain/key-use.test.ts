import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createAccount, deleteAccount } from '../../src/domain/accounts/accounts.ts';
import { issueApiKey } from '../../src/domain/keys/api-keys.ts';
import { firstHourShown, KeyUse, purgeKeyUse } from '../../src/domain/keys/key-use.ts';
import { AppError } from '../../src/model/errors.ts';
import { listApiKeys } from '../../src/storage/api-keys.ts';
import type { Database } from '../../src/storage/database.ts';
import { addKeyHour, beginKeyUseBatch, findKeyHours } from '../../src/storage/key-hours.ts';
import { databaseFor } from '../storage/support.ts';

const KEYS = 1_200;
const JOB_KEYS_MAX = 500;

/** A database with many keys. Counts the writes, of which number `failAt` fails. */
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
  const principals = keys.map(({ key }) => ({ accountId, keyId: key.id }));
  for (const principal of principals) keyUse.countRequest(principal);
  const countUsed = async () =>
    (await listApiKeys(database, accountId)).filter(({ lastUsedAt }) => lastUsedAt !== null).length;
  const hours = () => findKeyHours(database.scans, accountId, 0);
  return { database, accountId, principals, keyUse, writes, countUsed, hours };
}

test('the use of many keys is written in several jobs, so that other writes can run between them', async (t) => {
  const { keyUse, writes, countUsed } = await keysFor(t);
  await keyUse.flush();
  assert.equal(await countUsed(), KEYS);
  assert.equal(writes.count, Math.ceil(KEYS / JOB_KEYS_MAX));
  await keyUse.flush();
  assert.equal(writes.count, Math.ceil(KEYS / JOB_KEYS_MAX), 'nothing is written twice');
});

test('key use that could not be written is written the next time', async (t) => {
  const { keyUse, writes, countUsed } = await keysFor(t);
  writes.failAt = 2;
  await assert.rejects(keyUse.flush(), /the disk is gone/);
  assert.equal(await countUsed(), JOB_KEYS_MAX);
  await keyUse.flush();
  assert.equal(await countUsed(), KEYS);
  assert.equal(writes.count, 4);
});

test('when two processes write a key’s last use, the later one is kept', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const request = { accountId, name: 'Test', access: 'full', expiresAt: null, createdBy: null } as const;
  const { key } = await issueApiKey(database, request);
  const lastUse = async () => (await listApiKeys(database, accountId))[0]?.lastUsedAt;
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  defer(t, () => mock.timers.reset());
  const [early, late] = [new KeyUse(database), new KeyUse(database)];
  early.countRequest({ accountId, keyId: key.id });
  mock.timers.tick(1_000);
  late.countRequest({ accountId, keyId: key.id });
  await late.flush();
  const last = await lastUse();
  assert.equal(Number(last), Date.now());
  await early.flush();
  assert.equal(await lastUse(), last);
  assert.equal((await findKeyHours(database.scans, accountId, 0))[0]?.requests, 2);
});

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 10, 21, 12);

/** A mocked clock, set to 12:59:59. */
function stopClock(t: TestContext): void {
  mock.timers.enable({ apis: ['Date'], now: NOON + HOUR_MS - 1_000 });
  defer(t, () => mock.timers.reset());
}

test('requests and errors are counted per key and hour, however often they are written', async (t) => {
  stopClock(t);
  const { database, accountId } = await databaseFor(t);
  const keyUse = new KeyUse(database);
  const [ada, bob] = ['key_ada', 'key_bob'].map((keyId) => ({ accountId, keyId }));
  assert.ok(ada && bob);
  for (const principal of [ada, ada, bob]) keyUse.countRequest(principal);
  keyUse.countError(ada);
  await keyUse.flush();
  keyUse.countRequest(ada);
  mock.timers.tick(1_000);
  keyUse.countRequest(ada);
  keyUse.countError(ada);
  await keyUse.flush();
  await keyUse.flush();
  assert.deepEqual(await findKeyHours(database.scans, accountId, 0), [
    { keyId: 'key_ada', hour: NOON, requests: 3, errors: 1 },
    { keyId: 'key_bob', hour: NOON, requests: 1, errors: 0 },
    { keyId: 'key_ada', hour: NOON + HOUR_MS, requests: 1, errors: 1 },
  ]);
});

test('requests that could not be written are counted once, together with later ones', async (t) => {
  const { principals, keyUse, writes, hours } = await keysFor(t);
  writes.failAt = 2;
  await assert.rejects(keyUse.flush(), /the disk is gone/);
  for (const principal of principals) keyUse.countRequest(principal);
  await keyUse.flush();
  const requests = (await hours()).map((hour) => hour.requests);
  assert.equal(requests.length, KEYS);
  assert.deepEqual(new Set(requests), new Set([2]));
});

for (const isStored of [true, false]) {
  const outcome = isStored ? 'stored' : 'not stored';
  test(`counts with an unknown commit outcome are counted once; they were ${outcome}`, async (t) => {
    const { database, accountId, sql } = await databaseFor(t);
    const other = new KeyUse(database);
    const key = { accountId, keyId: 'key_ada' };
    let losesAnswers = true;
    const lossy: Database = {
      ...database,
      async write(job, owner) {
        if (!losesAnswers || isStored) {
          const value = await database.write(job, owner);
          if (!losesAnswers) return value;
        }
        throw new AppError('outcome_unknown', 'The response was lost.');
      },
    };
    const keyUse = new KeyUse(lossy);
    for (let round = 1; round <= 3; round += 1) {
      keyUse.countRequest(key);
      await assert.rejects(keyUse.flush(), { code: 'outcome_unknown' });
      other.countRequest(key);
      await other.flush();
    }
    losesAnswers = false;
    keyUse.countRequest(key);
    await keyUse.flush();
    await keyUse.flush();
    const hours = await findKeyHours(database.scans, accountId, 0);
    assert.deepEqual([hours.length, hours[0]?.requests], [1, 7]);
    assert.equal((await sql('select process from key_use_batches')).length, 2);
  });
}

test('a request counted during a write is not lost', async (t) => {
  const { principals, keyUse, hours } = await keysFor(t);
  const flushing = keyUse.flush();
  const [principal] = principals;
  assert.ok(principal);
  keyUse.countRequest(principal);
  await flushing;
  await keyUse.flush();
  const counted = (await hours()).find(({ keyId }) => keyId === principal.keyId);
  assert.equal(counted?.requests, 2);
});

test('hours that are no longer reported are removed, and those of the last day are kept', async (t) => {
  const { database, accountId, sql } = await databaseFor(t);
  const first = firstHourShown();
  const hours = [-30, -2, -1, 0, 1, 23].map((index) => first + index * HOUR_MS);
  await database.write(async (session) => {
    for (const hour of hours) {
      for (let index = 0; index < 150; index += 1) {
        await addKeyHour(session, accountId, { keyId: `key_${index}`, hour, requests: 1, errors: 0 });
      }
    }
  });
  await database.write(async (session) => {
    await beginKeyUseBatch(session, { process: 'gone', number: 7, writtenAt: first - 1 });
    await beginKeyUseBatch(session, { process: 'here', number: 9, writtenAt: first });
  });
  await purgeKeyUse(database, Date.now(), new AbortController().signal);
  const batches = await sql('select process from key_use_batches');
  assert.deepEqual([batches.length, batches[0]?.process], [1, 'here']);
  const left = await findKeyHours(database.scans, accountId, 0);
  assert.equal(left.length, 3 * 150);
  assert.equal(left[0]?.hour, first);
});

test('key use of a deleted account is dropped, and that of other accounts is written', async (t) => {
  const { database, accountId, keyUse, hours, principals } = await keysFor(t);
  const { id } = await createAccount(database, 'Gone');
  const gone = { accountId: id, keyId: 'key_gone' };
  keyUse.countRequest(gone);
  await deleteAccount(database, gone.accountId);
  await keyUse.flush();
  assert.equal((await hours()).length, principals.length);
  assert.deepEqual(await findKeyHours(database.scans, gone.accountId, 0), []);
  assert.notEqual(gone.accountId, accountId);
});

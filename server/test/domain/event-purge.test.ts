import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { purgeEvents } from '../../src/domain/events/event-purge.ts';
import { updateListing } from '../../src/domain/listings/listings.ts';
import type { Database } from '../../src/storage/database.ts';
import { findEvents } from '../../src/storage/events.ts';
import { create, databaseFor, words } from '../storage/support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NEVER = new AbortController().signal;

/** Backdates an account's events by `days`. */
async function age(database: Database, accountId: string, days: number, sequences: string): Promise<void> {
  const statement = `update events set created_at = ${Date.now() - days * DAY_MS}
    where account_id = '${accountId}' and sequence ${sequences}`;
  await database.write((session) => session.execute(words(statement), {}));
}

const sequencesOf = async (database: Database, accountId: string) =>
  (await findEvents(database, accountId, 0, { limit: 1000, bytesMax: 1e9 })).rows.map(({ sequence }) => sequence);

/** Wraps a database to count its transactions, including those of purges. */
function counted(database: Database) {
  const writes = { count: 0 };
  const watched: Database = {
    ...database,
    write(job) {
      writes.count += 1;
      return database.write(job);
    },
  };
  return { watched, writes };
}

async function accountWith(t: TestContext, count: number) {
  const { database, accountId } = await databaseFor(t);
  await Promise.all(Array.from({ length: count }, () => create(database, accountId)));
  return { database, accountId };
}

test('events are purged a UTC day at a time, once the day is more than 30 days ago', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-21T18:00:00Z') });
  const { database, accountId } = await accountWith(t, 6);
  await age(database, accountId, 400, '= 1');
  await age(database, accountId, 30.76, 'in (2, 3)');
  await age(database, accountId, 30.74, 'in (4, 5)');
  await purgeEvents(database, Date.now(), NEVER);
  assert.deepEqual(await sequencesOf(database, accountId), [4, 5, 6]);
  await purgeEvents(database, Date.now(), NEVER);
  assert.deepEqual(await sequencesOf(database, accountId), [4, 5, 6]);
});

test('an event is purged only after all earlier ones, so that there is never a gap', async (t) => {
  const { database, accountId } = await accountWith(t, 5);
  await age(database, accountId, 31, 'in (1, 3, 4)');
  await purgeEvents(database, Date.now(), NEVER);
  assert.deepEqual(await sequencesOf(database, accountId), [2, 3, 4, 5]);
});

test('all events of one account can be purged without touching another’s', async (t) => {
  const { database, accountId } = await accountWith(t, 2);
  const others = [await createAccount(database, 'Ada'), await createAccount(database, 'Bob')];
  for (const { id } of others) await create(database, id);
  await age(database, accountId, 31, '> 0');
  await purgeEvents(database, Date.now(), NEVER);
  assert.deepEqual(await sequencesOf(database, accountId), []);
  for (const { id } of others) assert.deepEqual(await sequencesOf(database, id), [1]);
  await create(database, accountId);
  assert.deepEqual(await sequencesOf(database, accountId), [3], 'the sequence continues');
});

test('many events of many accounts are purged in small transactions, and without old events nothing is written', async (t) => {
  const { database, accountId } = await accountWith(t, 500);
  const others = await Promise.all(Array.from({ length: 250 }, (_, index) => createAccount(database, `A${index}`)));
  for (const { id } of others) await create(database, id);
  const last = others.at(-1)?.id ?? '';
  await age(database, accountId, 31, '<= 450');
  await age(database, last, 31, '= 1');
  const { watched, writes } = counted(database);
  await purgeEvents(watched, Date.now(), NEVER);
  assert.deepEqual((await sequencesOf(database, accountId)).at(0), 451);
  assert.deepEqual(await sequencesOf(database, last), []);
  assert.equal(writes.count, Math.ceil(450 / 200) + 1);
});

test('a slice is also limited in bytes', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const photos = Array.from({ length: 100 }, (_, index) => ({ url: `https://a.example/${'x'.repeat(1_900)}${index}` }));
  const { id } = await create(database, accountId, { photos });
  for (let beds = 10; beds < 30; beds += 1) {
    await updateListing(database, { accountId }, { id }, () => ({ address: '12 Elm Street', beds, baths: 2, photos }));
  }
  await age(database, accountId, 31, '<= 20');
  const { watched, writes } = counted(database);
  await purgeEvents(watched, Date.now(), NEVER);
  assert.deepEqual(await sequencesOf(database, accountId), [21]);
  // Events have 0.19 MB each, so the second one ends a slice.
  assert.equal(writes.count, 20 / 2);
});

test('a purge ends early when the service stops', async (t) => {
  const { database, accountId } = await accountWith(t, 400);
  await age(database, accountId, 31, '> 0');
  const stopping = new AbortController();
  const watched: Database = {
    ...database,
    async write(job) {
      stopping.abort();
      return database.write(job);
    },
  };
  await purgeEvents(watched, Date.now(), stopping.signal);
  assert.equal((await sequencesOf(database, accountId)).length, 200);
});

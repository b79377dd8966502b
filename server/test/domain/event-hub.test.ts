import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import { accountWrites, EventHub } from '../../src/domain/writing/event-hub.ts';
import type { Database } from '../../src/storage/database.ts';
import { create, databaseFor, otherTurns, words } from '../storage/support.ts';

const POLL_INTERVAL_MS = 250;
const MINUTE_MS = 60_000;
const NEVER = new AbortController().signal;

/** A hub with its own database, a count of its queries, and a mocked clock. */
async function hubFor(t: TestContext) {
  // Mock the timers before the database opens, so that none of its timers uses the real clock.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { database, accountId } = await databaseFor(t);
  const queries = { count: 0 };
  const watched: Database = {
    ...database,
    execute(statement, parameters) {
      queries.count += 1;
      return database.execute(statement, parameters);
    },
  };
  const hub = new EventHub(watched);
  defer(t, () => hub.stop());
  return { hub, database, accountId, queries };
}

/** Whether a promise is fulfilled now or within the next turns of the event loop. */
async function isOver(waiting: Promise<void>): Promise<boolean> {
  let over = false;
  void waiting.then(() => {
    over = true;
  });
  await otherTurns();
  return over;
}

/** Changes the account without notice to this process, as another process would. */
async function advance(database: Database, accountId: string): Promise<void> {
  const statement = `update account_heads set sequence = sequence + 1 where account_id = '${accountId}'`;
  await database.write((session) => session.execute(words(statement), {}));
}

test('a write in this process wakes waiting requests at once', async (t) => {
  const { hub, database, accountId, queries } = await hubFor(t);
  const waiting = hub.wait(accountId, 0, MINUTE_MS, NEVER);
  await create(database, accountId);
  await waiting;
  assert.equal(queries.count, 1);
});

test('the next poll finds another process’s write, with one query for a hundred accounts', async (t) => {
  const { hub, database, accountId, queries } = await hubFor(t);
  const others = await Promise.all(Array.from({ length: 99 }, (_, index) => createAccount(database, `A${index}`)));
  const waiting = [accountId, ...others.map(({ id }) => id)].flatMap((id) =>
    Array.from({ length: 10 }, () => hub.wait(id, 0, MINUTE_MS, NEVER)),
  );
  await advance(database, accountId);
  const woken = waiting.slice(0, 10);
  assert.equal(await isOver(Promise.race(waiting)), false);
  t.mock.timers.tick(POLL_INTERVAL_MS);
  await Promise.all(woken);
  assert.equal(queries.count, 1);
  assert.equal(await isOver(Promise.race(waiting.slice(10))), false, 'the others still wait');
  t.mock.timers.tick(POLL_INTERVAL_MS);
  await otherTurns();
  assert.equal(queries.count, 2);
});

test('a request that is behind the database wakes at the next poll, so that it misses nothing', async (t) => {
  const { hub, database, accountId } = await hubFor(t);
  await create(database, accountId);
  const waiting = hub.wait(accountId, 0, MINUTE_MS, NEVER);
  t.mock.timers.tick(POLL_INTERVAL_MS);
  await waiting;
});

test('nothing runs while no request waits', async (t) => {
  const { hub, accountId, queries } = await hubFor(t);
  const left = new AbortController();
  const waiting = hub.wait(accountId, 0, MINUTE_MS, left.signal);
  assert.equal(accountWrites.listenerCount('written'), 1);
  left.abort();
  await waiting;
  t.mock.timers.tick(10 * POLL_INTERVAL_MS);
  await otherTurns();
  assert.equal(queries.count, 0);
  assert.equal(accountWrites.listenerCount('written'), 0);
});

test('waiting ends at its timeout and when the hub stops', async (t) => {
  const { hub, accountId } = await hubFor(t);
  const short = hub.wait(accountId, 0, 100, NEVER);
  const long = hub.wait(accountId, 0, MINUTE_MS, NEVER);
  t.mock.timers.tick(100);
  await short;
  assert.equal(await isOver(long), false);
  hub.stop();
  await long;
  await hub.wait(accountId, 0, MINUTE_MS, NEVER);
  assert.equal(accountWrites.listenerCount('written'), 0);
});

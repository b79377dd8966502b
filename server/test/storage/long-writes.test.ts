import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { only } from '../../../testkit/src/database.ts';
import type { Database, Executor, LongTransaction } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { databaseFor, otherTurns, words } from './support.ts';

const TURNS = 50;

async function notesFor(t: TestContext) {
  const { database } = await databaseFor(t);
  await database.write((session) => session.execute(words('create table notes (text text)'), {}));
  return database;
}

const note = (session: Executor, text: string) => session.execute(words(`insert into notes values ('${text}')`), {});

/** The notes in insertion order, which neither engine has a reason to change. */
async function notes(database: Database): Promise<string[]> {
  const rows = await database.execute(words<{ text: string }>('select text from notes'), {});
  return rows.map(({ text }) => text);
}

async function noteInTurns(session: LongTransaction): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await note(session, `long ${turn}`);
    await session.nextTurn();
  }
}

const LONG_NOTES = Array.from({ length: TURNS }, (_, turn) => `long ${turn}`);

test('a long write yields to the event loop, and its changes appear all at once', async (t) => {
  const database = await notesFor(t);
  let isOver = false;
  const long = database.writeLong(noteInTurns).finally(() => {
    isOver = true;
  });
  let turns = 0;
  const counting = (async () => {
    for (; !isOver; turns += 1) await new Promise(setImmediate);
  })();
  while (!isOver) {
    const seen = await notes(database);
    assert.ok(seen.length === 0 || seen.length === TURNS, `${seen.length} notes`);
    await new Promise(setImmediate);
  }
  await Promise.all([long, counting]);
  assert.ok(turns >= TURNS, `${turns} turns`);
  assert.deepEqual(await notes(database), LONG_NOTES);
});

test('a long write is alone in its transaction: others wait for it, and it waits for them', async (t) => {
  const database = await notesFor(t);
  let isInside = false;
  const counter = words<{ count: number }>('select count(*) as count from notes');
  const short = (text: string) =>
    database.write(async (session) => {
      assert.equal(isInside, false);
      await note(session, text);
    });
  const long = async (session: LongTransaction) => {
    isInside = true;
    const [inside] = await session.execute(counter, {});
    const [outside] = await database.execute(counter, {});
    assert.deepEqual(inside, outside, 'the long write shares its transaction with no earlier write');
    await noteInTurns(session);
    isInside = false;
  };
  const writes = [short('before'), database.writeLong(long), short('after'), database.writeLong(long), short('last')];
  const order: number[] = [];
  await Promise.all(writes.map((write, index) => write.then(() => order.push(index))));
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
  assert.deepEqual(await notes(database), ['before', ...LONG_NOTES, 'after', ...LONG_NOTES, 'last']);
});

test('a long write that throws stores nothing, and other writes are stored', async (t) => {
  const database = await notesFor(t);
  const long = database.writeLong(async (session) => {
    await noteInTurns(session);
    throw new Error('the last row is not valid');
  });
  const outcomes = await Promise.allSettled([database.write((session) => note(session, 'before')), long]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  await assert.rejects(long, /the last row is not valid/);
  assert.deepEqual(await notes(database), ['before']);
});

// On PostgreSQL, a job that waits delays no other, because it has its own connection.
for (const [name, wait] of [
  ['other turns', () => otherTurns()],
  ['other turns after its own', (session: LongTransaction) => session.nextTurn().then(() => otherTurns())],
  ['other turns beside its own', (session: LongTransaction) => Promise.all([session.nextTurn(), otherTurns()])],
  ['setImmediate', () => new Promise(setImmediate)],
] as const) {
  test(
    `a long write that awaits ${name} fails and stores nothing`,
    only('sqlite', 'it executes statements within a turn of the event loop'),
    async (t) => {
      const database = await notesFor(t);
      const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
      const long = database.writeLong(async (session) => {
        await note(session, 'before');
        try {
          await wait(session);
          await note(session, 'after');
        } finally {
          settle();
        }
      });
      await assert.rejects(long, /awaited something other than its transaction/);
      await database.write((session) => note(session, 'another job'));
      await settled;
      await database.write((session) => note(session, 'a third job'));
      assert.deepEqual(await notes(database), ['another job', 'a third job']);
    },
  );
}

test('a long write’s transaction cannot be used after it ends', async (t) => {
  const database = await notesFor(t);
  const { promise: kept, resolve: keep } = Promise.withResolvers<LongTransaction>();
  await database.writeLong(async (session) => keep(session));
  const session = await kept;
  await assert.rejects(session.nextTurn(), /after its write job had ended/);
  await assert.rejects(async () => note(session, 'too late'), /after its write job had ended/);
  assert.deepEqual(await notes(database), []);
});

test('close waits for a long write', async (t) => {
  const { url } = await databaseFor(t);
  const database = await openDatabase(url);
  const order: string[] = [];
  const long = database.writeLong(async (session) => {
    for (let turn = 0; turn < TURNS; turn += 1) await session.nextTurn();
  });
  await Promise.all([database.close().then(() => order.push('closed')), long.then(() => order.push('written'))]);
  assert.deepEqual(order, ['written', 'closed']);
});

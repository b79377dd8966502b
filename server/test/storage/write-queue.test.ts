import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { only } from '../../../testkit/src/database.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import type { Database, Executor } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { create, databaseFor, otherTurns, storedIds, storedSequence, words } from './support.ts';

const AWAITED_ELSE = /awaited something other than its transaction/;

/** A database with a one-column table. */
async function notesFor(t: TestContext) {
  const { database, accountId, path } = await databaseFor(t);
  await database.write((session) => session.execute(words('create table notes (text text)'), {}));
  return { database, accountId, path };
}

const note = (session: Executor, text: string) => session.execute(words(`insert into notes values ('${text}')`), {});

async function notes(database: Database): Promise<string[]> {
  const rows = await database.execute(words<{ text: string }>('select text from notes order by text'), {});
  return rows.map(({ text }) => text);
}

test('a write job that throws is rolled back alone, and the others in its group are stored', async (t) => {
  const { database } = await notesFor(t);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      database.write(async (session) => {
        await note(session, `note ${index}`);
        if (index % 5 === 0) throw new Error('this one fails');
        return index;
      }),
    ),
  );
  const kept = outcomes.filter(({ status }) => status === 'fulfilled').length;
  assert.equal(kept, 40);
  const stored = await notes(database);
  assert.deepEqual(
    stored.filter((text) => Number(text.slice(5)) % 5 === 0),
    [],
  );
  assert.equal(stored.length, 40);
});

test('waiting writes share commits', async (t) => {
  const { database } = await notesFor(t);
  const counter = words<{ count: number }>('select count(distinct text) as count from notes');
  // A job sees what earlier jobs in its transaction wrote; the reader sees only committed rows.
  const seen = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      database.write(async (session) => {
        await note(session, `note ${index}`);
        const [inside] = await session.execute(counter, {});
        const [outside] = await database.execute(counter, {});
        return { inside: inside?.count ?? 0, outside: outside?.count ?? 0 };
      }),
    ),
  );
  const commits = new Set(seen.map(({ outside }) => outside)).size;
  assert.ok(commits < 20, `${commits} transactions for 20 writes`);
  assert.deepEqual(
    seen.map(({ inside }) => inside),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

// Only SQLite, where all jobs share a connection, rejects a job that waits.

test(
  'a write job that awaits anything but its statements fails, and reaches no later transaction',
  only('sqlite', 'it executes statements within a turn of the event loop'),
  async (t) => {
    const { database } = await notesFor(t);
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const late = database.write(async (session) => {
      await note(session, 'before it');
      try {
        await otherTurns();
        await note(session, 'after it');
      } finally {
        settle();
      }
    });
    await assert.rejects(late, AWAITED_ELSE);
    // Only this write runs after the job failed and before the promise that it awaits settles.
    await database.write((session) => note(session, 'another job'));
    await settled;
    await database.write((session) => note(session, 'a third job'));
    assert.deepEqual(await notes(database), ['a third job', 'another job']);
  },
);

test(
  'a failed write job that wakes during another one writes nothing into its transaction',
  only('sqlite', 'it executes statements within a turn of the event loop'),
  async (t) => {
    const { database } = await notesFor(t);
    const { promise: awaited, resolve: wake } = Promise.withResolvers<void>();
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const late = database.write(async (session) => {
      await awaited;
      try {
        await note(session, 'of the failed job');
      } finally {
        settle();
      }
    });
    await assert.rejects(late, AWAITED_ELSE);
    const other = database.write(async (session) => {
      wake();
      for (let turn = 0; turn < 20; turn += 1) await note(session, `of the other job ${turn}`);
    });
    await other;
    await settled;
    assert.deepEqual(
      (await notes(database)).filter((text) => !text.startsWith('of the other job')),
      [],
    );
    assert.equal((await notes(database)).length, 20);
  },
);

test(
  'a write job that awaits anything but its statements fails alone, and the others in its group run again',
  only('sqlite', 'it executes statements within a turn of the event loop'),
  async (t) => {
    const { database } = await notesFor(t);
    const writes = Array.from({ length: 5 }, (_, index) =>
      database.write(async (session) => {
        await note(session, `job ${index}`);
        if (index === 1 || index === 3) await otherTurns();
        return index;
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : AWAITED_ELSE.test(outcome.reason))),
      [0, true, 2, true, 4],
    );
    assert.deepEqual((await notes(database)).sort(), ['job 0', 'job 2', 'job 4']);
  },
);

test(
  'after a failed write job, every other write is stored, whenever it was submitted',
  only('sqlite', 'it executes statements within a turn of the event loop'),
  async (t) => {
    const { database, accountId } = await notesFor(t);
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const late = database.write(() => otherTurns().finally(settle));
    const lateOutcome = assert.rejects(late, AWAITED_ELSE);
    const writes: Promise<unknown>[] = [];
    let over = false;
    settled
      .then(() => sleep(20))
      .then(() => {
        over = true;
      });
    while (!over) {
      writes.push(create(database, accountId));
      await new Promise(setImmediate);
    }
    await lateOutcome;
    await Promise.all(writes);
    assert.equal((await storedIds(database)).length, writes.length);
    assert.equal(await storedSequence(database, accountId), writes.length);
  },
);

test('a statement after the end of its job is rejected', async (t) => {
  const { database } = await notesFor(t);
  const { promise: kept, resolve: keep } = Promise.withResolvers<Executor>();
  await database.write(async (session) => keep(session));
  const session = await kept;
  await assert.rejects(async () => note(session, 'too late'), /after its write job had ended/);
  assert.deepEqual(await notes(database), []);
});

test('close waits for submitted writes and rejects later ones', async (t) => {
  const { accountId, url } = await databaseFor(t);
  const database = await openDatabase(url);
  const writes = Array.from({ length: 500 }, () => create(database, accountId));
  const closed = database.close();
  await assert.rejects(async () => create(database, accountId), { code: 'unavailable' });
  await closed;
  assert.equal(new Set((await Promise.all(writes)).map(({ id }) => id)).size, 500);
});

test('the write-ahead log stays below 80 MB under any load', only('sqlite', 'it alone has this log'), async (t) => {
  const { database, path } = await databaseFor(t);
  const { id: accountId } = await createAccount(database, 'Large');
  const description = 'x'.repeat(8_000);
  let largest = 0;
  for (let batch = 0; batch < 100; batch += 1) {
    await Promise.all(Array.from({ length: 200 }, () => create(database, accountId, { description })));
    largest = Math.max(largest, (await stat(`${path}-wal`)).size);
  }
  assert.ok(largest < 80_000_000, `${largest} bytes`);
  assert.ok((await stat(path)).size > 160_000_000);
  assert.equal(await storedSequence(database, accountId), 20_000);
});

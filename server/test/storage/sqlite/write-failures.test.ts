import assert from 'node:assert/strict';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { until } from '../../../../testkit/src/until.ts';
import { AppError } from '../../../src/model/errors.ts';
import type { Executor } from '../../../src/storage/database.ts';
import type { Indexing } from '../../../src/storage/sqlite/listing-index.ts';
import { WriteQueue } from '../../../src/storage/sqlite/write-queue.ts';
import { databaseFor, storedIds, words } from '../support.ts';

const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;

/** A database whose disk fails only in the named steps. */
class FailingDatabase extends DatabaseSync {
  readonly failing = new Map<string, number>();

  override exec(text: string): void {
    this.#fail(text);
    super.exec(text);
  }

  override prepare(text: string): StatementSync {
    const statement = super.prepare(text);
    const all = statement.all.bind(statement);
    return Object.assign(statement, {
      all: (...values: SQLInputValue[]) => {
        this.#fail(text);
        return all(...values);
      },
    });
  }

  #fail(text: string): void {
    const errcode = this.failing.get(text);
    if (errcode !== undefined) throw Object.assign(new Error('the engine’s message'), { errcode });
  }
}

function failingQueue(t: TestContext) {
  const database = new FailingDatabase(':memory:');
  database.exec('create table notes (text text)');
  defer(t, () => database.close());
  const texts = () =>
    database
      .prepare('select text from notes order by text')
      .all()
      .map(({ text }) => text);
  return { database, queue: new WriteQueue(database), texts };
}

const note = (session: Executor, text: string) => session.execute(words(`insert into notes values ('${text}')`), {});

async function assertRefused(write: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(write, (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code);
    assert.doesNotMatch(error.message, /own words/);
    return true;
  });
}

test('a failed commit gives outcome_unknown to every write of its group, and the next write is stored', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const insertOrphan = words(`insert into events (account_id, sequence, type, listing_id, created_at)
    values ('acc_unknown', 1, 'listing.deleted', 'lst_x', 0)`);
  const rename = (name: string) => words(`update accounts set name = '${name}' where id = '${accountId}'`);
  const outcomes = await Promise.allSettled([
    database.write((session) => session.execute(rename('Changed'), {})),
    database.write(async (session) => {
      // The engine checks the foreign key only at the commit.
      await session.execute(words('pragma defer_foreign_keys = on'), {});
      await session.execute(insertOrphan, {});
    }),
  ]);
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AppError);
    assert.equal(outcome.reason.code, 'outcome_unknown');
    assert.doesNotMatch(outcome.reason.message, /foreign key|constraint/i);
  }
  const name = words<{ name: string }>('select name from accounts');
  assert.deepEqual((await database.execute(name, {}))[0]?.name, 'Hill Country Homes');
  await database.write((session) => session.execute(rename('Later'), {}));
  assert.deepEqual((await database.execute(name, {}))[0]?.name, 'Later');
  assert.deepEqual(await storedIds(database), []);
});

test('a commit on a full disk writes nothing and reports it', async (t) => {
  const { database, queue, texts } = failingQueue(t);
  database.failing.set('commit', SQLITE_FULL);
  await assertRefused(
    queue.submit((session) => note(session, 'refused')),
    'storage_full',
  );
  database.failing.clear();
  await queue.submit((session) => note(session, 'later'));
  assert.deepEqual(texts(), ['later']);
});

for (const [step, errcode, code] of [
  ['begin immediate', SQLITE_IOERR, 'unavailable'],
  ['begin immediate', SQLITE_FULL, 'storage_full'],
  ['commit', SQLITE_FULL, 'storage_full'],
] as const) {
  test(`an error ${errcode} of "${step}" is ${code}, and nothing is stored`, async (t) => {
    const { database, queue, texts } = failingQueue(t);
    database.failing.set(step, errcode);
    await assertRefused(
      queue.submit((session) => note(session, 'refused')),
      code,
    );
    database.failing.clear();
    await queue.submit((session) => note(session, 'later'));
    assert.deepEqual(texts(), ['later']);
  });
}

test('a job that fails before its first write fails alone', async (t) => {
  const { database, queue, texts } = failingQueue(t);
  let runs = 0;
  const writes = [
    queue.submit(async (session) => {
      runs += 1;
      await note(session, 'first');
    }),
    queue.submit(async () => {
      throw new Error('refused');
    }),
    queue.submit((session) => note(session, 'third')),
  ];
  const outcomes = await Promise.allSettled(writes);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(texts(), ['first', 'third']);
  assert.equal(runs, 1);
  assert.equal(database.isTransaction, false);
});

test('if a job fails after writing, the others in its group run again in order', async (t) => {
  const { queue, texts } = failingQueue(t);
  const order: number[] = [];
  const writes = Array.from({ length: 6 }, (_, index) =>
    queue.submit(async (session) => {
      await note(session, `job ${index}`);
      if (index === 2 || index === 4) throw new Error(`job ${index} fails`);
      return index;
    }),
  );
  for (const [index, write] of writes.entries()) write.then(() => order.push(index)).catch(() => {});
  const outcomes = await Promise.allSettled(writes);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    [0, 1, 'job 2 fails', 3, 'job 4 fails', 5],
  );
  assert.deepEqual(texts(), ['job 0', 'job 1', 'job 3', 'job 5']);
  assert.deepEqual(order, [0, 1, 3, 5]);
});

test('after a failed rollback, writes fail at once and store nothing until a rollback succeeds', async (t) => {
  const { database, queue, texts } = failingQueue(t);
  database.failing.set('commit', SQLITE_FULL).set('rollback', SQLITE_IOERR);
  await assertRefused(
    queue.submit((session) => note(session, 'not committed')),
    'storage_full',
  );
  await assertRefused(
    queue.submit((session) => note(session, 'not begun')),
    'unavailable',
  );
  database.failing.clear();
  await queue.submit((session) => note(session, 'later'));
  assert.deepEqual(texts(), ['later']);
});

test('a write after closing rejects its promise with Retry-After', async (t) => {
  const { queue, texts } = failingQueue(t);
  await queue.close();
  const write = queue.submit((session) => note(session, 'too late'));
  await assert.rejects(write, { code: 'unavailable', headers: { 'Retry-After': '1' } });
  assert.deepEqual(texts(), []);
});

test('changed listings are indexed in the end, even if an attempt fails and then the database cannot be read', async (t) => {
  const { database } = failingQueue(t);
  const steps: string[] = [];
  const fail = (step: string) => {
    steps.push(step);
    throw new Error(step);
  };
  const indexing = {
    isMerging: false,
    countWaiting: () => (steps.at(-1) === 'an attempt fails' ? fail('the database cannot be read') : 1),
    indexSome: () => (steps.length === 0 ? fail('an attempt fails') : steps.push('an attempt succeeds')),
  };
  const queue = new WriteQueue(database, undefined, indexing as unknown as Indexing);
  defer(t, () => queue.close());
  const write = () => queue.submit(async () => {});
  await write();
  await until('the database cannot be read', () => steps.length === 2);
  await write();
  await until('an attempt succeeds', () => steps.length === 3);
  assert.deepEqual(steps, ['an attempt fails', 'the database cannot be read', 'an attempt succeeds']);
});

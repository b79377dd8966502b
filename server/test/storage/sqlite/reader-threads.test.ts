import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { directoryFor } from '../../../../testkit/src/serving.ts';
import type { QueryBuild, Scans } from '../../../src/storage/database.ts';
import { ReaderThreads } from '../../../src/storage/sqlite/reader-threads.ts';
import { create, databaseFor, words } from '../support.ts';

/** A query with this SQL text. */
function query<R>(words: string): QueryBuild<R> {
  return (builder) => ({ compile: () => sql<R>`${sql.raw(words)}`.compile(builder) });
}

/** Keeps a thread busy for a moment. */
const COUNTING = `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 300000)
  select max(n) as n from counted`;

const isUnavailable = (error: unknown) => Object(error).code === 'unavailable';

/** Threads that run the test's program. */
async function threadsFor(t: TestContext, program: string): Promise<ReaderThreads> {
  const file = join(await directoryFor(t), 'thread.mjs');
  await writeFile(file, `import { parentPort } from 'node:worker_threads';\n${program}`);
  const threads = new ReaderThreads('', { file: pathToFileURL(file) });
  defer(t, () => threads.close());
  return threads;
}

test('a query works under `node --watch`', async (t) => {
  process.env.WATCH_REPORT_DEPENDENCIES = '1';
  defer(t, () => delete process.env.WATCH_REPORT_DEPENDENCIES);
  const { database, accountId } = await databaseFor(t);
  assert.deepEqual(await database.scans.query(accountId, query<{ one: number }>('select 1 as one')), [{ one: 1 }]);
});

test('a query returns rows, including everything committed before it', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const build: QueryBuild<{ id: string; beds: number }> = (builder) =>
    builder.selectFrom('listing_facets').select(['id', 'beds']).orderBy('id');
  assert.deepEqual(await database.scans.query(accountId, build), []);
  for (const beds of [1, 2, 3]) {
    const { id } = await create(database, accountId, { beds });
    const rows = await database.scans.query(accountId, build);
    assert.deepEqual(rows.at(-1), { id, beds });
    assert.equal(rows.length, beds);
  }
});

test('a query ends with the row that exceeds its byte limit', async (t) => {
  const { path } = await databaseFor(t);
  const threads = new ReaderThreads(path);
  defer(t, () => threads.close());
  const text = `select 'ééé' as text, 1 as n union all select 'b', 2 union all select 'c', 3`;
  for (const [bytesMax, expected, isCut] of [
    [0, [1], true],
    [5, [1], true],
    [6, [1, 2], true],
    [7, [1, 2, 3], true],
    [8, [1, 2, 3], false],
    [Number.POSITIVE_INFINITY, [1, 2, 3], false],
  ] as const) {
    const run = await threads.run('acc', { sql: text, values: [], bytesMax });
    assert.deepEqual([run.rows.map(([, n]) => n), run.isCut], [expected, isCut], String(bytesMax));
  }
});

/** How many queries of these accounts run at the same time. */
async function countConcurrent(threads: ReaderThreads, accounts: string[]): Promise<number> {
  let running = 0;
  let most = 0;
  const ask = async (account: string) => {
    // The query is built once it has a thread.
    const rows = threads.query(account, (builder, engine) => {
      running += 1;
      most = Math.max(most, running);
      return query(COUNTING)(builder, engine);
    });
    await rows;
    running -= 1;
  };
  await Promise.all(accounts.map(ask));
  return most;
}

test('an account leaves a thread to others, even if each of several processes has fewer threads', async (t) => {
  const { path } = await databaseFor(t);
  for (const [isShared, ofAccount, ofAll] of [
    [false, 2, 3],
    [true, 1, 2],
  ] as const) {
    const threads = new ReaderThreads(path, { isShared });
    defer(t, () => threads.close());
    assert.equal(await countConcurrent(threads, ['one', 'one', 'one', 'one']), ofAccount);
    assert.equal(await countConcurrent(threads, ['one', 'two', 'three', 'four', 'one', 'two']), ofAll);
  }
});

test('packs contain the rows of the query in order', async (t) => {
  const { path } = await databaseFor(t);
  const threads = new ReaderThreads(path);
  defer(t, () => threads.close());
  const read = (sql: string, packLength?: number) =>
    threads.run('acc', { sql, values: [], ...(packLength !== undefined && { packLength }) });
  for (const count of [0, 1, 249, 250, 251, 600]) {
    const words = `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${count})
      select n, 'é😀"' || n as text, 0.1 * n as real, null as missing from counted where ${count} > 0 order by n desc`;
    const { rows } = await read(words);
    const packed = await read(words, 250);
    const packs = packed.packs.map((pack): unknown[] => JSON.parse(new TextDecoder().decode(pack)));
    assert.deepEqual(packs.flat(), rows);
    assert.deepEqual([rows.length, packed.count, packed.rows], [count, count, []]);
    assert.ok(packs.every(({ length }) => length <= 250));
  }
  await assert.rejects(read('select nonsense', 250), /no such column/);
});

test('the service reads and writes while a query runs', async (t) => {
  const { database, accountId } = await databaseFor(t);
  let isOver = false;
  const counting = database.scans.query<{ n: number }>(accountId, query(COUNTING)).finally(() => {
    isOver = true;
  });
  const { id } = await create(database, accountId);
  assert.ok(id);
  assert.equal(isOver, false);
  assert.deepEqual(await counting, [{ n: 300_000 }]);
});

test('a query cannot change data, and the next one succeeds', async (t) => {
  const { database, accountId } = await databaseFor(t);
  await assert.rejects(database.scans.query(accountId, query('delete from accounts')), isUnavailable);
  await assert.rejects(database.scans.query(accountId, query('select nonsense')), /no such column/);
  assert.deepEqual(await database.scans.query(accountId, query('select count(*) as n from accounts')), [{ n: 1 }]);
});

test('more distinct queries than cached statements all succeed', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const numbers = Array.from({ length: 250 }, (_, index) => index);
  for (let turn = 0; turn < 2; turn += 1) {
    // Fewer at a time than may wait.
    for (let start = 0; start < numbers.length; start += 50) {
      const some = numbers.slice(start, start + 50);
      const runs = some.map((n) => database.scans.query<{ n: number }>(accountId, query(`select ${n} as n`)));
      assert.deepEqual(
        (await Promise.all(runs)).map(([row]) => row?.n),
        some,
      );
    }
  }
});

test('rows with more distinct column lists than the cache holds have the right members', async (t) => {
  const { database, accountId } = await databaseFor(t);
  for (let turn = 0; turn < 2; turn += 1) {
    for (let n = 0; n < 120; n += 1) {
      const rows = await database.scans.query(accountId, query(`select ${n} as "a,${n}", 1 as b`));
      assert.deepEqual(rows, [{ [`a,${n}`]: n, b: 1 }]);
    }
  }
});

test('accounts take turns: a query does not wait for all queries of another account', async (t) => {
  const { database } = await databaseFor(t);
  const order: string[] = [];
  const ask = (accountId: string) =>
    database.scans.query(accountId, query(COUNTING)).then(() => void order.push(accountId));
  const many = Array.from({ length: 10 }, () => ask('many'));
  await Promise.all([...many, ask('one')]);
  assert.equal(order.length, 11);
  assert.ok(order.indexOf('one') < 6, order.join());
});

test('a thread that dies fails only its own query and is replaced', async (t) => {
  const threads = await threadsFor(
    t,
    `parentPort.on('message', (request) => {
      if (request === 'close') parentPort.close();
      else if (request.sql === 'exit') process.exit();
      else if (request.sql === 'throw') throw new Error('a fault');
      else parentPort.postMessage({ columns: ['text'], rows: [[request.sql]], isCut: false });
    });`,
  );
  const ask = (words: string) => threads.query<{ text: string }>('acc', query(words));
  for (let turn = 0; turn < 3; turn += 1) {
    const asked = ['exit', 'a', 'throw', 'b', 'exit', 'exit', 'c'].map(ask);
    const settled = await Promise.allSettled(asked);
    assert.deepEqual(
      settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value[0]?.text : outcome.reason.code)),
      ['unavailable', 'a', 'unavailable', 'b', 'unavailable', 'unavailable', 'c'],
    );
  }
});

test('if threads cannot start, every query fails and none hangs', async (t) => {
  const threads = await threadsFor(t, `throw new Error('cannot start');`);
  const settled = await Promise.allSettled(['a', 'b', 'c'].map((words) => threads.query('acc', query(words))));
  assert.ok(settled.every((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason)));
});

test('an aborted query that still waits does not run, and the queries behind it do', async (t) => {
  const threads = await threadsFor(
    t,
    `const ran = [];
    parentPort.on('message', (request) => {
      if (request === 'close') return parentPort.close();
      ran.push(request.sql);
      parentPort.postMessage({ columns: ['ran'], rows: [[ran.join()]], isCut: false });
    });`,
  );
  const leaving = new AbortController();
  const ask = (sql: string, signal?: AbortSignal) => threads.run('acc', { sql, values: [] }, { signal });
  const asked = ['a', 'b', 'c', 'd', 'e'].map((words) => ask(words, leaving.signal));
  const others = ['x', 'y', 'z'].map((words) => ask(words));
  leaving.abort(new Error('disconnected'));
  const settled = await Promise.allSettled(asked);
  assert.deepEqual(
    settled.map((outcome) => (outcome.status === 'fulfilled' ? 'was running' : outcome.reason.message)),
    ['was running', 'was running', 'disconnected', 'disconnected', 'disconnected'],
  );
  const runs = await Promise.all(others);
  assert.doesNotMatch(runs.map(({ rows }) => rows).join(), /[cde]/);
  await assert.rejects(ask('f', leaving.signal), /disconnected/);
});

test('a signal used for many queries keeps no listeners', async (t) => {
  const { path } = await databaseFor(t);
  const threads = new ReaderThreads(path);
  defer(t, () => threads.close());
  const { signal } = new AbortController();
  for (let n = 0; n < 20; n += 1) await threads.run('acc', { sql: 'select 1', values: [] }, { signal });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('closing lets running queries finish, and rejects waiting and later ones', async (t) => {
  const { database, path } = await databaseFor(t);
  const threads: Scans & { close(): Promise<void> } = new ReaderThreads(path);
  const asked = Array.from({ length: 4 }, () => threads.query('acc', query(COUNTING)));
  const closing = threads.close();
  const settled = await Promise.allSettled(asked);
  assert.deepEqual(
    settled.map((outcome) => outcome.status === 'fulfilled' || outcome.reason.code),
    [true, true, 'unavailable', 'unavailable'],
  );
  await closing;
  await assert.rejects(threads.query('acc', query('select 1')), isUnavailable);
  await database.write(async () => {});
});

test('excess waiting queries of one account are rejected, and other accounts’ queries run', async (t) => {
  const { database } = await databaseFor(t);
  const build = query<{ n: number }>('select 1 as n');
  const one = () => database.scans.query('acc_busy', build);
  const piled = Array.from({ length: 140 }, one);
  const other = database.scans.query('acc_other', build);
  const outcomes = await Promise.allSettled(piled);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.ok(refused.length > 0 && refused.length < 50, `${refused.length} queries were rejected`);
  assert.ok(refused.every(({ reason }) => isUnavailable(reason)));
  assert.deepEqual(await other, [{ n: 1 }]);
  assert.deepEqual(await one(), [{ n: 1 }], 'the account’s queries run again');
});

test('a failed query can succeed later, because its error is not cached', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const write = (text: string) => database.write((session) => session.execute(words(text), {}));
  await write('create table numbers (n integer)');
  await write('insert into numbers values (-9223372036854775807 - 1)');
  const ask = () => database.scans.query(accountId, query<{ n: number }>('select abs(n) as n from numbers'));
  await assert.rejects(ask(), /integer overflow/);
  await write('update numbers set n = -1');
  assert.deepEqual(await ask(), [{ n: 1 }]);
});

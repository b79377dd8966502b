import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { only } from '../../../testkit/src/database.ts';
import { createAccount } from '../../src/domain/accounts/accounts.ts';
import type { ImportRow } from '../../src/domain/imports/import-rows.ts';
import { importRows } from '../../src/domain/imports/imports.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { create, databaseFor, words } from './support.ts';

const GROUP_JOBS_MAX = 256;
const ONE_WRITER = only('sqlite', 'PostgreSQL writes accounts at the same time');

/** A database with several accounts; on PostgreSQL, they share one connection for writes. */
async function accountsFor(t: TestContext, count = 2) {
  const { url } = await databaseFor(t);
  const database = await openDatabase(url, { poolSize: 2, statementTimeoutMs: 30_000, preparesStatements: true });
  defer(t, () => database.close());
  const accounts: string[] = [];
  while (accounts.length < count) accounts.push((await createAccount(database, `Account ${accounts.length}`)).id);
  return { database, accounts };
}

const READ = words<{ one: number }>('select 1 as one');

/** Starts jobs that note their names when they run. */
function noteRuns(database: Database) {
  const ran: string[] = [];
  const note = (name: string) => async () => void ran.push(name);
  return {
    ran,
    write: (name: string, accountId: string) => database.write(note(name), accountId),
    writeLong: (name: string, accountId: string) => database.writeLong(note(name), accountId),
  };
}

test('an account’s write is in the next group, however many writes of another account wait', async (t) => {
  const { database, accounts } = await accountsFor(t);
  const [flooding = '', other = ''] = accounts;
  const answered: string[] = [];
  const write = (name: string, accountId: string) =>
    database.write((session) => session.execute(READ, {}), accountId).then(() => answered.push(name));
  const flood = Array.from({ length: 6 * GROUP_JOBS_MAX }, () => write('flooding', flooding));
  await Promise.all([...flood, write('other', other)]);
  assert.ok(answered.indexOf('other') <= GROUP_JOBS_MAX, `${answered.indexOf('other')} other writes finished first`);
});

test(
  'accounts and jobs without an account take turns within a group, and each account keeps its order',
  ONE_WRITER,
  async (t) => {
    const { database, accounts } = await accountsFor(t);
    const [a = '', b = ''] = accounts;
    const { ran, write } = noteRuns(database);
    const ofNone = async () => void ran.push('none 1');
    await Promise.all([
      write('a 1', a),
      write('a 2', a),
      write('a 3', a),
      write('b 1', b),
      write('b 2', b),
      database.write(ofNone),
    ]);
    assert.deepEqual(ran, ['a 1', 'b 1', 'none 1', 'a 2', 'b 2', 'a 3']);
  },
);

test('a group of short writes runs between any two long writes', ONE_WRITER, async (t) => {
  const { database, accounts } = await accountsFor(t, 3);
  const [a = '', b = '', c = ''] = accounts;
  const { ran, write, writeLong } = noteRuns(database);
  await Promise.all([
    writeLong('long a 1', a),
    writeLong('long a 2', a),
    writeLong('long b 1', b),
    write('c 1', c),
    write('c 2', c),
    write('a 3', a),
  ]);
  assert.deepEqual(ran, ['long a 1', 'c 1', 'c 2', 'long b 1', 'long a 2', 'a 3']);
});

test('short writes do not starve a long write', async (t) => {
  const { database, accounts } = await accountsFor(t);
  const [a = '', b = ''] = accounts;
  let isOver = false;
  const short = async () => {
    while (!isOver) await database.write((session) => session.execute(READ, {}), a);
  };
  const flood = Array.from({ length: 20 }, short);
  await database.writeLong((session) => session.execute(READ, {}), b);
  isOver = true;
  await Promise.all(flood);
});

test('an account that writes all the time does not block another', async (t) => {
  const { database, accounts } = await accountsFor(t);
  const [a = '', b = ''] = accounts;
  let isOver = false;
  const loop = async () => {
    while (!isOver) await database.write((session) => session.execute(READ, {}), a);
  };
  const flood = Array.from({ length: 20 }, loop);
  assert.ok((await create(database, b)).id);
  isOver = true;
  await Promise.all(flood);
});

test(
  'long writes of many accounts leave a connection to other writes',
  only('postgres', 'SQLite has one connection for writes'),
  async (t) => {
    const { url } = await databaseFor(t);
    const database = await openDatabase(url, { poolSize: 6, statementTimeoutMs: 30_000, preparesStatements: true });
    defer(t, () => database.close());
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const begun: string[] = [];
    const long = Array.from({ length: 4 }, async (_, index) => {
      const { id } = await createAccount(database, `Long ${index}`);
      await database.writeLong(async () => {
        begun.push(id);
        await released;
      }, id);
    });
    const { id } = await createAccount(database, 'Other');
    await create(database, id);
    assert.ok(begun.length > 0 && begun.length < 3, `${begun.length} long writes run at once`);
    release();
    await Promise.all(long);
  },
);

/** Yields rows until `isOver`. */
async function* endless(isOver: () => boolean): AsyncGenerator<ImportRow[]> {
  const makeInput = () => ({ address: '12 Elm Street', beds: 3, baths: 2 });
  for (let line = 1; !isOver(); line += 1) yield [{ line, id: undefined, externalId: undefined, makeInput }];
}

test('an import takes turns like any other write: while four imports run, a create waits for one group', async (t) => {
  const { database, accounts } = await accountsFor(t);
  const [a = '', b = ''] = accounts;
  const ran: string[] = [];
  const watched: Database = {
    ...database,
    write: (job, accountId) =>
      database.write((session) => {
        ran.push(accountId === a ? 'import' : 'create');
        return job(session);
      }, accountId),
  };
  let isOver = false;
  const request = () => ({ actor: { accountId: a }, batches: endless(() => isOver), isDryRun: false });
  const imports = Array.from({ length: 4 }, () => importRows(watched, request(), assert.ifError));
  for (let turn = 0; turn < 10; turn += 1) {
    const before = ran.length;
    await create(watched, b);
    // At most four jobs of the running group and four of the next, one per import, run before the create.
    assert.ok(ran.indexOf('create', before) - before <= 8, ran.slice(before).join());
  }
  isOver = true;
  await Promise.all(imports);
});

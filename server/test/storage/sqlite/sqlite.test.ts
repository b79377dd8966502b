import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import { directoryFor } from '../../../../testkit/src/serving.ts';
import { AppError } from '../../../src/model/errors.ts';
import type { Executor } from '../../../src/storage/database.ts';
import { getCursorSecret } from '../../../src/storage/database-info.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { databaseFor, words } from '../support.ts';

const STARTS = 5;
/** The user `nobody`. */
const OTHER_USER = 65_534;

async function pragma(session: Executor, name: string): Promise<unknown> {
  const [row] = await session.execute(words<Record<string, unknown>>(`pragma ${name}`), {});
  return Object.values(row ?? {})[0];
}

/** Another program's database file. */
async function foreignDatabase(t: TestContext, script: string): Promise<string> {
  const path = join(await directoryFor(t), 'other.db');
  const database = new DatabaseSync(path);
  database.exec(script);
  database.close();
  return path;
}

/** Opening must fail with an error that names the file, and leave the file unchanged. */
async function assertRefused(path: string, expected: RegExp): Promise<void> {
  const before = await readFile(path);
  await assert.rejects(openDatabase(`file:${path}`), (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, expected);
    assert.ok(error.message.includes(path), 'the message names the file');
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
  assert.ok(before.equals(await readFile(path)), 'the file is unchanged');
}

test('both connections sync each commit to disk, and only the writer can write', async (t) => {
  const { database } = await databaseFor(t);
  const expected = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1 };
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(await pragma(database, name), value, `${name} of the reader`);
    assert.equal(await database.write((session) => pragma(session, name)), value, `${name} of the writer`);
  }
  assert.equal(await pragma(database, 'query_only'), 1);
  assert.equal(await database.write((session) => pragma(session, 'busy_timeout')), 0, 'nothing waits inside SQLite');
});

test('the reading connection cannot write', async (t) => {
  const { database, accountId } = await databaseFor(t);
  for (const text of [
    `update accounts set name = 'Changed'`,
    `insert into account_heads (account_id, sequence, listing_count) values ('acc_x', 0, 0)`,
    'delete from accounts',
    'drop table events',
    'create table more (a)',
  ]) {
    await assert.rejects(database.execute(words(text), {}), { code: 'unavailable' }, text);
  }
  const accounts = await database.execute(words('select id, name from accounts'), {});
  assert.deepEqual(JSON.stringify(accounts), JSON.stringify([{ id: accountId, name: 'Hill Country Homes' }]));
});

test('a missing database and its directories are created', async (t) => {
  const path = join(await directoryFor(t), 'a', 'b c', 'listings.db');
  const database = await openDatabase(`file:${path}`);
  assert.equal(database.name, path);
  assert.match(await getCursorSecret(database), /^[0-9a-f]{64}$/);
  const rows = await database.execute(words<{ epoch: string }>('select epoch from database_info'), {});
  assert.equal(rows.length, 1);
  assert.match(rows[0]?.epoch ?? '', /^[0-9a-z]{8}$/);
  await database.close();
});

test('a reopened database keeps its epoch and secret', async (t) => {
  const { database, path } = await databaseFor(t);
  const info = words('select * from database_info');
  const again = await openDatabase(`file:${path}`);
  assert.deepEqual(await again.execute(info, {}), await database.execute(info, {}));
  await again.close();
});

test('after closing, only the database file remains', async (t) => {
  const directory = await directoryFor(t);
  const database = await openDatabase(`file:${join(directory, 'listings.db')}`);
  await database.close();
  assert.deepEqual(await readdir(directory), ['listings.db']);
});

test(`${STARTS} processes that start at once on a new file create its tables once`, async (t) => {
  const directory = await directoryFor(t);
  const starts = Array.from({ length: STARTS }, () => runCommand(['migrate', '--json'], { DATA_DIR: directory }));
  for (const { code, stdout, stderr } of await Promise.all(starts)) {
    assert.equal(code, 0, stderr);
    assert.ok(JSON.parse(stdout).version >= 1);
  }
  const database = new DatabaseSync(join(directory, 'listings.db'), { readOnly: true });
  defer(t, () => database.close());
  assert.equal(database.prepare('select count(*) as count from database_info').get()?.count, 1);
});

test('a database of a newer release is rejected with advice and left unchanged', async (t) => {
  const directory = await directoryFor(t);
  const path = join(directory, 'listings.db');
  await (await openDatabase(`file:${path}`)).close();
  const future = new DatabaseSync(path);
  future.exec('pragma user_version = 999; create table of_the_future (a)');
  future.close();
  await assertRefused(path, /version 999.*Install the newer release.*restore an earlier backup/);
  assert.deepEqual(await readdir(directory), ['listings.db']);
});

test('a failed migration gives a one-line error, including on the command line', async (t) => {
  const directory = await directoryFor(t);
  const path = join(directory, 'listings.db');
  const damaged = new DatabaseSync(path);
  damaged.exec('create table database_info (id integer)');
  damaged.close();
  await assert.rejects(openDatabase(`file:${path}`), {
    code: 'unavailable',
    message: `Cannot migrate the tables of ${path}: table database_info already exists.`,
  });
  const { code, stdout, stderr } = await runCommand(['migrate'], { DATA_DIR: directory });
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^error: Cannot migrate the tables [^\n]*\n$/);
});

test("another program's database is rejected and left unchanged", async (t) => {
  const path = await foreignDatabase(t, 'create table songs (title text); insert into songs values (1)');
  await assertRefused(path, /another program/);
});

test("another program's database is rejected even if it has the same version number", async (t) => {
  const path = await foreignDatabase(t, 'create table songs (title text); pragma user_version = 1');
  await assertRefused(path, /another program/);
});

test('a file that is not a database is rejected and left unchanged', async (t) => {
  const path = join(await directoryFor(t), 'photo.jpg');
  await writeFile(path, randomBytes(64 * 1024));
  await assertRefused(path, /not a database/);
});

test('a directory in place of the file is rejected with advice', async (t) => {
  const path = await directoryFor(t);
  await assert.rejects(openDatabase(`file:${path}`), {
    code: 'unavailable',
    message: /is not a regular file; move it elsewhere/,
  });
});

test('a file in place of a directory is rejected', async (t) => {
  const file = join(await directoryFor(t), 'file');
  await writeFile(file, '');
  await assert.rejects(openDatabase(`file:${join(file, 'data', 'listings.db')}`), { code: 'unavailable' });
});

test('a read-only directory is rejected with an error', async (t) => {
  const directory = await directoryFor(t);
  const readOnly = join(directory, 'read-only');
  await mkdir(readOnly);
  await chmod(directory, 0o755);
  await chmod(readOnly, 0o555);
  // root can write anywhere, so the test switches to another user.
  const isRoot = process.geteuid?.() === 0;
  for (const path of [join(readOnly, 'listings.db'), join(readOnly, 'data', 'listings.db')]) {
    if (isRoot) process.seteuid?.(OTHER_USER);
    try {
      await assert.rejects(openDatabase(`file:${path}`), { code: 'unavailable', message: /Cannot/ }, path);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  }
});

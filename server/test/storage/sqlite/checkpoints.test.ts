import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { Checkpoints } from '../../../src/storage/sqlite/checkpoints.ts';
import { words } from '../support.ts';

/** The checkpoints of a new database, which end with the test. */
function openCheckpoints(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'property-listings-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const path = join(directory, 'listings.db');
  const writer = new DatabaseSync(path);
  writer.exec(
    'pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table pages (page); create table database_info (id)',
  );
  const checkpoints = new Checkpoints(writer, path);
  defer(t, () => checkpoints.close().then(() => writer.close()));
  return { path, writer, checkpoints };
}

test('failing checkpoints do not block writes', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'property-listings-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const writer = new DatabaseSync(join(directory, 'listings.db'));
  defer(t, () => writer.close());
  writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table pages (page)');
  const noDatabase = join(directory, 'notes.txt');
  writeFileSync(noDatabase, 'x'.repeat(10_000));
  const checkpoints = new Checkpoints(writer, noDatabase);
  for (let commit = 0; commit < 100; commit += 1) {
    await checkpoints.letCatchUp();
    writer.exec('insert into pages values (zeroblob(1000000))');
    checkpoints.noteCommit();
  }
  await checkpoints.letCatchUp();
  assert.equal(writer.prepare('select count(*) as pages from pages').get()?.pages, 100);
  await assert.doesNotReject(checkpoints.close());
});

test('closing the database waits for a checkpoint', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'property-listings-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  for (let opened = 0; opened < 10; opened += 1) {
    const database = await openDatabase(`file:${join(directory, 'listings.db')}`);
    await database.write(async (session) => {
      await session.execute(words('create table if not exists pages (page)'), {});
      await session.execute(words('insert into pages values (zeroblob(10000000))'), {});
    });
    await database.close();
  }
});

test('if the log cannot be read after a checkpoint, only the next commit fails', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'property-listings-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const path = join(directory, 'listings.db');
  const writer = new DatabaseSync(path);
  writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table pages (page)');
  writer.exec('insert into pages values (zeroblob(10000000))');
  const checkpoints = new Checkpoints(writer, path);
  checkpoints.noteCommit();
  writer.close();
  await assert.doesNotReject(checkpoints.close());
  assert.throws(() => checkpoints.noteCommit());
});

test('urgent writes wait for the log only at twice its usual size', async (t) => {
  const { path, writer, checkpoints } = openCheckpoints(t);
  const megabytes = () => Math.round(statSync(`${path}-wal`).size / 1e6);
  /** Writes 4 MB at a time, so fast that each checkpoint is still running when the next write is committed. */
  const write = async (isUrgent: boolean, untilMegabytes: number) => {
    for (let commit = 0; commit < 30 && megabytes() < untilMegabytes; commit += 1) {
      await checkpoints.letCatchUp(isUrgent);
      writer.exec('insert into pages values (zeroblob(4000000))');
      checkpoints.noteCommit();
    }
    return megabytes();
  };
  assert.ok((await write(false, 80)) < 70, 'other writes wait at 56 MB');
  assert.ok((await write(true, 90)) >= 90, 'urgent writes do not wait yet');
  assert.ok((await write(true, 150)) < 130, 'urgent writes wait at 112 MB');
});

test('on a full disk the log reuses its space and does not grow', async (t) => {
  const { path, writer, checkpoints } = openCheckpoints(t);
  const write = (bytes: number) => writer.exec(`insert into pages values (zeroblob(${bytes}))`);
  write(2_000_000);
  const { size } = statSync(`${path}-wal`);
  for (let fulls = 0; fulls < 3; fulls += 1) {
    checkpoints.noteFull();
    await checkpoints.letCatchUp();
    write(1_000_000);
  }
  assert.equal(statSync(`${path}-wal`).size, size);
});

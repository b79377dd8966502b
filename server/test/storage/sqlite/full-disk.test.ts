import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { whyNoMounts } from '../../../../testkit/src/mounts.ts';
import { mountSmallDisk } from '../../../../testkit/src/small-disk.ts';
import { AppError } from '../../../src/model/errors.ts';
import type { Database, Executor } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { create, databaseFor, storedIds, storedSequence, words } from '../support.ts';

const ROOM_AGAIN = 1_000_000;
const MEGABYTE = 2 ** 20;
const NEEDS_MOUNTS = { skip: whyNoMounts() ?? false };
const LARGE = 'x'.repeat(4_000);

/** Limits the file to `count` pages; beyond that, SQLite reports a full disk. */
function limitPages(session: Executor, count: number) {
  return session.execute(words(`pragma max_page_count = ${count}`), {});
}

async function countPages(session: Executor): Promise<number> {
  const [row] = await session.execute(words<{ page_count: number }>('pragma page_count'), {});
  return row?.page_count ?? 0;
}

function assertStorageFull(error: unknown): void {
  assert.ok(error instanceof AppError);
  assert.equal(error.code, 'storage_full');
  assert.doesNotMatch(error.message, /sqlite|database or disk/i);
}

/** Writes a note, then fills the disk in the next job, usually in the same transaction. */
async function fillWithinGroup(database: Database, name: string) {
  const first = database.write(async (session) => {
    await session.execute(words(`insert into notes values ('${name}')`), {});
  });
  const count = words<{ count: number }>(`select count(*) as count from notes where text = '${name}'`);
  let isOneGroup = false;
  const second = database.write(async (session) => {
    const [committed] = await database.execute(count, {});
    isOneGroup = committed?.count === 0;
    await limitPages(session, await countPages(session));
    for (;;) await session.execute(words(`insert into notes values ('filler ${LARGE}')`), {});
  });
  const outcomes = await Promise.allSettled([first, second]);
  await database.write((session) => limitPages(session, ROOM_AGAIN));
  const [stored] = await database.execute(count, {});
  return { isOneGroup, outcomes, isStored: stored?.count === 1 };
}

test('a disk that fills up during a group commit fails every write of the group and stores none', async (t) => {
  const { database } = await databaseFor(t);
  await database.write((session) => session.execute(words('create table notes (text text)'), {}));
  let groups = 0;
  for (let attempt = 0; attempt < 20 && groups < 5; attempt += 1) {
    const { isOneGroup, outcomes, isStored } = await fillWithinGroup(database, `note ${attempt}`);
    const [first, second] = outcomes;
    assert.equal(second.status, 'rejected');
    assertStorageFull(second.reason);
    assert.equal(first.status === 'fulfilled', isStored, 'a note is stored if and only if it is acknowledged');
    if (!isOneGroup) continue;
    groups += 1;
    if (first.status === 'rejected') assertStorageFull(first.reason);
  }
  assert.ok(groups > 0, 'no group had two writes');
  const fillers = words<{ count: number }>(`select count(*) as count from notes where text like 'filler%'`);
  assert.deepEqual(await database.execute(fillers, {}), [{ count: 0 }]);
});

test('on a full disk, creates get storage_full and reads work; once there is space again, creates succeed', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const { id } = await create(database, accountId);
  await database.write(async (session) => limitPages(session, (await countPages(session)) + 20));

  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, () => create(database, accountId, { description: LARGE })),
  );
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.ok(failures.length > 0, 'the disk did not fill up');
  for (const { reason } of failures) assertStorageFull(reason);
  const acknowledged = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value.id);
  assert.deepEqual(await storedIds(database), [id, ...acknowledged].sort());
  assert.equal(await storedSequence(database, accountId), 1 + acknowledged.length);

  await database.write((session) => limitPages(session, ROOM_AGAIN));
  const { id: later } = await create(database, accountId, { description: LARGE });
  assert.ok((await storedIds(database)).includes(later));
  assert.equal(await storedSequence(database, accountId), 2 + acknowledged.length);
});

/** A database with a table of notes on a disk of this size. */
async function smallDiskFor(t: TestContext, megabytes: number) {
  const disk = await mountSmallDisk(t, megabytes);
  const path = join(disk.directory, 'listings.db');
  const database = await openDatabase(`file:${path}`);
  defer(t, () => database.close());
  await database.write((session) => session.execute(words('create table notes (text text)'), {}));
  const note = words(`insert into notes values ('${LARGE}')`);
  /** Writes up to `count` notes. @returns the number stored before the disk was full */
  const fill = async (count: number, by = database) => {
    for (let stored = 0; stored < count; stored += 1) {
      const [outcome] = await Promise.allSettled([by.write((session) => session.execute(note, {}))]);
      if (outcome.status === 'fulfilled') continue;
      assertStorageFull(outcome.reason);
      return stored;
    }
    return count;
  };
  const countStored = async () => {
    const [row] = await database.execute(words<{ count: number }>('select count(*) as count from notes'), {});
    return row?.count;
  };
  return { disk, path, fill, countStored, readLogSize: () => statSync(`${path}-wal`).size };
}

test('after the log fills the disk, the database uses all new space', NEEDS_MOUNTS, async (t) => {
  const { disk, fill, countStored } = await smallDiskFor(t, 12);
  let stored = await fill(10_000);
  for (let times = 0; times < 4; times += 1) {
    disk.grow(MEGABYTE);
    const more = await fill(10_000);
    assert.ok(more > 50, `one megabyte stored ${more} notes of 4 KB`);
    stored += more;
  }
  assert.equal(await countStored(), stored);
});

test('a process that opens the database on a full disk also gets storage_full', NEEDS_MOUNTS, async (t) => {
  const { disk, path, fill, countStored } = await smallDiskFor(t, 24);
  // After these writes, the log has restarted, so its file has free space that only SQLite knows of.
  let stored = await fill(1_500);
  disk.fill();
  stored += await fill(10_000);
  const other = await openDatabase(`file:${path}`);
  defer(t, () => other.close());
  assert.equal(await fill(1, other), 0);
  disk.makeRoom();
  assert.equal(await fill(1, other), 1);
  assert.equal(await countStored(), stored + 1);
});

test('on a full disk, the database gets new space before the log', NEEDS_MOUNTS, async (t) => {
  const { disk, fill, countStored, readLogSize } = await smallDiskFor(t, 24);
  // After these writes, the log has restarted, so its file has room for more of them.
  let stored = await fill(1_500);
  disk.fill();
  stored += await fill(10_000);
  const size = readLogSize();
  disk.grow(MEGABYTE / 4);
  assert.equal(await fill(1), 0, 'the new space is smaller than the log’s content');
  assert.equal(readLogSize(), size);
  disk.grow(4 * MEGABYTE);
  assert.equal(await fill(100), 100);
  assert.equal(await countStored(), stored + 100);
});

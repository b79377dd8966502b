import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
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

/** Lets the file grow to so many pages: what SQLite says beyond is what it says on a full disk. */
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

/** Writes a note, then fills the disk in the next job; says whether both were in one transaction. */
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

test('a disk that fills up in the middle of a write group fails every write of the group and stores none', async (t) => {
  const { database } = await databaseFor(t);
  await database.write((session) => session.execute(words('create table notes (text text)'), {}));
  let groups = 0;
  for (let attempt = 0; attempt < 20 && groups < 5; attempt += 1) {
    const { isOneGroup, outcomes, isStored } = await fillWithinGroup(database, `note ${attempt}`);
    const [first, second] = outcomes;
    assert.equal(second.status, 'rejected');
    assertStorageFull(second.reason);
    assert.equal(first.status === 'fulfilled', isStored, 'acknowledged is stored, refused is not');
    if (!isOneGroup) continue;
    groups += 1;
    if (first.status === 'rejected') assertStorageFull(first.reason);
  }
  assert.ok(groups > 0, 'the two writes were in one group');
  const fillers = words<{ count: number }>(`select count(*) as count from notes where text like 'filler%'`);
  assert.deepEqual(await database.execute(fillers, {}), [{ count: 0 }]);
});

test('on a full disk creates are refused, listings can be read, and with room again creates succeed', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const { id } = await create(database, accountId);
  await database.write(async (session) => limitPages(session, (await countPages(session)) + 20));

  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, () => create(database, accountId, { description: LARGE })),
  );
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.ok(failures.length > 0, 'the disk was full');
  for (const { reason } of failures) assertStorageFull(reason);
  const acknowledged = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value.id);
  assert.deepEqual(await storedIds(database), [id, ...acknowledged].sort());
  assert.equal(await storedSequence(database, accountId), 1 + acknowledged.length);

  await database.write((session) => limitPages(session, ROOM_AGAIN));
  const { id: later } = await create(database, accountId, { description: LARGE });
  assert.ok((await storedIds(database)).includes(later));
  assert.equal(await storedSequence(database, accountId), 2 + acknowledged.length);
});

/** A database on a disk of so many megabytes, with a table of notes. */
async function smallDiskFor(t: TestContext, megabytes: number) {
  const disk = await mountSmallDisk(t, megabytes);
  const path = join(disk.directory, 'listings.db');
  const database = await openDatabase(`file:${path}`);
  t.after(() => database.close());
  await database.write((session) => session.execute(words('create table notes (text text)'), {}));
  const note = words(`insert into notes values ('${LARGE}')`);
  /** @returns how many of so many were stored before one was refused */
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

test(
  'a log that grew until the disk was full leaves the database its room: any more of it is used',
  NEEDS_MOUNTS,
  async (t) => {
    const { disk, fill, countStored } = await smallDiskFor(t, 12);
    let stored = await fill(10_000);
    for (let times = 0; times < 4; times += 1) {
      disk.grow(MEGABYTE);
      const more = await fill(10_000);
      assert.ok(more > 50, `of a megabyte ${more} notes of 4 KB were stored`);
      stored += more;
    }
    assert.equal(await countStored(), stored);
  },
);

test(
  'what the disk has no room for is refused to a process that opens the database then, too',
  NEEDS_MOUNTS,
  async (t) => {
    const { disk, path, fill, countStored } = await smallDiskFor(t, 24);
    // The log has begun anew: its file has room that nothing else tells of.
    let stored = await fill(1_500);
    disk.fill();
    stored += await fill(10_000);
    const other = await openDatabase(`file:${path}`);
    t.after(() => other.close());
    assert.equal(await fill(1, other), 0);
    disk.makeRoom();
    assert.equal(await fill(1, other), 1);
    assert.equal(await countStored(), stored + 1);
  },
);

test('room that comes back to a full disk is the database’s before the log’s', NEEDS_MOUNTS, async (t) => {
  const { disk, fill, countStored, readLogSize } = await smallDiskFor(t, 24);
  // The log has begun anew: the file has room that nobody refuses.
  let stored = await fill(1_500);
  disk.fill();
  stored += await fill(10_000);
  const size = readLogSize();
  disk.grow(MEGABYTE / 4);
  assert.equal(await fill(1), 0, 'there is less room than what the log holds needs');
  assert.equal(readLogSize(), size);
  disk.grow(4 * MEGABYTE);
  assert.equal(await fill(100), 100);
  assert.equal(await countStored(), stored + 100);
});

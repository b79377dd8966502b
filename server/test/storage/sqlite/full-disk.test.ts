import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../src/model/errors.ts';
import type { Database, Session } from '../../../src/storage/database.ts';
import { create, databaseFor, storedIds, storedSequence, words } from '../support.ts';

const ROOM_AGAIN = 1_000_000;
const LARGE = 'x'.repeat(4_000);

/** Lets the file grow to so many pages: what SQLite says beyond is what it says on a full disk. */
function limitPages(session: Session, count: number) {
  return session.execute(words(`pragma max_page_count = ${count}`), {});
}

async function countPages(session: Session): Promise<number> {
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

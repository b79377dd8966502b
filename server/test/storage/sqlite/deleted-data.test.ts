import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { directoryFor } from '../../../../testkit/src/serving.ts';
import { createAccount, deleteAccount } from '../../../src/domain/accounts/accounts.ts';
import { createAccountFor } from '../../../src/domain/accounts/administrators.ts';
import { purgeEvents } from '../../../src/domain/events/event-purge.ts';
import { issueApiKey } from '../../../src/domain/keys/api-keys.ts';
import { createListing, deleteListing, updateListing } from '../../../src/domain/listings/listings.ts';
import { NEWEST_FIRST } from '../../../src/model/search.ts';
import { backUp, compact } from '../../../src/storage/backup.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { words } from '../support.ts';

const COUNT = 300;
const secret = () => randomBytes(10).toString('hex');

/** Unique words; `all` has them as the search index stores them, without their first letters. */
function secrets() {
  const names = ['address', 'description', 'city', 'externalId', 'name', 'email', 'key'] as const;
  const texts = Object.fromEntries(names.map((name) => [name, secret()]));
  return { ...texts, all: Object.values(texts).map((text) => text.slice(4)) } as Record<
    (typeof names)[number],
    string
  > & {
    all: string[];
  };
}

async function openFor(t: TestContext) {
  const directory = await directoryFor(t);
  const path = join(directory, 'listings.db');
  const database = await openDatabase(`file:${path}`);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= database.close();
    return closing;
  };
  defer(t, close);
  return { directory, path, url: `file:${path}`, database, close };
}

/** Fills an account with listings that contain these words. */
async function fillWith(database: Database, accountId: string, texts: ReturnType<typeof secrets>): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < COUNT; index += 1) {
    const { outcome } = await createListing(
      database,
      { accountId },
      {
        address: `${index} ${texts.address} Street`,
        city: texts.city,
        description: `${texts.description} `.repeat(60),
        externalId: `${texts.externalId}-${index}`,
        beds: 3,
        baths: 2,
      },
    );
    ids.push(outcome.id);
    await updateListing(database, { accountId }, { id: outcome.id }, (current) => ({ ...current, beds: 4 }));
  }
  return ids;
}

/** The words that a file contains; none if it is missing. */
async function foundIn(path: string, { all }: { all: string[] }): Promise<string[]> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return all.filter((text) => bytes.includes(text));
}

test('a deleted account is in no later backup, and not in the database file once the log is truncated', async (t) => {
  const { directory, path, url, database } = await openFor(t);
  await createAccount(database, 'Another');
  const texts = secrets();
  const person = { email: `${texts.email}@example.com`, name: texts.name, password: 'correct horse battery' };
  const { account } = await createAccountFor(database, `Company ${texts.name}`, person);
  const key = { accountId: account.id, name: texts.key, access: 'full', expiresAt: null, createdBy: null } as const;
  await issueApiKey(database, key);
  await fillWith(database, account.id, texts);
  const before = await backUp(url, join(directory, 'before.db'));
  assert.equal((await foundIn(before.file, texts)).length, texts.all.length, 'foundIn finds existing words');

  await deleteAccount(database, account.id);
  const after = await backUp(url, join(directory, 'after.db'));
  assert.deepEqual(await foundIn(after.file, texts), []);
  assert.ok(after.bytes < before.bytes / 2, `${after.bytes} bytes, before ${before.bytes}`);
  await database.truncateLog?.();
  assert.equal((await stat(`${path}-wal`)).size, 0);
  // The file can still contain deleted words until the search index is merged.
  const indexed = new Set(
    [texts.address, texts.description, texts.city, texts.externalId].map((text) => text.slice(4)),
  );
  const left = await foundIn(path, texts);
  assert.deepEqual(
    left.filter((text) => !indexed.has(text)),
    [],
  );
});

test('a deleted listing is in no backup after its events are purged', async (t) => {
  const { directory, url, database } = await openFor(t);
  const { id: accountId } = await createAccount(database, 'Ada');
  const [texts, kept] = [secrets(), secrets()];
  await fillWith(database, accountId, kept);
  for (const id of await fillWith(database, accountId, texts)) await deleteListing(database, { accountId }, { id });
  await database.write((session) => session.execute(words('update events set created_at = 0'), {}));
  await purgeEvents(database, Date.now(), new AbortController().signal);
  const { file } = await backUp(url, join(directory, 'after.db'));
  assert.deepEqual(await foundIn(file, texts), []);
  assert.equal((await foundIn(file, kept)).length, 4, 'other listings are in the backup');
});

test('compact shrinks the file, removes deleted data, and keeps the rest', async (t) => {
  const { path, url, database, close } = await openFor(t);
  const [ada, bob] = [await createAccount(database, 'Ada'), await createAccount(database, 'Bob')];
  const [texts, kept] = [secrets(), secrets()];
  await fillWith(database, ada.id, texts);
  await fillWith(database, bob.id, kept);
  await deleteAccount(database, ada.id);
  await assert.rejects(compact(url), { code: 'conflict', message: /stop the service/ });
  await close();
  const { bytesBefore, bytes } = await compact(url);
  assert.ok(bytes < bytesBefore * 0.75, `${bytes} bytes, before ${bytesBefore}`);
  assert.deepEqual([(await stat(path)).size, (await stat(path)).mode & 0o777], [bytes, 0o600]);
  assert.deepEqual(await foundIn(path, texts), []);
  const again = await openDatabase(url);
  defer(t, () => again.close());
  const [row] = await again.execute(words<{ count: number }>('select count(*) as count from listings'), {});
  assert.equal(row?.count, COUNT);
  const search = { conditions: [], box: undefined, circle: undefined, words: [kept.city], order: NEWEST_FIRST };
  assert.equal(await again.search.count(bob.id, search, {}), COUNT);
});

import assert from 'node:assert/strict';
import fs, { existsSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { directoryFor } from '../../../../testkit/src/serving.ts';
import { suspendAccount } from '../../../src/domain/accounts/account-limits.ts';
import { createAccount } from '../../../src/domain/accounts/accounts.ts';
import { deleteApiKey, issueApiKey, rollApiKey } from '../../../src/domain/keys/api-keys.ts';
import { createListing } from '../../../src/domain/listings/listings.ts';
import { backUp, restore } from '../../../src/storage/backup.ts';
import type { Database } from '../../../src/storage/database.ts';
import { getDatabaseInfo } from '../../../src/storage/database-info.ts';
import { findListing } from '../../../src/storage/listings.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { replaceDatabase } from '../../../src/storage/sqlite/snapshot.ts';

async function use<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url);
  return work(database).finally(() => database.close());
}

const LISTING = { address: '12 Elm Street', beds: 3, baths: 2 };

/** A closed database with one listing, and its backup in another directory. */
async function backedUpFor(t: TestContext) {
  const directory = await directoryFor(t);
  const backups = await directoryFor(t);
  const path = join(directory, 'listings.db');
  const url = `file:${path}`;
  const { accountId, id, epoch } = await use(url, async (database) => {
    const { id: accountId } = await createAccount(database, 'Ada');
    const { outcome } = await createListing(database, { accountId }, LISTING);
    return { accountId, id: outcome.id, epoch: (await getDatabaseInfo(database)).epoch };
  });
  const file = join(backups, 'one.db');
  const backup = await backUp(url, file);
  return { directory, backups, path, url, accountId, id, epoch, file, backup };
}

async function emptyFor(t: TestContext) {
  const directory = await directoryFor(t);
  return { directory, url: `file:${join(directory, 'listings.db')}` };
}

test('a backup is one file that only its owner can read, with a digest for sha256sum', async (t) => {
  const { backups, file, backup } = await backedUpFor(t);
  assert.deepEqual((await readdir(backups)).sort(), ['one.db', 'one.db.sha256']);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(await readFile(backup.digestFile, 'utf8'), `${backup.sha256}  one.db\n`);
  assert.equal(backup.bytes, (await stat(file)).size);
});

test('a backup never overwrites a file, and needs an existing database and directory', async (t) => {
  const { url, backups, file } = await backedUpFor(t);
  const before = await readFile(file);
  await assert.rejects(backUp(url, file), /already exists/);
  assert.deepEqual(await readFile(file), before);
  const nowhere = await emptyFor(t);
  await assert.rejects(backUp(nowhere.url, join(backups, 'none.db')), /There is no database/);
  await assert.rejects(backUp(url, join(backups, 'no', 'directory.db')), /There is no directory/);
  assert.deepEqual((await readdir(backups)).sort(), ['one.db', 'one.db.sha256']);
  assert.deepEqual(await readdir(nowhere.directory), []);
});

test('partial files of an interrupted backup do not block the next one', async (t) => {
  const { url, backups } = await backedUpFor(t);
  for (const name of ['two.db.partial', 'two.db.partial-wal']) await writeFile(join(backups, name), 'half');
  await backUp(url, join(backups, 'two.db'));
  const names = ['one.db', 'one.db.sha256', 'two.db', 'two.db.sha256'];
  assert.deepEqual((await readdir(backups)).sort(), names);
});

test('a damaged database is not backed up', async (t) => {
  const { url, path, backups } = await backedUpFor(t);
  const bytes = await readFile(path);
  bytes.fill(0xff, 4096 * 3, 4096 * 12);
  await writeFile(path, bytes);
  await assert.rejects(backUp(url, join(backups, 'two.db')), /damaged|malformed/);
  assert.deepEqual((await readdir(backups)).sort(), ['one.db', 'one.db.sha256']);
});

test('a restore yields the backup’s data with a new epoch, and keeps the previous database', async (t) => {
  const { url, path, accountId, id, epoch, file } = await backedUpFor(t);
  const later = await use(url, async (database) => {
    const { outcome } = await createListing(database, { accountId }, LISTING);
    return outcome.id;
  });

  const restored = await restore(url, file, { force: true });
  await use(url, async (database) => {
    assert.notEqual(await findListing(database, accountId, id), undefined);
    assert.equal(await findListing(database, accountId, later), undefined);
    const info = await getDatabaseInfo(database);
    assert.equal(info.epoch, restored.epoch);
    assert.notEqual(info.epoch, epoch);
  });
  assert.equal(restored.database, path);
  await use(`file:${restored.replaced}`, async (database) => {
    assert.notEqual(await findListing(database, accountId, later), undefined);
    assert.equal((await getDatabaseInfo(database)).epoch, epoch);
  });
});

test('a backup can be restored into an empty directory, and only the owner can read it', async (t) => {
  const { file, accountId, id } = await backedUpFor(t);
  const { directory } = await emptyFor(t);
  const data = join(directory, 'new', 'data');
  await chmod(file, 0o644);
  const { database } = await restore(`file:${join(data, 'listings.db')}`, file, { force: false });
  const modes = await Promise.all([data, database].map(async (path) => (await stat(path)).mode & 0o777));
  assert.deepEqual(modes, [0o700, 0o600]);
  await use(`file:${database}`, async (restored) => {
    assert.notEqual(await findListing(restored, accountId, id), undefined);
  });
});

test('a backup that does not match its digest is not restored', async (t) => {
  const { backups, file } = await backedUpFor(t);
  const { directory, url } = await emptyFor(t);
  const changed = join(backups, 'changed.db');
  const restoring = () => restore(url, changed, { force: false });
  await assert.rejects(restoring, /There is no .*changed\.db/);
  await copyFile(file, changed);
  await assert.rejects(restoring, /There is no .*changed\.db\.sha256/);
  await copyFile(`${file}.sha256`, `${changed}.sha256`);
  const bytes = await readFile(changed);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(changed, bytes);
  await assert.rejects(restoring, /changed or damaged/);
  await writeFile(`${changed}.sha256`, 'not a digest');
  await assert.rejects(restoring, /does not contain a SHA-256 digest/);
  assert.deepEqual(await readdir(directory), []);
});

test('a restore replaces a database only with --force, and never one in use', async (t) => {
  const { directory, url, path, accountId, id, file } = await backedUpFor(t);
  const before = await readFile(path);
  await assert.rejects(
    restore(url, file, { force: false }),
    /already exists\. To replace it, stop the service and add --force/,
  );
  assert.deepEqual(await readFile(path), before);
  await use(url, async (database) => {
    await assert.rejects(restore(url, file, { force: true }), /is in use by a process; stop the service/);
    await createListing(database, { accountId }, LISTING);
    assert.notEqual(await findListing(database, accountId, id), undefined);
  });
  assert.deepEqual(await readdir(directory), ['listings.db', 'listings.db-last-backup']);
});

for (const [name, damage] of Object.entries({
  truncated: (path: string) => truncate(path, 8192),
  overwritten: (path: string) => writeFile(path, 'lorem ipsum '.repeat(1000)),
})) {
  test(`a ${name} database is rejected with advice to restore, and a restore repairs it`, async (t) => {
    const { url, path, accountId, id, file } = await backedUpFor(t);
    await damage(path);
    await assert.rejects(openDatabase(url), /property-listings restore FILE --force/);
    await restore(url, file, { force: true });
    await use(url, async (database) => assert.notEqual(await findListing(database, accountId, id), undefined));
  });
}

/** Calls `watch` after each rename, with the number of renames so far. */
function afterRenames(t: TestContext, watch: (count: number) => void): void {
  const { renameSync } = fs;
  let count = 0;
  const renaming = t.mock.method(fs, 'renameSync', (...names: Parameters<typeof renameSync>) => {
    renameSync(...names);
    count += 1;
    watch(count);
  });
  syncBuiltinESMExports();
  defer(t, () => {
    renaming.mock.restore();
    syncBuiltinESMExports();
  });
}

test('while a restore replaces a database, there is always a database', async (t) => {
  const { url, path, accountId, id, file } = await backedUpFor(t);
  await writeFile(path, 'lorem ipsum '.repeat(1_000));
  await writeFile(`${path}-wal`, 'what the database had not moved yet');
  let renames = 0;
  afterRenames(t, (count) => {
    renames = count;
    assert.ok(existsSync(path), `after ${count} renames`);
  });
  const { replaced } = await restore(url, file, { force: true });
  assert.ok(renames > 1, 'the log and the database are renamed');
  assert.match(await readFile(String(replaced), 'utf8'), /^lorem ipsum/);
  assert.match(await readFile(`${replaced}-wal`, 'utf8'), /^what the database/);
  assert.ok(!existsSync(`${path}-wal`));
  await use(url, async (database) => assert.notEqual(await findListing(database, accountId, id), undefined));
});

test('a replacement that fails changes nothing', async (t) => {
  const { directory, url, path, accountId, id } = await backedUpFor(t);
  const before = await readdir(directory);
  assert.throws(() => replaceDatabase(path, join(directory, 'missing.db')), /ENOENT/);
  assert.deepEqual(await readdir(directory), before);
  await use(url, async (database) => assert.notEqual(await findListing(database, accountId, id), undefined));
});

test('a restore rejects the leftover log of another database', async (t) => {
  const { url, path, file } = await backedUpFor(t);
  await rm(path);
  await writeFile(`${path}-wal`, 'what the last one had not moved yet');
  await assert.rejects(restore(url, file, { force: false }), /listings\.db-wal belongs to a missing database/);
});

test('the error for a database server names the server’s own backup tools', async (t) => {
  const { file } = await backedUpFor(t);
  await assert.rejects(backUp('postgres://localhost:1/listings', `${file}.2`), /pg_dump/);
  await assert.rejects(restore('postgres://localhost:1/listings', file, { force: true }), /pg_dump/);
});

test('a restore ends all sessions and reports deleted keys that work again', async (t) => {
  const { url, file, backups, accountId } = await backedUpFor(t);
  const request = { accountId, access: 'full', expiresAt: null, createdBy: null } as const;
  const second = join(backups, 'keys.db');
  const deleted = await use(url, async (database) => {
    await issueApiKey(database, { ...request, name: 'Kept' });
    return (await issueApiKey(database, { ...request, name: 'Deleted' })).key;
  });
  await backUp(url, second);
  await use(url, (database) => deleteApiKey(database, deleted.id));
  const { credentials } = await restore(url, second, { force: true });
  assert.deepEqual(
    credentials.keys.map(({ id, name, accountName }) => [id, name, accountName]),
    [[deleted.id, 'Deleted', 'Ada']],
  );
  const { url: elsewhere } = await emptyFor(t);
  const fresh = await restore(elsewhere, second, { force: false });
  assert.deepEqual(
    fresh.credentials.keys.map(({ name }) => name),
    ['Kept', 'Deleted'],
  );
  assert.deepEqual((await restore(url, file, { force: true })).credentials.keys, []);
});

test('a restore reports the rolled keys and the suspensions that the replaced database had, and no expired keys', async (t) => {
  const { path, url, backups, accountId } = await backedUpFor(t);
  const request = { accountId, access: 'full', createdBy: null } as const;
  const second = join(backups, 'keys.db');
  const [soon, late] = [Date.now() + 60_000, Date.now() + 1_000 * 3_600_000];
  const rolled = await use(url, async (database) => {
    await issueApiKey(database, { ...request, name: 'Kept', expiresAt: late });
    await issueApiKey(database, { ...request, name: 'Expired', expiresAt: soon });
    const other = await createAccount(database, 'Paused');
    await suspendAccount(database, other.id, 'Unpaid');
    const forever = await issueApiKey(database, { ...request, name: 'Forever', expiresAt: null });
    return [forever.key.id, (await issueApiKey(database, { ...request, name: 'Late', expiresAt: late })).key.id];
  });
  await backUp(url, second);
  await use(url, async (database) => {
    for (const id of rolled) await rollApiKey(database, id, 1);
    await suspendAccount(database, accountId, 'Not paid');
  });
  t.mock.timers.enable({ apis: ['Date'], now: soon });
  const restored = await restore(url, second, { force: true });
  assert.deepEqual(restored.credentials.keys, []);
  assert.deepEqual(
    restored.rolledKeys?.map(({ id, name, expiresAt }) => [id, name, expiresAt]),
    [
      [rolled[0], 'Forever', null],
      [rolled[1], 'Late', late],
    ],
  );
  assert.deepEqual(restored.suspensions, [{ accountId, accountName: 'Ada', reason: 'Not paid' }]);
  const { url: elsewhere } = await emptyFor(t);
  const fresh = await restore(elsewhere, second, { force: false });
  assert.deepEqual(
    fresh.credentials.keys.map(({ name }) => name),
    ['Kept', 'Forever', 'Late'],
  );
  assert.deepEqual([fresh.rolledKeys, fresh.suspensions], [[], []]);
  await writeFile(path, 'no database');
  t.mock.timers.setTime(soon + 1_000);
  const blind = await restore(url, second, { force: true });
  assert.deepEqual([blind.rolledKeys, blind.suspensions, blind.credentials.keys.length], [null, null, 3]);
});

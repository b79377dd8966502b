import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase, type TestDatabase } from '../../../testkit/src/database.ts';
import { whyNoMounts } from '../../../testkit/src/mounts.ts';
import { createPostgresServer } from '../../../testkit/src/postgres.ts';
import { findNobody } from '../../../testkit/src/postgres-programs.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { mountSmallDisk, type SmallDisk } from '../../../testkit/src/small-disk.ts';
import { applyOnFullDisk, stageOnFullDisk } from '../support/feed-disks.ts';
import { clientFor } from './support.ts';

const NEEDS_MOUNTS = { skip: whyNoMounts() ?? false };

/** A database with only its tables on the small disk: if the log's disk were full, the whole server would stop. */
async function databaseOn(t: TestContext, { directory }: SmallDisk): Promise<TestDatabase> {
  const location = join(directory, 'tables');
  mkdirSync(location);
  chmodSync(directory, 0o755);
  const owner = await findNobody();
  if (process.getuid?.() === 0 && owner !== undefined) chownSync(location, owner.uid, owner.gid);
  const server = await createPostgresServer();
  defer(t, () => server.stop());
  const client = await clientFor(t, server);
  await client.query(`create tablespace small location '${location}'`);
  const database = await createPostgresDatabase(server.url);
  await client.query(`alter database ${new URL(database.url).pathname.slice(1)} set tablespace small`);
  return database;
}

test('on PostgreSQL, a disk that is full while the file is staged fails the run', NEEDS_MOUNTS, async (t) => {
  const database = await createPostgresDatabase();
  defer(t, () => database.drop());
  const settings = { DATABASE_URL: database.url, DATA_DIR: await directoryFor(t) };
  await stageOnFullDisk(t, settings, await mountSmallDisk(t, 64));
});

test('on PostgreSQL, a run on a full disk fails, and sending the file again completes it', NEEDS_MOUNTS, async (t) => {
  const disk = await mountSmallDisk(t, 24);
  const { url } = await databaseOn(t, disk);
  await applyOnFullDisk(t, { DATABASE_URL: url, DATA_DIR: await directoryFor(t) }, disk);
});

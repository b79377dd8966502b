import { randomBytes } from 'node:crypto';
import { on } from 'node:events';
import { extname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { randomWord } from '../../lib/ids.ts';
import { startThread } from '../../lib/threads.ts';
import { AppError } from '../../model/errors.ts';
import type { Migration } from '../migrations/migration.ts';
import { EPOCH_LENGTH, MIGRATIONS, SCHEMA_VERSION, tooNew } from '../migrations.ts';
import { type MigrationProgress, rebuildListings, type TellProgress } from '../rebuild.ts';
import { Connection } from './connection.ts';
import { explainFault } from './errors.ts';
import { INDEX_ALL } from './listing-index.ts';

/** The cache during a migration. SQLite builds an index by sorting its entries in pieces of this size. */
const MIGRATION_CACHE_KIB = 65_536;

export function createTables(database: DatabaseSync): void {
  for (const { sqlite, afterRebuild } of MIGRATIONS) database.exec(sqlite + (afterRebuild?.sqlite ?? ''));
  database
    .prepare('insert into database_info (id, epoch, cursor_secret, created_at) values (1, ?, ?, ?)')
    .run(randomWord(EPOCH_LENGTH), randomBytes(32).toString('hex'), Date.now());
  database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
}

/**
 * Creates the tables, or migrates them on a separate thread, since that takes minutes for many listings.
 * Closes the database on failure.
 * @throws {AppError} as `migrateHere` does
 */
export async function migrate(database: DatabaseSync, path: string, tell: TellProgress): Promise<void> {
  const version = readVersion(database);
  if (version === SCHEMA_VERSION) return;
  if (version === 0) return migrateHere(database, path, async () => {});
  try {
    await migrateOnThread(path, tell);
  } catch (error) {
    database.close();
    throw error;
  }
}

export type MigrationReport = { progress: MigrationProgress } | { failure: string };

async function migrateOnThread(path: string, tell: TellProgress): Promise<void> {
  const file = new URL(`./migration-thread${extname(import.meta.filename)}`, import.meta.url);
  const thread = startThread(file, { workerData: path });
  const reports = on(thread, 'message', { close: ['exit'] }) as AsyncIterable<[MigrationReport]>;
  let failure: string | undefined;
  try {
    for await (const [report] of reports) {
      if ('progress' in report) await tell(report.progress);
      else failure = report.failure;
    }
  } finally {
    // If `tell` throws, ends the thread before it commits, so that nothing is migrated.
    await thread.terminate();
  }
  if (failure !== undefined) throw new AppError('unavailable', failure);
}

/**
 * Migrates the tables in one transaction under the write lock; safe when several processes start at once, and
 * if it is interrupted. Closes the database on failure.
 * @throws {AppError} with a message for the operator: `unavailable` if the tables are from a newer release or
 * cannot be changed, or `storage_full`
 */
export async function migrateHere(database: DatabaseSync, name: string, tell: TellProgress): Promise<void> {
  try {
    if (readVersion(database) === SCHEMA_VERSION) return;
    database.exec('begin immediate');
    const version = readVersion(database);
    if (version > SCHEMA_VERSION) throw tooNew(name, version);
    if (version === 0) createTables(database);
    else for (const migration of MIGRATIONS.slice(version)) await runMigration(database, migration, tell);
    database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
    database.exec('commit');
  } catch (error) {
    database.close();
    if (error instanceof AppError) throw error;
    throw explainFault(`Cannot migrate the tables of ${name}`, error);
  }
}

async function runMigration(database: DatabaseSync, migration: Migration, tell: TellProgress): Promise<void> {
  database.exec(migration.sqlite);
  if (migration.afterRebuild === undefined) return;
  database.exec(`pragma cache_size = -${MIGRATION_CACHE_KIB}`);
  // The pages of listings that are removed here are reused for the copies.
  const remove = database.prepare('delete from former_listings where (account_id, id) <= (?, ?)');
  await rebuildListings(new Connection(database), 'former_listings', tell, ({ accountId, id }) => {
    remove.run(accountId, id);
  });
  // Indexes all listings at once, which is much faster than adding each listing to the indexes.
  database.exec(INDEX_ALL + migration.afterRebuild.sqlite);
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

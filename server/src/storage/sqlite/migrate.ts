import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { randomWord } from '../../lib/ids.ts';
import { AppError } from '../../model/errors.ts';
import { EPOCH_LENGTH, MIGRATIONS, type Migration, SCHEMA_VERSION, tooNew } from '../migrations.ts';
import { rebuildListings, type TellProgress } from '../rebuild.ts';
import { Connection } from './connection.ts';
import { explainFault } from './errors.ts';
import { Indexing } from './listing-index.ts';

/** Creates the tables of an empty database. */
export function createTables(database: DatabaseSync): void {
  for (const { sqlite, afterRebuild } of MIGRATIONS) database.exec(sqlite + (afterRebuild?.sqlite ?? ''));
  database
    .prepare('insert into database_info (id, epoch, cursor_secret, created_at) values (1, ?, ?, ?)')
    .run(randomWord(EPOCH_LENGTH), randomBytes(32).toString('hex'), Date.now());
  database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
}

/**
 * Migrates the tables in one transaction under the write lock; safe when several processes start at once, and if it is
 * interrupted. Closes the database on failure.
 * @throws {AppError} `unavailable` with a message for the operator if the tables are newer or cannot be changed
 */
export async function migrate(database: DatabaseSync, name: string, tell: TellProgress): Promise<void> {
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
  await rebuildListings(new Connection(database), 'former_listings', tell);
  // Much faster than adding each listing to the indexes.
  database.exec(migration.afterRebuild.sqlite);
  new Indexing(database).indexAll();
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

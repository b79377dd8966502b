import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { randomWord } from '../../lib/ids.ts';
import { AppError } from '../../model/errors.ts';
import { EPOCH_LENGTH, MIGRATIONS, SCHEMA_VERSION, tooNew } from '../migrations.ts';
import { explainFault } from './errors.ts';

/**
 * Migrates the tables in one transaction under the write lock; safe when several processes start at once. Closes the
 * database on failure.
 * @throws {AppError} `unavailable` with a message for the operator if the tables are newer or cannot be changed
 */
export function migrate(database: DatabaseSync, name: string): void {
  try {
    if (readVersion(database) === SCHEMA_VERSION) return;
    database.exec('begin immediate');
    const version = readVersion(database);
    if (version > SCHEMA_VERSION) throw tooNew(name, version);
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration.sqlite);
    if (version === 0) createDatabaseInfo(database);
    database.exec(`pragma user_version = ${SCHEMA_VERSION}`);
    database.exec('commit');
  } catch (error) {
    database.close();
    if (error instanceof AppError) throw error;
    throw explainFault(`Cannot migrate the tables of ${name}`, error);
  }
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

function createDatabaseInfo(database: DatabaseSync): void {
  database
    .prepare('insert into database_info (id, epoch, cursor_secret, created_at) values (1, ?, ?, ?)')
    .run(randomWord(EPOCH_LENGTH), randomBytes(32).toString('hex'), Date.now());
}

import { DatabaseSync } from 'node:sqlite';
import type { Scratch } from '../database.ts';
import { createTables } from './migrate.ts';
import { WriteQueue } from './write-queue.ts';

const CACHE_KIB = 4_096;

/**
 * Opens a private, empty database with all tables, for either engine. SQLite keeps it in memory up to the size of the
 * cache, and the rest in an unnamed temporary file that is deleted with the connection (sqlite.org/inmemorydb.html).
 */
export function openScratch(): Scratch {
  const database = new DatabaseSync('');
  // The database need not survive a crash.
  database.exec(`pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -${CACHE_KIB}`);
  createTables(database);
  const queue = new WriteQueue(database);
  return {
    write: (job) => queue.submit(job),
    async close() {
      await queue.close();
      database.close();
    },
  };
}

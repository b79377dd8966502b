import { DatabaseSync } from 'node:sqlite';
import type { Scratch } from '../database.ts';
import { migrate } from './migrate.ts';
import { WriteQueue } from './write-queue.ts';

const CACHE_KIB = 4_096;

/**
 * Opens an empty database of its own, with all tables. SQLite keeps it in memory up to the size of the cache, the rest in
 * a file without a name in the temporary directory (sqlite.org/inmemorydb.html), which is gone with the connection.
 */
export function openSqliteScratch(): Scratch {
  const database = new DatabaseSync('');
  // Nothing of it has to outlive a crash.
  database.exec(`pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -${CACHE_KIB}`);
  migrate(database, 'scratch');
  const queue = new WriteQueue(database);
  return {
    write: (job) => queue.submit(job),
    async close() {
      await queue.close();
      database.close();
    },
  };
}

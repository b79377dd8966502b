import type { DatabaseSync } from 'node:sqlite';

/** `quick_check` leaves out whether indexes have what tables have, and `foreign_key_check`. */
export type Check = 'quick_check' | 'integrity_check';

/** Reads all of a database. @returns what is wrong, in SQLite's words */
export function findFault(database: DatabaseSync, check: Check): string | undefined {
  try {
    const found = database.prepare(`pragma ${check}(1)`).get()?.[check];
    // The first line may say no more than in which database.
    if (found !== 'ok') return String(found).split('\n').at(-1);
    const orphan = check === 'integrity_check' && database.prepare('pragma foreign_key_check').get();
    return orphan ? `a row of ${orphan.table} belongs to nothing` : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

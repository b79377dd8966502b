import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Looks into the database file of a service that has only created listings: every acknowledged one is there, and the
 * account's sequence is the number of its listings and of its events, without a gap.
 */
export function assertStored(directory: string, accountId: string, acknowledged: Iterable<string>): void {
  const database = new DatabaseSync(join(directory, 'listings.db'), { readOnly: true });
  try {
    const numbers = (query: string) =>
      database
        .prepare(query)
        .all(accountId)
        .map((row) => Number(row.number));
    const stored = new Set(
      database
        .prepare('select id from listings where account_id = ?')
        .all(accountId)
        .map((row) => row.id),
    );
    assert.deepEqual(
      [...acknowledged].filter((id) => !stored.has(id)),
      [],
      'no acknowledged listing is missing',
    );
    const gapless = Array.from({ length: stored.size }, (_, index) => index + 1);
    assert.deepEqual(numbers('select sequence as number from account_heads where account_id = ?'), [stored.size]);
    assert.deepEqual(numbers('select sequence as number from events where account_id = ? order by 1'), gapless);
    assert.deepEqual(numbers('select sequence as number from listings where account_id = ? order by 1'), gapless);
    assert.deepEqual(numbers('select listing_count as number from account_heads where account_id = ?'), [stored.size]);
    const check = database.prepare('pragma integrity_check').get();
    assert.equal(check?.integrity_check, 'ok');
  } finally {
    database.close();
  }
}

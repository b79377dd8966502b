import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ENGINE, type TestDatabase } from '../../../testkit/src/database.ts';

/**
 * Checks a database in which listings were only created: every acknowledged listing is stored, and
 * listings and events have sequences without gaps.
 */
export async function assertStoredIn(
  { sql }: Pick<TestDatabase, 'sql'>,
  accountId: string,
  acknowledged: Iterable<string>,
): Promise<void> {
  const column = async (query: string) => (await sql(query, accountId)).map((row) => row.value);
  const stored = new Set(await column('select id as value from listings where account_id = ?'));
  const missing = [...acknowledged].filter((id) => !stored.has(id));
  assert.deepEqual(missing, [], 'no acknowledged listing is missing');
  const gapless = Array.from({ length: stored.size }, (_, index) => index + 1);
  const head = 'from account_heads where account_id = ?';
  assert.deepEqual(await column(`select sequence as value ${head}`), [stored.size]);
  assert.deepEqual(await column(`select listing_count as value ${head}`), [stored.size]);
  for (const table of ['events', 'listings']) {
    assert.deepEqual(await column(`select sequence as value from ${table} where account_id = ? order by 1`), gapless);
  }
  if (ENGINE === 'sqlite') assert.equal((await sql('pragma integrity_check'))[0]?.integrity_check, 'ok');
}

/** Like `assertStoredIn`, for the file in a DATA_DIR. */
export async function assertStored(
  directory: string,
  accountId: string,
  acknowledged: Iterable<string>,
): Promise<void> {
  const database = new DatabaseSync(join(directory, 'listings.db'), { readOnly: true });
  try {
    const sql = async (text: string, ...values: string[]) => database.prepare(text).all(...values);
    await assertStoredIn({ sql }, accountId, acknowledged);
  } finally {
    database.close();
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteFeed } from '../../src/domain/feeds/feeds.ts';
import { DEFAULT_SETTINGS } from '../../src/model/feeds.ts';
import type { Database } from '../../src/storage/database.ts';
import { findFeed, insertFeed, takeLease } from '../../src/storage/feeds.ts';
import { databaseFor } from '../storage/support.ts';

test('a deletion that was paused for too long does not delete the feed of a run that began in the meantime', async (t) => {
  const { database, accountId } = await databaseFor(t);
  const lease = { runId: 'run_later', leaseUntil: Date.now() + 15_000 };
  const feed = { name: 'mls', settings: DEFAULT_SETTINGS, listings: 0, createdAt: 1, lastSuccessAt: null };
  await database.write((transaction) => insertFeed(transaction, accountId, { ...feed, runId: null, leaseUntil: null }));
  let writes = 0;
  const pausing: Database = {
    ...database,
    async write(job, id) {
      writes += 1;
      // The lease has expired, and a run has taken it.
      if (writes === 3) await database.write((transaction) => takeLease(transaction, accountId, 'mls', lease));
      return database.write(job, id);
    },
  };
  await assert.rejects(deleteFeed(pausing, { accountId }, undefined, 'mls', 'keep'), {
    code: 'feed_busy',
    members: { runId: 'run_later' },
  });
  assert.equal((await findFeed(database, accountId, 'mls'))?.runId, 'run_later');
});

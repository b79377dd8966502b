import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { crashInEachPhase } from '../support/feed-crashes.ts';

test('on PostgreSQL, a crash in each phase of a run changes nothing twice, and sending the file again completes it', async (t) => {
  const stored = await createPostgresDatabase();
  defer(t, () => stored.drop());
  await crashInEachPhase(t, { DATABASE_URL: stored.url, DATA_DIR: await directoryFor(t), RATE_LIMIT: 'off' });
});

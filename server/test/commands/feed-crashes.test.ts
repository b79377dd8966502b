import { test } from 'node:test';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { crashInEachPhase } from '../support/feed-crashes.ts';

test('a crash in each phase of a run changes nothing twice, and sending the file again completes it', async (t) => {
  await crashInEachPhase(t, { DATA_DIR: await directoryFor(t), RATE_LIMIT: 'off' });
});

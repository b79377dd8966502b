import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Checkpoints } from '../../src/storage/sqlite/checkpoints.ts';

test('checkpoints that fail hold up no write', async () => {
  const checkpoints = new Checkpoints('/proc/no-such-directory/listings.db');
  for (let commit = 0; commit < 100; commit += 1) {
    await checkpoints.letCatchUp();
    checkpoints.noteCommit();
  }
  await checkpoints.letCatchUp();
  await assert.doesNotReject(checkpoints.close());
});

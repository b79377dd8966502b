import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScanTurns } from '../../src/storage/scan-turns.ts';

test('what is aborted before it has to wait does not wait for its turn, and takes none', async () => {
  const turns = new ScanTurns(1);
  const running = Promise.withResolvers<void>();
  const first = turns.run('one', () => running.promise);
  const late = turns.run('other', async () => {}, AbortSignal.abort(new Error('gone')));
  const outcome = await Promise.race([late.catch(String), new Promise((resolve) => setImmediate(resolve, 'waits'))]);
  assert.equal(outcome, 'Error: gone');
  running.resolve();
  await first;
  assert.equal(await turns.run('other', async () => 'run'), 'run');
});

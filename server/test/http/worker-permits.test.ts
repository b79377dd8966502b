import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkerPermits } from '../../src/runtime/workers/worker-permits.ts';

test('a worker whose client disconnects during its first request for a permit does not wait for one', async (t) => {
  const sent: { permit: string; id: number }[] = [];
  Object.assign(process, { send: (message: (typeof sent)[number]) => sent.push(message), connected: true });
  t.after(() => Object.assign(process, { send: undefined, connected: false }));
  const left = new AbortController();
  const waiting = new WorkerPermits().wait('whole file', 'acc_1', left.signal);
  assert.deepEqual(
    sent.map(({ permit }) => permit),
    ['take'],
  );
  left.abort(new Error('The client has left.'));
  process.emit('message', { permit: 'refused', id: sent[0]?.id }, undefined);
  await assert.rejects(waiting, /The client has left/);
  assert.equal(sent.length, 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { RejectionCount } from '../../src/http/protocol/overload.ts';

const WORDS = { first: 'rejecting', report: 'rejected' };

test('the first rejection is logged at once, and the number of rejections every ten seconds while they continue', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line).msg);
  const count = new RejectionCount({ logger: pino({}, { write }), writeLine: () => {} }, WORDS);
  for (let second = 0; second < 25; second += 1) {
    count.add();
    t.mock.timers.tick(1_000);
  }
  assert.deepEqual(lines.splice(0), ['rejecting', 'rejected', 'rejected']);
  t.mock.timers.tick(30_000);
  assert.deepEqual(lines.splice(0), ['rejected']);
  count.add();
  assert.deepEqual(lines, ['rejecting']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { RefusalCount } from '../../src/http/protocol/overload.ts';

const WORDS = { first: 'refusing', report: 'refused so many' };

test('that some are refused is told at once, then how many every ten seconds, as long as it goes on', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line).msg);
  const count = new RefusalCount({ logger: pino({}, { write }), writeLine: () => {} }, WORDS);
  for (let second = 0; second < 25; second += 1) {
    count.add();
    t.mock.timers.tick(1_000);
  }
  assert.deepEqual(lines.splice(0), ['refusing', 'refused so many', 'refused so many']);
  t.mock.timers.tick(30_000);
  assert.deepEqual(lines.splice(0), ['refused so many']);
  count.add();
  assert.deepEqual(lines, ['refusing']);
});

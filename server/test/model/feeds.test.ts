import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLimit } from '../../src/model/feeds.ts';

test('a percentage allows exactly that share of the rows, rounded down', () => {
  for (let hundredths = 0; hundredths <= 10_000; hundredths += 1) {
    const text = `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}%`;
    for (const total of [1, 9, 10, 1_500, 3_000, 1_000_000])
      assert.equal(
        parseLimit(text)?.(total),
        Number((BigInt(total) * BigInt(hundredths)) / 10_000n),
        `${text} of ${total}`,
      );
  }
});

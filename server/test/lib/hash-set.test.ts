import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HashSet } from '../../src/lib/hash-set.ts';

test('a set of strings keeps each one while it grows, up to its size, and none once it is cleared', () => {
  const set = new HashSet(4_000);
  const texts = Array.from({ length: 5_000 }, (_, index) => `row ${index}`);
  for (const text of texts) assert.equal(set.add(text), true, text);
  const repeated = texts.filter((text) => !set.add(text));
  assert.deepEqual(repeated, texts.slice(0, 4_000));
  assert.deepEqual(
    texts.filter((text) => set.has(text)),
    repeated,
  );

  set.clear();
  assert.deepEqual(
    texts.filter((text) => set.has(text)),
    [],
  );
  assert.equal(set.add('row 0'), true);
  assert.equal(set.add('row 0'), false);
});

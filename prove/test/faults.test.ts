import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parts } from '../src/parts.ts';
import { applyPatch } from '../src/plant.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

describe('each part has planted faults, which fit the sources', () => {
  for (const { name, faults } of parts) {
    test(name, () => {
      assert.ok(faults.length > 0);
      for (const patch of faults.flatMap(({ patches = [] }) => patches)) {
        const source = readFileSync(join(REPOSITORY, patch.file), 'utf8');
        assert.notEqual(applyPatch(source, patch), source);
      }
    });
  }
});

test('a patch that does not fit is refused', () => {
  const patch = { file: 'a.ts', from: 'b', to: 'c' };
  assert.equal(applyPatch('a b', patch), 'a c');
  assert.throws(() => applyPatch('a', patch), /exactly once/);
  assert.throws(() => applyPatch('b b', patch), /exactly once/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { Patch } from '../src/part.ts';
import { parts } from '../src/parts.ts';
import { changedSources } from '../src/plant.ts';
import { formatPart } from '../src/report.ts';
import { isFound } from '../src/trial.ts';

/** The sources of a part, without its planted faults, which contain the words of all checks. */
function textsOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file) || file.endsWith('/planted-faults.ts')) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/ from '(\.[^']+)'|'([^']+\.jsonl)'/g)].map(([, module, data = '']) =>
    join(dirname(file), module ?? data),
  );
  return [text, ...imported.flatMap((each) => textsOf(each, seen))];
}

describe('each planted fault fits the sources and names checks of its part', () => {
  for (const { name, plantedFaults } of parts) {
    test(name, () => {
      assert.ok(plantedFaults.length > 0);
      const texts = textsOf(join(import.meta.dirname, `../src/parts/${name}.ts`));
      for (const { what, foundBy, patches = [] } of plantedFaults) {
        for (const words of [foundBy].flat())
          assert.ok(
            texts.some((text) => text.includes(words)),
            `${what}: no check of ${name} contains "${words}"`,
          );
        for (const patch of patches) assert.doesNotThrow(() => changedSources([patch]), what);
      }
    });
  }
});

describe('a patch', () => {
  const sourceOf = (...patches: Patch[]) => Object.values(changedSources(patches)).join();

  test('changes only its declaration, even with several patches in one file', () => {
    const once = sourceOf(['WriteQueue.close', 'true', 'false']);
    assert.match(once, /async close\(\): Promise<void> {\n {4}this.#closed = false;/);
    const twice = sourceOf(['WriteQueue.close', 'true', 'false'], ['WriteQueue.submit', '#closed', '#open']);
    assert.equal(twice.replace('#open', '#closed'), once);
  });

  test('that does not fit fails with advice', () => {
    assert.throws(() => sourceOf(['WriteQueue.close', 'No.', '']), /WriteQueue.close contains "No\." 0 times: patch/);
    assert.throws(() => sourceOf(['WriteQueue.close', 'o', '']), /once/);
    assert.throws(() => sourceOf(['WriteQueue.nothing', '', '']), /declares WriteQueue.nothing: use its present name/);
    assert.throws(() => sourceOf(['insert', '', '']), /declare insert: write .*listings:insert/);
  });
});

test('a planted fault is found only by its own check', () => {
  const fault = { what: 'a fault', foundBy: ['its check', 'another of its checks'] };
  const verdict = { seconds: 1, is: 'broken', words: 'another of its checks: 1' } as const;
  assert.ok(isFound(fault, verdict));
  assert.ok(!isFound(fault, { ...verdict, is: 'untried' }));
  const other = { ...verdict, words: 'a check' };
  assert.ok(!isFound(fault, other));
  const [part] = parts;
  assert.ok(part !== undefined);
  const section = formatPart({ part, verdict, faults: [{ fault, verdict: other }], isKept: false }, 1, {
    date: new Date(0),
    seed: 1,
  });
  assert.match(section, /NOT FOUND.*found by another check: a check/);
});

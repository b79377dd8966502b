import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { defer } from '../../testkit/src/cleanup.ts';
import { REPOSITORY } from '../../testkit/src/process.ts';
import type { Patch } from '../src/part.ts';
import { parts } from '../src/parts.ts';
import { changedSources } from '../src/plant.ts';
import { formatPart } from '../src/report.ts';
import { isFound } from '../src/trial.ts';

const run = promisify(execFile);

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

test('each planted fault only uses names that its source declares or imports', { timeout: 120_000 }, async (t) => {
  const root = join(REPOSITORY, 'node_modules/.cache', `faults-${process.pid}`);
  defer(t, () => rm(root, { recursive: true, force: true }));
  await cp(join(REPOSITORY, 'server/src'), join(root, 'src'), { recursive: true });
  const faults = parts.flatMap(({ plantedFaults }) => plantedFaults);
  for (const [index, { patches = [] }] of faults.entries()) {
    for (const [url, source] of Object.entries(changedSources(patches))) {
      const path = relative(join(REPOSITORY, 'server/src'), fileURLToPath(url));
      await writeFile(join(root, 'src', path.replace(/\.ts$/, `.fault-${index}.ts`)), source);
    }
  }
  const config = { extends: join(REPOSITORY, 'tsconfig.json'), include: ['src'] };
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', root, '--pretty', 'false']).catch(
    (error) => error,
  );
  const unknown = [...stdout.matchAll(/\.fault-(\d+)\.ts\([\d,]+\): error TS(?:2304|2552|18004): (.*)/g)];
  assert.deepEqual(
    unknown.map(([, index, words]) => `${faults[Number(index)]?.what}: ${words}`),
    [],
  );
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
    assert.throws(() => sourceOf(['WriteQueue.nothing', '', '']), /declares WriteQueue.nothing; use its current name/);
    assert.throws(() => sourceOf(['insert', '', '']), /declare insert: write .*listings:insert/);
  });
});

test('a planted fault is found only by its own checks', () => {
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

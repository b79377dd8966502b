import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const DIST = join(import.meta.dirname, '../dist');
const SCRIPT_BYTES_MAX = 200_000;
const STYLE_BYTES_MAX = 20_000;

const page = readFileSync(join(DIST, 'index.html'), 'utf8');
const initial = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);

for (const [ending, bytesMax] of [
  ['js', SCRIPT_BYTES_MAX],
  ['css', STYLE_BYTES_MAX],
] as const) {
  test(`the first page loads at most ${bytesMax} bytes of compressed .${ending} files`, () => {
    const paths = initial.filter((path) => path.endsWith(`.${ending}`));
    assert.ok(paths.length > 0);
    const bytes = paths.map((path) => readFileSync(join(DIST, `${path}.br`)).length);
    const sum = bytes.reduce((total, size) => total + size, 0);
    assert.ok(sum <= bytesMax, `the first page loads ${sum} bytes: ${paths.join(', ')}`);
  });
}

test('the first page does not load charts', () => {
  for (const path of initial) assert.ok(!readFileSync(join(DIST, path), 'utf8').includes('recharts-'), path);
  const names = readdirSync(join(DIST, 'assets'));
  assert.ok(names.some((name) => name.startsWith('usage-chart')));
});

test('scripts do not need eval, which the Content-Security-Policy blocks', () => {
  for (const name of readdirSync(join(DIST, 'assets')).filter((file) => file.endsWith('.js'))) {
    assert.doesNotMatch(readFileSync(join(DIST, 'assets', name), 'utf8'), /\beval\(|new Function\(/, name);
  }
});

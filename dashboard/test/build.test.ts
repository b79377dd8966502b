import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const DIST = join(import.meta.dirname, '../dist');
const INITIAL_BYTES_MAX = 250_000;

const page = readFileSync(join(DIST, 'index.html'), 'utf8');
const initial = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);

test('the first page loads at most 250 kB of compressed scripts', () => {
  assert.ok(initial.length > 0);
  const bytes = initial.map((path) => gzipSync(readFileSync(join(DIST, path))).length);
  const sum = bytes.reduce((total, size) => total + size, 0);
  assert.ok(sum <= INITIAL_BYTES_MAX, `the first page loads ${sum} bytes: ${initial.join(', ')}`);
});

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

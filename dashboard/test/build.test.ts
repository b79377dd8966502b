import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const DIST = join(import.meta.dirname, '../dist');
const INITIAL_BYTES_MAX = 250_000;

const page = readFileSync(join(DIST, 'index.html'), 'utf8');
const initial = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);

test('what the first page loads in scripts is at most 250 kB, packed', () => {
  assert.ok(initial.length > 0);
  const bytes = initial.map((path) => gzipSync(readFileSync(join(DIST, path))).length);
  const sum = bytes.reduce((total, size) => total + size, 0);
  assert.ok(sum <= INITIAL_BYTES_MAX, `${sum} bytes: ${initial.join(', ')}`);
});

test('charts are not among what the first page loads', () => {
  for (const path of initial) assert.ok(!readFileSync(join(DIST, path), 'utf8').includes('recharts-'), path);
  const names = readdirSync(join(DIST, 'assets'));
  assert.ok(names.some((name) => name.startsWith('usage-chart')));
});

test('scripts need no eval, which the policy of the page would refuse', () => {
  for (const name of readdirSync(join(DIST, 'assets')).filter((file) => file.endsWith('.js'))) {
    assert.doesNotMatch(readFileSync(join(DIST, 'assets', name), 'utf8'), /\beval\(|new Function\(/, name);
  }
});

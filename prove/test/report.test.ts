import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parts } from '../src/parts.ts';
import { findTable } from '../src/report.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

test("the README's table of promises is that of the last proof, and has every part", () => {
  const [readme = '', report = ''] = ['README.md', 'docs/proof.md'].map((name) =>
    readFileSync(join(REPOSITORY, name), 'utf8'),
  );
  assert.equal(findTable(readme), findTable(report));
  const rows = findTable(report).split('\n').slice(2);
  assert.deepEqual(
    rows.map((row) => row.split('|')[1]?.trim()),
    parts.map(({ promise }) => promise),
  );
});

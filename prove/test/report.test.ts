import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parts } from '../src/parts.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const TABLE = /(?:^\|.*\n)+/m;

/** The rows of the first table of a text, without its head. */
function rowsOf(text: string): string[] {
  const [table = ''] = TABLE.exec(text) ?? [];
  return table.trimEnd().split('\n').slice(2);
}

test('the table of promises in the README is the one of the last whole run, and every promise was kept in it', () => {
  const [, ofReadme = ''] = readFileSync(join(REPOSITORY, 'README.md'), 'utf8').split('<!-- proof -->\n');
  const ofRun = rowsOf(readFileSync(join(REPOSITORY, 'docs/proof.md'), 'utf8'));
  assert.deepEqual(rowsOf(ofReadme), ofRun);
  assert.deepEqual(
    ofRun.map((row) => row.split(' | ')[0]),
    parts.map(({ promise }) => `| ${promise}`),
  );
  assert.ok(!ofRun.some((row) => row.includes('NOT PROVEN')));
});

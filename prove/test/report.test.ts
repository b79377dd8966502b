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

test('the promises in the README and their results are those of the last whole run, which says which parts are newer', () => {
  const [, ofReadme = ''] = readFileSync(join(REPOSITORY, 'README.md'), 'utf8').split('<!-- proof -->\n');
  const ofRun = rowsOf(readFileSync(join(REPOSITORY, 'docs/proof.md'), 'utf8'));
  const cellsOf = (row: string) => row.slice(2, -2).split(' | ');
  const shown = ofRun.map(cellsOf).map(([promise, , result]) => `| ${promise} | ${result} |`);
  assert.deepEqual(rowsOf(ofReadme), shown);
  const promises = ofRun.map((row) => row.split(' | ')[0]);
  const [tried, newer] = [true, false].map((isTried) =>
    parts.filter(({ promise }) => promises.includes(`| ${promise}`) === isTried),
  );
  assert.deepEqual(
    promises,
    tried?.map(({ promise }) => `| ${promise}`),
  );
  // The next whole run writes all that stands between the marks.
  for (const { title, name } of newer ?? []) {
    assert.ok(ofReadme.includes(`Not in that run yet: ${title} (\`npm run prove -- ${name}\`).`), name);
  }
  assert.ok(!ofRun.some((row) => row.includes('NOT PROVEN')));
});

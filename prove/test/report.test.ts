import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parts } from '../src/parts.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const TABLE = /(?:^\|.*\n)+/m;

/** The rows of the first table in a text, without the header. */
function rowsOf(text: string): string[] {
  const [table = ''] = TABLE.exec(text) ?? [];
  return table.trimEnd().split('\n').slice(2);
}

test('the README has the promises and results of the last complete run and names newer parts', () => {
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
  // The next complete run writes everything between the marks.
  for (const { title, name } of newer ?? []) {
    assert.ok(ofReadme.includes(`Not in that run yet: ${title} (\`npm run prove -- ${name}\`).`), name);
  }
  assert.ok(!ofRun.some((row) => row.includes('NOT PROVEN')));
});

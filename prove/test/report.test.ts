import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parts } from '../src/parts.ts';
import { formatReport, type Result } from '../src/report.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const REPORT = readFileSync(join(REPOSITORY, 'docs/proof.md'), 'utf8');
const RUN = { date: new Date('2026-02-01T00:00:00Z'), seed: 7 };

test('the report and the README have the results of the current parts; the README names those without results', () => {
  const { report, promises } = formatReport(REPORT, parts, [], RUN);
  assert.equal(report, REPORT);
  const readme = readFileSync(join(REPOSITORY, 'README.md'), 'utf8');
  assert.ok(readme.includes(`<!-- proof -->\n${promises}<!-- /proof -->`));
  for (const { promise, title } of parts)
    assert.ok(promises.includes(`| ${promise} |`) || promises.includes(`No results yet: ${title} `), title);
  assert.doesNotMatch(REPORT, /NOT PROVEN/);
});

test('new results replace those of the same part, and no others', () => {
  const [, part] = parts;
  assert.ok(part);
  const outcome = { tried: 'one thing', figure: '0 of 1 lost', figures: [] };
  const result: Result = { part, verdict: { is: 'kept', outcome, seconds: 3 }, faults: [], isKept: true };
  const { report, promises } = formatReport(REPORT, parts, [result], RUN);
  const sectionsOf = (text: string) => text.split(/\n\n(?=## )/).slice(1);
  const changed = sectionsOf(report).filter((section, index) => section !== sectionsOf(REPORT)[index]);
  assert.equal(changed.length, 1);
  assert.match(
    changed.join(),
    new RegExp(`^## 2\\. ${part.title}\n\n.*\n\nRun on 2026-02-01 at commit .* with seed 7: `),
  );
  assert.ok(report.includes(`| ${part.promise} | one thing | 0 of 1 lost | 0 of 0 |\n`));
  assert.ok(promises.includes(`| ${part.promise} | 0 of 1 lost |\n`));
  assert.equal(formatReport(report, parts, [], RUN).report, report);
});

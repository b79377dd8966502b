import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { plant } from '../../testkit/src/listings.ts';
import { directoryFor } from '../../testkit/src/serving.ts';
import { until } from '../../testkit/src/until.ts';
import { listings, type Settings, shell, start } from './support/cli.ts';
import { newAccount, service } from './support/service.ts';

const ESCAPE = '\u001b';

const { tenant, settings: many } = await newAccount();
const { settings: few } = await newAccount();

before(async () => {
  await plant(service, tenant, 20_000, 400);
  const rows = [
    { address: '12 Elm Street', beds: 3, baths: 2, listPrice: 450000, city: '東京都港区芝公園四丁目二番八号' },
    { address: 'Avenida de la Constitución Española de 1978', beds: 0, baths: 1, description: 'One\nTwo' },
  ];
  for (const row of rows) await listings(['create', '--data', JSON.stringify(row)], few);
});

/** The complete output of a command in a terminal of this width. */
async function show(t: TestContext, line: string, settings: Settings, columns: number): Promise<string> {
  const { output, closed } = shell(t, line, settings, columns);
  assert.equal(await closed, 0, output.stdout);
  return output.stdout.replaceAll('\r\n', '\n');
}

describe('in a terminal', () => {
  test('a list is a table with complete IDs, aligned despite wide characters', async (t) => {
    const shown = await show(t, 'NO_COLOR=1 listings list', few, 100);
    const [heading = '', second = '', first = '', count] = shown.split('\n');
    assert.match(heading, /^ID {30}ADDRESS +CITY +BEDS {2}BATHS +PRICE {2}CUR {2}STATUS$/);
    assert.match(second, /^lst_[0-9a-z]{26} {2}Avenida de .*… +0 {6}1 +active$/);
    assert.match(first, /^lst_[0-9a-z]{26} {2}12 Elm Street +東京都港.*… +3 {6}2 {2}450,000 {2}USD {2}active$/);
    assert.equal(count, '2 listings');
    // Each wide character takes two columns.
    const wide = [...first].filter((character) => /\p{Script=Han}/u.test(character)).length;
    assert.equal(first.length + wide, second.length);
  });

  test('a table is never wider than the terminal', async (t) => {
    for (const columns of [34, 60, 80]) {
      const shown = await show(t, 'NO_COLOR=1 listings list', few, columns);
      for (const line of shown.split('\n')) assert.ok(line.length <= columns, `${columns}: ${line}`);
    }
  });

  test('output has colors, except with NO_COLOR or in a pipe', async (t) => {
    assert.ok((await show(t, 'listings list', few, 80)).includes(`${ESCAPE}[1mID`));
    assert.ok(!(await show(t, 'NO_COLOR=1 listings list', few, 80)).includes(ESCAPE));
    assert.ok(!(await show(t, 'listings list | cat', few, 80)).includes(ESCAPE));
  });

  test('a listing has one line per member, and text keeps its line breaks', async (t) => {
    const shown = await show(t, 'NO_COLOR=1 listings get "$(listings list --limit 1 | cut -f1)"', few, 80);
    assert.match(shown, /^address {6}Avenida de la Constitución Española de 1978$/m);
    assert.match(shown, /^description {2}One\n {13}Two$/m);
  });

  test('a pager shows a long table, and may exit early', async (t) => {
    const { output, closed } = shell(t, 'PAGER="head -n 2" listings list', many, 80);
    assert.equal(await closed, 0);
    assert.equal(output.stdout.trim().split('\n').length, 2, output.stdout);
  });

  test('an import shows progress, rate, and remaining time', async (t) => {
    const file = join(await directoryFor(t), 'many.ndjson');
    const description = 'x'.repeat(900);
    const rows = Array.from({ length: 6_000 }, (_, index) => ({
      address: `${index} Elm`,
      beds: 1,
      baths: 1,
      description,
    }));
    await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { settings: target } = await newAccount();
    const { output, closed } = shell(t, `listings import '${file}'`, target, 100);
    assert.equal(await closed, 0, output.stdout);
    assert.match(
      output.stdout,
      /Importing {2}\[[#.]{24}\] +\d+% {2}[\d.]+ [kM]?B of [\d.]+ MB {2}[\d.]+ [kM]?B\/s {2}\d:\d\d left/,
    );
    const again = shell(t, `listings import '${file}'`, target, 42);
    assert.equal(await again.closed, 0, again.output.stdout);
    // In a narrow terminal, the progress bar shrinks first.
    const drawn = again.output.stdout.split('\r').filter((line) => line.includes('%'));
    assert.match(drawn[0] ?? '', /^Importing {2}\[\.{7}\] {4}0% {2}0 B of 5\.8 MB/);
    assert.ok(!drawn.some((line) => line.includes('…')), again.output.stdout);
    // The progress line is cleared before the report.
    assert.match(output.stdout, new RegExp(`\\r${ESCAPE}\\[K6,000 created, 0 updated, 0 unchanged, 0 failed\\r\\n$`));
  });

  test('an export shows its progress in the terminal, and writes only listings to the file', async (t) => {
    const directory = await directoryFor(t);
    const shown = await show(
      t,
      `listings export '${directory}/all.csv'; listings export > '${directory}/all.ndjson'`,
      many,
      100,
    );
    assert.match(shown, /Exporting {2}\[[#.]{24}\] +\d+% {2}[\d,]+ of 20,000/);
    assert.match(shown, /Exported 20,000 listings, [\d.]+ MB to .*all\.csv\.\n/);
    assert.match(await readFile(join(directory, 'all.csv'), 'utf8'), /^id,/);
    assert.match(await readFile(join(directory, 'all.ndjson'), 'utf8'), /^\{/);
  });

  test('delete asks, and deletes nothing unless the answer is yes', async (t) => {
    const { child, output, closed } = shell(t, 'listings delete "$(listings list --limit 1 | cut -f1)"', few, 80);
    await until('it asks', () => output.stdout.includes('? [y/N] '));
    child.stdin.write('\r');
    assert.equal(await closed, 1);
    assert.match(output.stdout, /Nothing was deleted/);
    assert.equal(JSON.parse((await listings(['list', '--json'], few)).stdout).length, 2);
  });
});

describe('a closed pipe', () => {
  test('ends each command without an error', async (t) => {
    for (const command of ['list', 'list --json', 'list --csv', 'export', 'export --format json', 'events']) {
      const line = `listings ${command} | head -n 1 | wc -l; echo "\${PIPESTATUS[0]}"`;
      const { output, closed } = shell(t, line, many);
      assert.equal(await closed, 0);
      const lines = command === 'events' ? '0' : '1';
      assert.deepEqual([output.stdout, output.stderr], [`${lines}\n0\n`, ''], command);
    }
  });
});

describe('Ctrl-C', () => {
  test('ends an export with 130, and removes its temporary file', async (t) => {
    const directory = await directoryFor(t);
    const { child, closed } = start(t, ['export', join(directory, 'all.ndjson')], many);
    await until('the export writes its file', async () =>
      (await readdir(directory)).some((name) => name.endsWith('.part')),
    );
    child.kill('SIGINT');
    assert.equal(await closed, 130);
    assert.deepEqual(await readdir(directory), []);
  });
});

import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTenantByCommand, runCommand, runCommandWarm } from '../../../testkit/src/process.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';

const parse = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('an archive is one line of JSON per row, and ends with the counts', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data') };
  const { accountId, key } = await createTenantByCommand(settings);
  const file = join(directory, 'account.ndjson');
  const { code, stdout } = await runCommandWarm(['accounts', 'export', accountId, file, '--json'], settings);
  assert.equal(code, 0);
  const { counts } = JSON.parse(stdout);
  assert.deepEqual([counts.accounts, counts.api_keys], [1, 1]);
  const text = await readFile(file, 'utf8');
  const [head, ...rows] = parse(text);
  assert.deepEqual([head.account, rows.pop()], [accountId, { end: true, counts }]);
  assert.ok(!text.includes(key));
  assert.equal((await stat(file)).mode & 0o777, 0o600);

  const streamed = await runCommand(['accounts', 'export', accountId, '-'], settings);
  assert.deepEqual(parse(streamed.stdout).at(-1), { end: true, counts });
});

test('an export that fails leaves no file, and says what to do', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data') };
  const { accountId } = await createTenantByCommand(settings);
  const file = join(directory, 'account.ndjson');
  const missing = join(directory, 'missing/account.ndjson');
  for (const [args, code, words] of [
    [
      ['accounts', 'export', 'acc_none', file],
      1,
      /^error: There is no account acc_none; run "accounts list" to see all accounts\.$/m,
    ],
    [['accounts', 'export', accountId, missing], 1, /^error: Cannot write .*no such file or directory.*\.$/m],
    [['accounts', 'export', accountId, '-', '--json'], 2, /omit --json/],
    [['administrators', 'export', file, '--email', 'nobody@example.com'], 1, /Nothing is stored about nobody@example/],
  ] as const) {
    const result = await runCommandWarm([...args], settings);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, words);
  }
  assert.deepEqual(await readdir(directory), ['data']);
  await runCommandWarm(['accounts', 'export', accountId, file], settings);
  const again = await runCommandWarm(['accounts', 'export', accountId, file], settings);
  assert.match(again.stderr, /^error: .*account\.ndjson already exists; name another file\.$/m);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { PASSWORD } from '../../../testkit/src/browser.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import {
  createTenantByCommand,
  environment,
  PROGRAM,
  REPOSITORY,
  runCommandWarm,
} from '../../../testkit/src/process.ts';
import { directoryFor, spawnFor } from '../../../testkit/src/serving.ts';
import { readConfig, SETTINGS } from '../../src/config.ts';
import { blocksOf } from '../support/documents.ts';

const handbook = readFileSync(join(REPOSITORY, 'docs/operating.md'), 'utf8');
const blocks = blocksOf(handbook).filter(({ language }) => language === 'sh');
/** Programs that act like those of PostgreSQL, as far as the script for dumps can tell. */
const STAND_INS = {
  pg_dump: 'echo dump > "$(echo "$2" | cut -d = -f 2)"',
  pg_restore: 'test "$BROKEN" != yes',
  createdb: '',
  dropdb: '',
};
const SETTING = /^([A-Z_]+)=/;

/** The words of a command, of which some are quoted. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('the operator’s handbook', () => {
  test('shows commands that work, in their order', async (t) => {
    const directory = await directoryFor(t);
    const settings = { DATA_DIR: join(directory, 'data'), PORT: String(await findFreePort()) };
    const { accountId } = await createTenantByCommand(settings);
    const person = ['--account', accountId, '--email', 'ada@example.com', '--password-stdin'];
    const added = await runCommandWarm(['administrators', 'create', ...person], settings, PASSWORD);
    assert.equal(added.code, 0, added.stderr);
    await writeFile(join(directory, 'restored-url'), `file:${join(settings.DATA_DIR, 'listings.db')}`);
    const lines = blocks.flatMap(({ content }) => content.split('\n'));
    const commands = lines.map((line) => /(?:^|(DATABASE_URL_FILE=).*)npx property-listings (.*)$/.exec(line));
    const run = commands.filter((found) => found !== null).filter(([, , command]) => command !== 'serve');
    assert.ok(run.length > 12);
    for (const [, variable, shown = ''] of run) {
      // Another program reads the output after the pipe.
      const [command = ''] = shown.replaceAll('ACCOUNT-ID', accountId).split(' | ');
      const url = variable === undefined ? {} : { DATABASE_URL_FILE: join(directory, 'restored-url') };
      const env = environment({ ...settings, ...url });
      const { closed, output } = spawnFor(t, process.execPath, [PROGRAM, ...wordsOf(command)], env, directory);
      assert.equal(await closed, 0, `${command}: ${output.stderr}`);
    }
  });

  test('shows settings that are valid', async (t) => {
    const directory = await directoryFor(t);
    const shown = blocks.filter(({ content }) =>
      content
        .trim()
        .split('\n')
        .every((line) => SETTING.test(line)),
    );
    assert.ok(shown.length >= 3);
    for (const { content } of shown) {
      const settings = parseEnv(content);
      for (const name of Object.keys(settings)) assert.ok(Object.hasOwn(SETTINGS.shape, name), name);
      readConfig({ ...settings, DATA_DIR: directory });
    }
  });

  test('has a script that keeps only dumps that can be loaded', async (t) => {
    const directory = await directoryFor(t);
    const [programs, backups, calls] = [`${directory}/bin`, `${directory}/backups`, `${directory}/calls`];
    await Promise.all([programs, backups].map((path) => mkdir(path)));
    for (const [name, script] of Object.entries(STAND_INS))
      await writeFile(join(programs, name), `#!/bin/sh\necho ${name} >> ${calls}\n${script}\n`, { mode: 0o755 });
    for (const days of [20, 3]) {
      const path = join(backups, `listings-${days}-days-ago.dump`);
      const timeS = Date.now() / 1_000 - days * 86_400;
      await writeFile(path, 'old');
      await utimes(path, timeS, timeS);
    }
    const dump = (settings: Record<string, string>) =>
      spawnSync('sh', [join(REPOSITORY, 'docs/systemd/property-listings-dump'), 'listings', backups], {
        env: { PATH: `${programs}:${process.env.PATH}`, ...settings },
      });
    const stored = async () => (await readdir(backups)).toSorted();

    const before = await stored();
    assert.notEqual(dump({ BROKEN: 'yes' }).status, 0);
    assert.deepEqual(await stored(), before, 'a dump that cannot be loaded removes nothing');
    assert.equal(dump({}).status, 0);
    const [file = '', digest = '', ...others] = await stored();
    assert.match(file, /^listings-\d{8}T\d{6}Z\.dump$/);
    assert.deepEqual(others, ['listings-3-days-ago.dump']);
    assert.equal((await stat(join(backups, file))).mode & 0o777, 0o600);
    const sha256 = hash('sha256', await readFile(join(backups, file)));
    assert.equal(await readFile(join(backups, digest), 'utf8'), `${sha256}  ${file}\n`);
    const called = (await readFile(calls, 'utf8')).trim().split('\n');
    assert.deepEqual(called.slice(-5), ['pg_dump', 'dropdb', 'createdb', 'pg_restore', 'dropdb']);
  });

  test('never shows a password on a command line', () => {
    for (const name of ['operating', 'scaling', 'settings', 'first-ten-minutes']) {
      const text = readFileSync(join(REPOSITORY, `docs/${name}.md`), 'utf8');
      for (const { content } of blocksOf(text)) assert.doesNotMatch(content, /:\/\/\w+:\w+@|password '/, name);
    }
  });
});

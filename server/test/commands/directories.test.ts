import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { defer } from '../../../testkit/src/cleanup.ts';
import { environment, PROGRAM, runCommand } from '../../../testkit/src/process.ts';
import { createDirectory } from '../../../testkit/src/service.ts';

/** Long enough for any machine; a command that hangs is killed. */
const HANG_MS = 60_000;

test('a DATA_DIR that cannot be created fails at once', async () => {
  const migrate = promisify(execFile)(process.execPath, [PROGRAM, 'migrate'], {
    env: environment({ DATA_DIR: '/proc/nope/data' }),
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
  });
  await assert.rejects(migrate, {
    code: 1,
    stderr: /^error: Cannot create the directory \/proc\/nope[^\n]*\n$/,
  });
});

test('only its owner can access a created DATA_DIR', async (t) => {
  const directory = await createDirectory();
  defer(t, () => rm(directory, { recursive: true }));
  const { code } = await runCommand(['migrate'], { DATA_DIR: join(directory, 'a', 'b') });
  assert.equal(code, 0);
  for (const path of ['a', 'a/b']) assert.equal((await stat(join(directory, path))).mode & 0o777, 0o700);
});

test('only its owner can read a created database, even in a public DATA_DIR', async (t) => {
  const directory = await createDirectory();
  defer(t, () => rm(directory, { recursive: true }));
  await chmod(directory, 0o755);
  assert.equal((await runCommand(['migrate'], { DATA_DIR: directory })).code, 0);
  assert.equal((await stat(join(directory, 'listings.db'))).mode & 0o777, 0o600);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { bareEnvironment, REPOSITORY } from '../../testkit/src/process.ts';
import { directoryFor, spawnFor } from '../../testkit/src/serving.ts';
import { listings, shell } from './support/cli.ts';

const KEY = generateSecret();
const SHOWN = `${KEY.slice(0, 8)}…`;

/** Creates a directory with these files. */
async function treeFor(t: TestContext, files: Record<string, string | Uint8Array>): Promise<string> {
  const root = await directoryFor(t);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

async function scan(...paths: string[]) {
  const result = await listings(['keys', 'scan', ...paths]);
  assert.ok(!`${result.stdout}${result.stderr}`.includes(KEY), 'the output contains the key');
  return { ...result, lines: result.stdout.split('\n').filter((line) => line !== '') };
}

describe('keys scan', () => {
  test('reports each key with its line, in text and binary files', async (t) => {
    const root = await treeFor(t, {
      'a.env': `first\nKEY=${KEY}\r\n"${KEY}","${KEY}"\n`,
      'b/c.bin': Buffer.from(`\0\x01\xff\n\n\n${KEY}\xfe`, 'latin1'),
      'b/utf16.txt': Buffer.from(`\ufeffone\r\n${KEY}\r\n`, 'utf16le'),
      'clean.txt': 'nothing',
      'empty.txt': '',
    });
    const { code, lines, stderr } = await scan(root);
    assert.equal(code, 1);
    assert.deepEqual(lines, [
      `${root}/a.env:2: ${SHOWN}`,
      `${root}/a.env:3: ${SHOWN}`,
      `${root}/a.env:3: ${SHOWN}`,
      `${root}/b/c.bin:4: ${SHOWN}`,
      `${root}/b/utf16.txt:2: ${SHOWN}`,
    ]);
    assert.match(stderr, /Delete these keys/);
  });

  test('ignores made-up keys, and prints nothing if there is no key', async (t) => {
    const wrong = KEY.slice(0, -1) + (KEY.endsWith('0') ? '1' : '0');
    const root = await treeFor(t, { 'README.md': `plk_… plk_${'a'.repeat(38)} ${wrong} ${KEY.toUpperCase()}` });
    const { code, stdout, stderr } = await scan(root);
    assert.deepEqual([code, stdout, stderr], [0, '', '']);
  });

  test('finds a key that overlaps a false candidate or touches other letters', async (t) => {
    const root = await treeFor(t, { a: `plk_${'0'.repeat(35)}${KEY}`, b: `x${KEY}x` });
    assert.deepEqual((await scan(root)).lines, [`${root}/a:1: ${SHOWN}`, `${root}/b:1: ${SHOWN}`]);
  });

  test('finds keys across the chunks of a large file', async (t) => {
    const MEBIBYTE = 1024 * 1024;
    const line = `${'x'.repeat(63)}\n`;
    const filled = line.repeat(MEBIBYTE / line.length);
    const contents = [0, 1, 21, 41, 42].map((before) => filled.slice(0, MEBIBYTE - before) + KEY + filled);
    const root = await treeFor(t, Object.fromEntries(contents.map((content, index) => [`${index}`, content])));
    const expected = [0, 1, 21, 41, 42].map((before, index) => {
      const lineNumber = filled.slice(0, MEBIBYTE - before).split('\n').length;
      return `${root}/${index}:${lineNumber}: ${SHOWN}`;
    });
    assert.deepEqual((await scan(root)).lines, expected);
  });

  test('skips .git and node_modules unless named, and does not follow circular links', async (t) => {
    const root = await treeFor(t, { '.git/config': KEY, 'a/node_modules/b/index.js': KEY, 'a/.hidden': KEY });
    await symlink(root, join(root, 'a/circle'));
    assert.deepEqual((await scan(root)).lines, [`${root}/a/.hidden:1: ${SHOWN}`]);
    assert.deepEqual((await scan(join(root, 'a/node_modules'))).lines, [
      `${root}/a/node_modules/b/index.js:1: ${SHOWN}`,
    ]);
    assert.deepEqual((await scan(join(root, '.git'))).lines, [`${root}/.git/config:1: ${SHOWN}`]);
    assert.deepEqual((await scan(join(root, 'a/circle/a/.hidden'))).lines, [`${root}/a/circle/a/.hidden:1: ${SHOWN}`]);
  });

  test('reads stdin if the path is -', async () => {
    const { code, stdout } = await listings(['keys', 'scan', '-'], {}, `a\n${KEY}\n`);
    assert.deepEqual([code, stdout], [1, `-:2: ${SHOWN}\n`]);
  });

  test('exits with 2 if a path is unreadable, and scans the others', async (t) => {
    const root = await treeFor(t, { a: KEY });
    const { code, lines, stderr } = await scan(join(root, 'gone'), join(root, 'a'));
    assert.equal(code, 2);
    assert.deepEqual(lines, [`${root}/a:1: ${SHOWN}`]);
    assert.match(stderr, /Cannot read .*gone: ENOENT/);
  });

  test('does not wait for a named pipe in a directory', async (t) => {
    const root = await treeFor(t, { a: KEY });
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    assert.deepEqual((await scan(root)).lines, [`${root}/a:1: ${SHOWN}`]);
  });

  test('exits with 1 even if its reader closes the pipe', async (t) => {
    const root = await treeFor(t, { a: `${KEY}\n`.repeat(20_000) });
    const { output, closed } = shell(t, `listings keys scan '${root}' | head -n 1; echo "\${PIPESTATUS[0]}"`, {});
    await closed;
    assert.equal(output.stdout, `${root}/a:1: ${SHOWN}\n1\n`);
  });

  describe('--staged', () => {
    /** Creates a repository with the README's hook, and a function that runs commands in it. */
    async function repositoryFor(t: TestContext) {
      const root = await treeFor(t, { 'a file.txt': 'nothing' });
      const readme = await readFile(join(REPOSITORY, 'cli/README.md'), 'utf8');
      const hook = /^```sh\n(#!\/bin\/sh\n.*?)^```/ms.exec(readme)?.[1] ?? '';
      const run = async (line: string, cwd = root) => {
        const PATH = `${root}/.git/bin:${dirname(process.execPath)}:${process.env.PATH}`;
        const { output, closed } = spawnFor(t, 'bash', ['--norc', '-c', line], bareEnvironment({ PATH }), cwd);
        return { code: await closed, ...output };
      };
      const { code } = await run(`git init -q . && git config user.email a@example.com && git config user.name Ada
        mkdir -p .git/bin .git/hooks && ln -s '${REPOSITORY}/cli/bin/listings.js' .git/bin/listings`);
      assert.equal(code, 0);
      await writeFile(join(root, '.git/hooks/pre-commit'), hook, { mode: 0o755 });
      return { root, run };
    }

    test('in the pre-commit hook of the README keeps keys out of a repository', async (t) => {
      const { run } = await repositoryFor(t);
      assert.equal((await run('git add . && git commit -qm one')).code, 0);
      for (const name of ['a file.txt', '-', '--help', 'new\tname', 'd/é']) {
        const path = `./${name}`;
        const write = `mkdir -p d; printf '${KEY}' > $'${path}'; git add -- $'${path}'`;
        // The staged file contains the key; the same file in the working directory does not.
        const refused = await run(`${write}; echo clean > $'${path}'; git commit -qm two`);
        assert.notEqual(refused.code, 0, name);
        const shown = `${refused.stdout}${refused.stderr}`;
        assert.ok(shown.startsWith(`${name.replace('\t', ' ')}:1: ${SHOWN}\n`), shown);
        assert.ok(!shown.includes(KEY));
        assert.equal((await run('git reset -q')).code, 0);
      }
      assert.equal((await run(`echo clean > 'a file.txt'; git commit -qam three`)).code, 0);
      assert.notEqual((await run(`printf '${KEY}' > 'a file.txt'; git commit -qam four`)).code, 0);
      assert.equal((await run('git log --format=%s')).stdout, 'three\none\n');
    });

    test('scans staged files from any directory, but neither unstaged nor deleted ones', async (t) => {
      const { root, run } = await repositoryFor(t);
      const setUp = `mkdir d; printf '${KEY}' > gone; git add gone; git commit -qnm one; git rm -q gone
        printf '\n${KEY}' > staged; git add staged; printf '${KEY}' > 'a file.txt'`;
      assert.equal((await run(setUp)).code, 0);
      const { code, stdout } = await run('listings keys scan --staged', join(root, 'd'));
      assert.deepEqual([code, stdout], [1, `staged:2: ${SHOWN}\n`]);
    });

    test('exits with 2 outside a repository, without git, and with paths', async (t) => {
      const { root, run } = await repositoryFor(t);
      const outside = await run('listings keys scan --staged', await directoryFor(t));
      assert.equal(outside.code, 2);
      assert.match(outside.stderr, /^error: Cannot read staged files: this directory is not in a git repository\.\n/);
      const PATH = dirname(process.execPath);
      const without = await run(`PATH='${PATH}' '${process.execPath}' .git/bin/listings keys scan --staged`, root);
      assert.equal(without.code, 2);
      assert.match(without.stderr, /git is not installed/);
      assert.equal((await run('listings keys scan --staged .')).code, 2);
    });
  });
});

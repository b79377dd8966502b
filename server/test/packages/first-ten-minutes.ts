import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { withoutChance } from '../../../testkit/src/chance.ts';
import type { UnpackedWorkspace } from '../../../testkit/src/packages.ts';
import { bareEnvironment, REPOSITORY } from '../../../testkit/src/process.ts';
import { serveFor, spawnFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { blocksOf, stepsOf } from '../support/documents.ts';

const DOCUMENT = join(REPOSITORY, 'docs/first-ten-minutes.md');
const ORIGIN = 'http://127.0.0.1:3000';
/** Commands that run until killed; their output is complete after the last step. */
const LASTING = /--follow|copy\.mjs/;
/** IDs and keys, which differ in each run. */
const IDS = /\b(?:(?:lst|acc|key)_[0-9a-z]{26}|plk_[0-9A-Za-z]{38})/g;

/** Runs the document's commands in a directory where the packages are installed. */
export async function runFirstTenMinutes(t: TestContext, cwd: string, published: UnpackedWorkspace[]): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8');
  await linkPrograms(cwd, published);
  const [program, ...more] = blocksOf(text).filter(({ language }) => language === 'js');
  assert.deepEqual(more, []);
  await writeFile(join(cwd, 'copy.mjs'), program?.content ?? '');
  const { url } = await serveFor(t, {}, { program: join(cwd, 'node_modules/.bin/property-listings'), cwd });
  await runSteps(t, stepsOf(text), { cwd, url });
}

/** Links the packages' programs into `node_modules/.bin`, like npm. */
async function linkPrograms(cwd: string, published: UnpackedWorkspace[]): Promise<void> {
  await mkdir(join(cwd, 'node_modules/.bin'));
  for (const { directory, manifest } of published) {
    for (const [name, path] of Object.entries(Object(manifest.bin))) {
      await symlink(join(directory, String(path)), join(cwd, 'node_modules/.bin', name));
    }
  }
}

async function runSteps(t: TestContext, steps: string[], { cwd, url }: { cwd: string; url: string }): Promise<void> {
  const exports: string[] = [];
  const lasting: { expected: string[]; lines: () => string[] }[] = [];
  const ids = new Map<string, string>();
  for (const step of steps) {
    const [shown = '', ...expected] = step.trimEnd().split('\n');
    const command = shown.replaceAll(IDS, (id) => ids.get(id) ?? id).replace(ORIGIN, url);
    if (command.startsWith('export ')) exports.push(command);
    else if (LASTING.test(command)) lasting.push({ expected, lines: start(t, [...exports, command], cwd) });
    else learnIds(ids, expected.join('\n'), await run([...exports, command], cwd));
    // A lasting command may print its last line only because of the next command.
    for (const { expected, lines } of lasting)
      await until('all lines but the last are printed', () => lines().length >= expected.length - 1);
  }
  for (const { expected, lines } of lasting) {
    await until('the last line is printed', () => lines().length >= expected.length);
    assert.equal(withoutChance(lines().join('\n')), withoutChance(expected.join('\n')));
  }
}

async function run(commands: string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', commands.join('\n')], { cwd, env: bareEnvironment({}) });
  // A terminal does not show the line endings of CSV.
  return stdout.replaceAll('\r\n', '\n');
}

/** Runs without npx, which would outlive the test. @returns a function that returns the lines printed so far */
function start(t: TestContext, commands: string[], cwd: string): () => string[] {
  const script = commands.join('\n').replace(/^npx /m, 'exec ');
  const { PATH, ...others } = bareEnvironment({});
  const env = { ...others, PATH: `${join(cwd, 'node_modules/.bin')}:${PATH}` };
  const { output } = spawnFor(t, 'sh', ['-c', script], env, cwd);
  return () => output.stdout.split('\n').slice(0, -1);
}

/** Maps the document's IDs to those of this run. */
function learnIds(ids: Map<string, string>, expected: string, output: string): void {
  assert.equal(withoutChance(output), withoutChance(expected));
  const real = output.match(IDS) ?? [];
  for (const [index, shown] of (expected.match(IDS) ?? []).entries()) ids.set(shown, real[index] ?? '');
}

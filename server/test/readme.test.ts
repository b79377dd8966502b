import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { withoutChance } from '../../testkit/src/chance.ts';
import { environment, REPOSITORY } from '../../testkit/src/process.ts';
import { createDirectory } from '../../testkit/src/service.ts';
import { SETTINGS } from '../src/config.ts';
import { type Block, blocksOf, stepsOf } from './support/documents.ts';

const readme = readFileSync(join(REPOSITORY, 'README.md'), 'utf8');
/** Documents that start in an empty directory, not in a clone: `packages/` and `cli/test` test them. */
const OWN_TESTS = ['docs/first-ten-minutes.md', 'docs/feeds.md'];
const README_ORIGIN = 'http://127.0.0.1:3000';

describe('the README', () => {
  let settings: Record<string, string>;
  let service: ReturnType<typeof spawn>;
  let origin: string;

  before(async () => {
    settings = environment({ DATA_DIR: await createDirectory(), PORT: '0' });
    service = spawn('npm', ['start'], { cwd: REPOSITORY, env: settings, stdio: ['ignore', 'pipe', 'ignore'] });
    origin = await listeningUrl(service);
  });

  after(async () => {
    const exited = once(service, 'exit');
    service.kill('SIGTERM');
    await exited;
    await rm(settings.DATA_DIR ?? '', { recursive: true });
  });

  test('names the two commands of a fresh clone', () => {
    assert.ok(readme.includes('\nnpm ci && npm start\n'));
    assert.ok(readme.includes('\nnpm ci && npm test\n'));
  });

  test('shows commands that work with their real output, like the other documents', async () => {
    assert.ok(stepsOf(readme).length > 0);
    const others = globSync('docs/**/*.md', { cwd: REPOSITORY }).filter((name) => !OWN_TESTS.includes(name));
    for (const name of ['README.md', 'server/README.md', ...others]) {
      const steps = stepsOf(readFileSync(join(REPOSITORY, name), 'utf8'));
      if (steps.length > 0) await runSteps(steps, await openSession());
    }
  });

  test('links to a page with every setting and its default, like the package’s README', () => {
    const rows = Object.entries(SETTINGS.shape).map(([name, schema]) => {
      const standard = schema instanceof z.ZodPrefault ? `\`${schema.def.defaultValue}\`` : 'none';
      const { defaultsTo = standard, description } = schema.meta() ?? {};
      return `| \`${name}\` | ${defaultsTo} | ${description} |`;
    });
    for (const page of ['docs/settings.md', 'server/README.md']) {
      const text = readFileSync(join(REPOSITORY, page), 'utf8');
      assert.deepEqual([...text.matchAll(/^\| `[A-Z_]+` \|.*$/gm)].flat(), rows, page);
    }
  });

  /** Creates an account and a key as in the README. @returns commands that set `$API` and `$KEY` */
  async function openSession(): Promise<string> {
    const isMaking = ({ language, content }: Block) => language === 'sh' && content.includes('keys create');
    const commands = blocksOf(readme).find(isMaking)?.content ?? '';
    const [createAccount = '', createKey = '', exportLine = ''] = commands.trim().split('\n');
    const account = /acc_[0-9a-z]{26}/.exec(await run(createAccount))?.[0] ?? '';
    const key = /plk_[0-9A-Za-z]{38}/.exec(await run(createKey.replace('acc_…', account)))?.[0] ?? '';
    assert.match(key, /^plk_/);
    return exportLine.replace('plk_…', key).replace(README_ORIGIN, origin);
  }

  async function runSteps(steps: string[], session: string): Promise<void> {
    let listingId = '';
    for (const step of steps) {
      const [command = '', ...expected] = step.split('\n');
      const output = await run(`${session}; ${command.replace(/lst_[0-9a-z]{26}/, listingId)}`);
      assert.equal(withoutChance(output), withoutChance(expected.join('\n')), command);
      listingId ||= /lst_[0-9a-z]{26}/.exec(output)?.[0] ?? '';
    }
  }

  async function run(command: string): Promise<string> {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: REPOSITORY, env: settings });
    return stdout;
  }
});

async function listeningUrl(service: ReturnType<typeof spawn>): Promise<string> {
  assert.ok(service.stdout);
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.startsWith('{') && JSON.parse(line).msg === 'listening') return JSON.parse(line).url;
  }
  throw new Error('The service exited before it listened');
}

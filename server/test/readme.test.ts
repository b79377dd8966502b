import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { environment, REPOSITORY } from './support/process.ts';
import { createDirectory } from './support/service.ts';

const readme = readFileSync(join(REPOSITORY, 'README.md'), 'utf8');
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

  test('shows commands that work, and their real output', async () => {
    const [createAccount = '', createKey = '', exportLine = ''] = block('sh', 'accounts create').trim().split('\n');
    const account = /acc_[0-9a-z]{26}/.exec(await run(createAccount))?.[0] ?? '';
    const key = /plk_[0-9A-Za-z]{38}/.exec(await run(createKey.replace('acc_…', account)))?.[0] ?? '';
    assert.match(key, /^plk_/);
    const exports = exportLine.replace('plk_…', key).replace(README_ORIGIN, origin);

    let listingId = '';
    for (const step of block('console', 'curl').split(/^\$ /m).slice(1)) {
      const [command = '', ...expected] = step.split('\n');
      const output = await run(`${exports}; ${command.replace(/lst_[0-9a-z]{26}/, listingId)}`);
      assert.equal(withoutChance(output), withoutChance(expected.join('\n')), command);
      listingId ||= /lst_[0-9a-z]{26}/.exec(output)?.[0] ?? '';
    }
    assert.match(listingId, /^lst_/);
  });

  test('names every setting, with its default', () => {
    const source = readFileSync(join(REPOSITORY, 'server/src/config.ts'), 'utf8');
    const settingNames = new Set([...source.matchAll(/\benv\.([A-Z_]+)/g)].map(([, name]) => name));
    const documented = new Set([...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name));
    assert.deepEqual(documented, settingNames);
  });

  /** The first block of a language that has a word in it. */
  function block(language: string, word: string): string {
    const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```/gms)];
    const found = blocks.find(([, candidate, text]) => candidate === language && text?.includes(word));
    assert.ok(found?.[2], `the README has no ${language} block with ${word}`);
    return found[2];
  }

  async function run(command: string): Promise<string> {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: REPOSITORY, env: settings });
    return stdout;
  }
});

/** Ids, times and the like differ each time. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/lst_[0-9a-z]{26}/g, 'lst_')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"requestId":"[0-9a-f-]{36}"/g, '"requestId"')
    .replaceAll(/"epoch":"\w{8}"/g, '"epoch"')
    .trim();
}

async function listeningUrl(service: ReturnType<typeof spawn>): Promise<string> {
  assert.ok(service.stdout);
  for await (const line of createInterface({ input: service.stdout })) {
    if (line.startsWith('{') && JSON.parse(line).msg === 'listening') return JSON.parse(line).url;
  }
  throw new Error('The service ended before it listened');
}

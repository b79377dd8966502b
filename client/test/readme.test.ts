import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startTestService, type TestService } from '../../testkit/src/service.ts';

const PACKAGE = join(import.meta.dirname, '..');
const TSC = join(PACKAGE, '../node_modules/typescript/bin/tsc');
const run = promisify(execFile);

const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

describe('the README of the client', () => {
  let service: TestService;
  /** In the package, so that its own name leads to it. */
  let directory: string;

  before(async () => {
    service = await startTestService();
    directory = await mkdtemp(join(PACKAGE, 'examples-'));
    for (const [index, code] of examples.entries()) await writeFile(join(directory, `${index}.ts`), code);
    await writeFile(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', include: ['.'] }),
    );
  });

  after(async () => {
    await rm(directory, { recursive: true });
    await service[Symbol.asyncDispose]();
  });

  test('has examples whose types are right', async () => {
    assert.ok(examples.length > 5);
    const { stdout } = await run(process.execPath, [TSC, '-p', directory]).catch((error) => error);
    assert.equal(stdout, '');
  });

  for (const [index, code] of examples.entries()) {
    const name = /client\.(\w+\.\w+|me)/.exec(code)?.[1];
    test(`has example ${index + 1}, with ${name}, that prints what it says`, async () => {
      const { key } = await service.createTenant();
      const env = {
        PATH: process.env.PATH,
        PROPERTY_LISTINGS_API_KEY: key,
        PROPERTY_LISTINGS_BASE_URL: `${service.url}/v1`,
      };
      const args = ['--conditions=@property-listings/source', `${index}.ts`];
      const { stdout } = await run(process.execPath, args, { cwd: directory, env });
      const expected = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);
      assert.deepEqual(stdout.trim().split('\n'), expected);
    });
  }
});

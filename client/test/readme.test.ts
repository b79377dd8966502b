import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startTestService } from '../../testkit/src/service.ts';

const PACKAGE = join(import.meta.dirname, '..');
const TSC = join(PACKAGE, '../node_modules/typescript/bin/tsc');
const run = promisify(execFile);

const files = await readdir(join(PACKAGE, 'examples'));
const receivers = await Promise.all(files.map((file) => readFile(join(PACKAGE, 'examples', file), 'utf8')));
const texts = await Promise.all(
  ['README.md', '../docs/webhooks.md'].map((name) => readFile(join(PACKAGE, name), 'utf8')),
);
const blocks = [...texts.join('').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
/** Without the receivers, which run until they are stopped, and have their own test. */
const examples = blocks.filter((code) => !receivers.includes(code));

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

/** Inside the package, so that examples can import it by name. */
const directory = await mkdtemp(join(PACKAGE, 'examples-'));
after(() => rm(directory, { recursive: true }));
for (const [index, code] of examples.entries()) await writeFile(join(directory, `${index}.ts`), code);
await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['.'] }));

describe('the README of the client, and the page about webhooks,', () => {
  test('has examples that compile', async () => {
    assert.ok(examples.length > 5 && examples.length < blocks.length);
    const { stdout } = await run(process.execPath, [TSC, '-p', directory]).catch((error) => error);
    assert.equal(stdout, '');
  });

  for (const [index, code] of examples.entries()) {
    const [whole, name = whole] = /client\.(\w+\.\w+|me)|feeds\.put|verifyWebhook/.exec(code) ?? [];
    test(`has example ${index + 1}, with ${name}, that prints the output that it shows`, async () => {
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

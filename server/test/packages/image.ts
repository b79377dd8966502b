import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { REPOSITORY } from '../../../testkit/src/process.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertWholeService } from './whole-service.ts';

// `npm run test:image` builds the image with podman and runs it. IMAGE_BUILD and IMAGE_BASE replace the images that it
// is built from. Not part of `npm test`, which downloads nothing.

const { IMAGE_BUILD, IMAGE_BASE } = process.env;
const IMAGE = 'localhost/property-listings:test';
const PROGRAM = '/usr/local/bin/property-listings';
const UNPACKED_BYTES_MAX = 180e6;

async function podman(...args: string[]): Promise<string> {
  return (await promisify(execFile)('podman', args, { cwd: REPOSITORY, maxBuffer: 64e6 })).stdout.trim();
}

async function inspect(kind: 'image' | 'container', name: string) {
  return JSON.parse(await podman(kind, 'inspect', name))[0];
}

describe('the container image', () => {
  before(async () => {
    const replaced = { BUILD: IMAGE_BUILD, BASE: IMAGE_BASE };
    const given = Object.entries(replaced).filter(([, image]) => image !== undefined);
    const options = given.flatMap(([name, image]) => ['--build-arg', `${name}=${image}`]);
    await podman('build', '--format', 'docker', ...options, '--tag', IMAGE, '.');
  });
  after(() => podman('image', 'rm', IMAGE));

  test('is small, and has no shell and no privileged user', async () => {
    const { Size, User } = await inspect('image', IMAGE);
    assert.ok(Size <= UNPACKED_BYTES_MAX, `${Size} bytes`);
    assert.equal(User, '65532:65532');
    await assert.rejects(podman('run', '--rm', '--entrypoint', '/bin/sh', IMAGE, '-c', 'true'), /no such file/i);
  });

  test('is the whole service with a read-only file system, and keeps its data when it is killed', async (t) => {
    const { name, url, program } = await startContainer(t);
    const account = JSON.parse(await program('accounts', 'create', '--name', 'Ada', '--json'));
    const { key } = JSON.parse(await program('keys', 'create', '--account', account.id, '--name', 'Test', '--json'));
    await assertWholeService(url, key);
    await podman('healthcheck', 'run', name);
    await program('check');

    await podman('kill', name);
    await podman('start', name);
    await untilReady(url);
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' };
    const body = 'externalId,address,beds,baths\nA-1,7 Oak Lane,2,1\n';
    const run = await fetch(`${url}/v1/feeds/mls`, { method: 'PUT', headers, body });
    assert.equal(Object(await run.json()).created, 1);
    const listed = await fetch(`${url}/v1/listings`, { headers });
    const addresses = Object(await listed.json()).data.map(({ address }: { address: string }) => address);
    assert.deepEqual(addresses, ['7 Oak Lane', '12 Elm Street']);

    await podman('stop', name);
    assert.equal((await inspect('container', name)).State.ExitCode, 0);
  });
});

/** Runs the image as the handbook says. `program` runs a command in the container. */
async function startContainer(t: TestContext) {
  const port = await findFreePort();
  const name = `property-listings-test-${port}`;
  t.after(async () => {
    await podman('rm', '--force', name);
    await podman('volume', 'rm', '--force', name);
  });
  const storage = ['--read-only', '--tmpfs', '/tmp', '--volume', `${name}:/data`];
  // Podman's periodic health checks need systemd; the test runs one itself.
  const options = ['--detach', '--name', name, '--health-interval', 'disable', '--publish', `127.0.0.1:${port}:3000`];
  await podman('run', ...options, ...storage, IMAGE);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url);
  return { name, url, program: (...args: string[]) => podman('exec', name, PROGRAM, ...args) };
}

async function untilReady(url: string): Promise<void> {
  await until('the container is ready', async () => {
    const reply = await fetch(`${url}/readyz`).catch(() => undefined);
    return reply?.status === 200;
  });
}

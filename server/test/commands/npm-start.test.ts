import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createTenantByCommand, environment, REPOSITORY } from '../../../testkit/src/process.ts';
import { openSocket, readReply, requestText } from '../../../testkit/src/raw-http.ts';
import { directoryFor, isRunning, serveFor, spawnFor, waitUntilRefused } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { workersOf } from '../../../testkit/src/workers.ts';
import { assertStored } from '../support/stored.ts';

const BODY = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
const CTRL_C = '\x03';

/** A DATA_DIR relative to the clone's root, removed after the test. */
function relativeDirectoryFor(t: TestContext): string {
  const name = `data-test-${randomUUID()}`;
  defer(t, () => rm(join(REPOSITORY, name), { recursive: true, force: true }));
  return name;
}

/** Settings that override the developer's `.env`. */
function npmEnvironment(dataDirectory: string): Record<string, string> {
  const update = { npm_config_update_notifier: 'false' };
  return environment({ ...update, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: '', DATA_DIR: dataDirectory });
}

/** All processes with this DATA_DIR: npm, its shell, the service. */
async function processesOf(dataDirectory: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const variables = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (variables.split('\0').includes(`DATA_DIR=${dataDirectory}`)) found.push(Number(name));
  }
  return found;
}

/** Kills processes left by a failed test. */
function endAllAfter(t: TestContext, dataDirectory: string): void {
  defer(t, async () => {
    for (const pid of await processesOf(dataDirectory)) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
}

async function npmStart(t: TestContext, dataDirectory: string) {
  endAllAfter(t, dataDirectory);
  const { child, output, closed } = spawnFor(t, 'npm', ['start'], npmEnvironment(dataDirectory), REPOSITORY);
  const line = await until('npm start listens', () =>
    output.stdout.split('\n').find((text) => text.includes('"listening"')),
  );
  const { url, pid } = JSON.parse(line);
  return { npm: child, closed, url: String(url), pid: Number(pid) };
}

async function sendHalf(t: TestContext, url: string, key: string): Promise<Socket> {
  const socket = await openSocket(url);
  defer(t, () => socket.destroy());
  const head = requestText('POST', '/v1/listings', key, BODY).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n');
  socket.write(head.slice(0, -BODY.length));
  await once(socket, 'data');
  socket.write(BODY.slice(0, 10));
  return socket;
}

async function assertFinished(socket: Socket): Promise<void> {
  socket.write(BODY.slice(10));
  assert.equal((await readReply(socket))?.status, 201);
}

test('a key created with npx in any directory of the clone works on the service of npm start', async (t) => {
  const dataDirectory = relativeDirectoryFor(t);
  const { npm, url, closed } = await npmStart(t, dataDirectory);
  const npx = async (...args: string[]) => {
    const cwd = join(REPOSITORY, 'server', 'test');
    const command = spawnFor(t, 'npx', ['property-listings', ...args, '--json'], npmEnvironment(dataDirectory), cwd);
    assert.equal(await command.closed, 0, command.output.stderr);
    assert.ok(command.output.stderr.includes(join(REPOSITORY, dataDirectory, 'listings.db')));
    return JSON.parse(command.output.stdout);
  };
  const { id } = await npx('accounts', 'create', '--name', 'Ada');
  const { key } = await npx('keys', 'create', '--account', id, '--name', 'Test');
  const me = await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(me.status, 200);
  assert.equal(JSON.parse(await me.text()).account.id, id);
  npm.kill('SIGTERM');
  await closed;
});

test('SIGTERM to npm alone stops the service after the current request', async (t) => {
  const directory = await directoryFor(t);
  const { key } = await createTenantByCommand({ DATA_DIR: directory });
  const { npm, url, pid, closed } = await npmStart(t, directory);
  const running = await sendHalf(t, url, key);
  npm.kill('SIGTERM');
  await waitUntilRefused(url);
  await assertFinished(running);
  await closed;
  await until('the service has ended', () => !isRunning(pid));
  assert.deepEqual(await processesOf(directory), []);
  assert.deepEqual(await readdir(directory), ['listings.db', 'listings.requests.db']);
});

test('the process that was started gets V8 flags for memory, and so do its workers', async (t) => {
  const service = await serveFor(t, { DATA_DIR: await directoryFor(t), WORKERS: '2' });
  const pids = [Number(service.child.pid), ...(await workersOf(service))];
  assert.equal(pids.length, 3);
  for (const pid of pids) {
    const [, ...flags] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    assert.deepEqual(flags.slice(0, 2), ['--max-semi-space-size=4', '--initial-old-space-size=24']);
  }
});

for (const WORKERS of ['', '2']) {
  test(`in a terminal the service prints its URL, and a double Ctrl-C stops it after the current request${WORKERS && ` (WORKERS=${WORKERS})`}`, async (t) => {
    const directory = await directoryFor(t);
    const { key } = await createTenantByCommand({ DATA_DIR: directory });
    endAllAfter(t, directory);
    // `script` of util-linux provides a pseudo-terminal; without it, the test must fail.
    const settings = { ...npmEnvironment(directory), WORKERS };
    const terminal = spawnFor(t, 'script', ['-qfec', 'npm start', '/dev/null'], settings, REPOSITORY);
    const { child, output, closed } = terminal;
    await until('the service listens', () => output.stdout.includes('listening'));
    const url = /https?:\/\/[^\s/]+/.exec(output.stdout)?.[0] ?? '';
    assert.ok(output.stdout.includes(`${url}/v1`));
    assert.ok(output.stdout.includes(`${url}/docs`));
    assert.ok(output.stdout.includes(`curl ${url}/v1/listings -H "Authorization: Bearer `));
    assert.ok(output.stdout.includes(join(directory, 'listings.db')));

    const running = await sendHalf(t, url, key);
    child.stdin.write(CTRL_C);
    await sleep(2);
    child.stdin.write(CTRL_C);
    await waitUntilRefused(url);
    await assertFinished(running);
    await closed;
    await until('no process is left', async () => (await processesOf(directory)).length === 0);
    assert.match(output.stdout, /stopped/);
    assert.deepEqual(await readdir(directory), ['listings.db', 'listings.requests.db']);
  });

  test(`when its terminal closes, the service stops after the current request${WORKERS && ` (WORKERS=${WORKERS})`}`, async (t) => {
    const directory = await directoryFor(t);
    const { accountId, key } = await createTenantByCommand({ DATA_DIR: directory });
    endAllAfter(t, directory);
    const settings = { ...npmEnvironment(directory), WORKERS };
    const { child, output } = spawnFor(t, 'script', ['-qfec', 'npm start', '/dev/null'], settings, REPOSITORY);
    await until('the service listens', () => output.stdout.includes('listening'));
    const running = await sendHalf(t, /https?:\/\/[^\s/]+/.exec(output.stdout)?.[0] ?? '', key);
    child.kill('SIGKILL');
    await waitUntilRefused(/https?:\/\/[^\s/]+/.exec(output.stdout)?.[0] ?? '');
    await assertFinished(running);
    await until('no process is left', async () => (await processesOf(directory)).length === 0);
    assert.deepEqual(await readdir(directory), ['listings.db', 'listings.requests.db']);
    await assertStored(directory, accountId, []);
  });
}

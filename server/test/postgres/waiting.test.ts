import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { createPostgresServer } from '../../../testkit/src/postgres.ts';
import { proxyFor } from '../../../testkit/src/postgres-proxy.ts';
import { environment, PROGRAM, runCommand } from '../../../testkit/src/process.ts';
import { directoryFor, spawnFor, waitUntilRefused } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { databaseFor } from './support.ts';

const server = await createPostgresServer();
after(() => server.stop());

const PASSWORD = 'correct-horse';

/** Runs `serve` on a known port. */
async function spawnServe(t: TestContext, given: Record<string, string>) {
  const port = await findFreePort();
  const settings = environment({ PORT: String(port), DATA_DIR: await directoryFor(t), ...given });
  const { child, output, closed } = spawnFor(t, process.execPath, [PROGRAM, 'serve'], settings);
  const url = `http://127.0.0.1:${port}`;
  await until('it listens', () => output.stdout.includes('"level":40') || child.exitCode !== null);
  return { url, child, output, closed };
}

/** The URL of a database on a server that is down. */
async function awayUrl(): Promise<string> {
  return `postgres://postgres:${PASSWORD}@127.0.0.1:${await findFreePort()}/listings`;
}

function isStatus(url: string, wanted: number): Promise<boolean> {
  return fetch(url).then(
    ({ status }) => status === wanted,
    () => false,
  );
}

for (const workers of ['', '2']) {
  const how = workers === '' ? 'one process' : 'workers';
  test(`a service of ${how} whose server is down at startup waits, and serves once the server is up`, async (t) => {
    const { url: DATABASE_URL } = await databaseFor(t, server.url);
    await server.halt('SIGQUIT');
    const { url, child, output, closed } = await spawnServe(t, { DATABASE_URL, WORKERS: workers });
    await until('it answers', () => isStatus(`${url}/livez`, 200));
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(ready.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal(Object(await ready.json()).error.code, 'unavailable');
    assert.equal((await fetch(`${url}/v1/listings`)).status, 503, 'a key that cannot be looked up does not get 401');
    const line = /"path":"\/v1\/listings","status":503,.*"msg":"request"/;
    await until('the request is logged', () => line.test(output.stdout));
    assert.match(output.stdout, /"level":40.*Cannot open the database .*ECONNREFUSED.*Waiting for it/);

    await server.start();
    await until('the service is ready', () => isStatus(`${url}/readyz`, 200));
    assert.equal((await fetch(`${url}/v1/listings`)).status, 401);
    child.kill('SIGTERM');
    assert.equal(await closed, 0);
    assert.match(output.stdout, /"msg":"the database can be reached"/);
    assert.ok(!`${output.stdout}${output.stderr}`.includes(`:${new URL(server.url).password}@`));
  });

  test(`a service of ${how} whose server goes down during startup waits for it`, async (t) => {
    const { url: databaseUrl } = await databaseFor(t, server.url);
    assert.equal((await runCommand(['migrate'], { DATABASE_URL: databaseUrl })).code, 0);
    const proxy = await proxyFor(t, databaseUrl);
    let isGone = false;
    proxy.judge = (_, text) => {
      // The last query before the service listens.
      isGone ||= text.includes('select "cursor_secret"');
      return isGone ? 'cut' : 'forward';
    };
    const given = { DATABASE_URL: proxy.url, WORKERS: workers };
    const stopped = await spawnServe(t, given);
    stopped.child.kill('SIGTERM');
    assert.equal(await until('it stops', () => stopped.child.exitCode ?? undefined), 0);
    await waitUntilRefused(stopped.url);

    isGone = false;
    const { url, child, output, closed } = await spawnServe(t, given);
    assert.match(output.stdout, /"level":40.*Waiting for it/);
    if (workers === '') {
      await until('it answers', () => isStatus(`${url}/readyz`, 503));
      assert.ok(await isStatus(`${url}/livez`, 200));
    }
    assert.equal(child.exitCode, null);

    proxy.judge = () => 'forward';
    await until('the service is ready', () => isStatus(`${url}/readyz`, 200));
    await until('it listens', () => output.stdout.includes('"msg":"listening"'));
    child.kill('SIGTERM');
    assert.equal(await closed, 0);
    assert.equal(output.stdout.split('"msg":"listening"').length, 2, output.stdout);
  });

  test(`a service of ${how} exits with one clear line if the server it waited for lacks the database`, async (t) => {
    await server.halt('SIGQUIT');
    const { href: DATABASE_URL } = Object.assign(new URL(server.url), { pathname: '/nowhere' });
    const { output, closed } = await spawnServe(t, { DATABASE_URL, WORKERS: workers });
    await server.start();
    assert.equal(await closed, 1);
    assert.match(output.stderr, /^error: Cannot open the database postgres:.*: database "nowhere" does not exist\.\n$/);
  });

  test(`SIGTERM stops a service of ${how} that waits for its server`, async (t) => {
    const given = { DATABASE_URL: await awayUrl(), WORKERS: workers };
    const { url, child, output, closed } = await spawnServe(t, given);
    child.kill('SIGTERM');
    assert.equal(await closed, 0);
    await waitUntilRefused(url);
    assert.ok(!`${output.stdout}${output.stderr}`.includes(PASSWORD));
  });

  test(`a service of ${how} exits with one clear line if waiting cannot help`, async (t) => {
    const { url } = await databaseFor(t, server.url);
    const [other, wrong] = [new URL(url), new URL(url)];
    other.pathname = '/nowhere';
    wrong.password = PASSWORD;
    const cases: [URL, RegExp][] = [
      [other, /^error: Cannot open the database postgres:.*: database "nowhere" does not exist\.\n$/],
      [wrong, /^error: Cannot open the database postgres:.*: password authentication failed for user "postgres"\.\n$/],
    ];
    const DATA_DIR = await directoryFor(t);
    for (const [{ href }, words] of cases) {
      const { code, stdout, stderr } = await runCommand(['serve'], { DATABASE_URL: href, DATA_DIR, WORKERS: workers });
      assert.equal(code, 1);
      assert.match(stderr, words);
      assert.ok(!`${stdout}${stderr}`.includes(PASSWORD));
      assert.ok(!`${stdout}${stderr}`.includes(`:${new URL(url).password}@`));
    }
  });
}

test('a command reports that the server is down, and exits', async () => {
  const { code, stdout, stderr } = await runCommand(['accounts', 'list'], { DATABASE_URL: await awayUrl() });
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^error: Cannot open the database postgres:.*ECONNREFUSED.*\.\n$/);
  assert.ok(!stderr.includes(PASSWORD));
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Browser } from '../../../testkit/src/browser.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { bareEnvironment, REPOSITORY } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertWholeService } from './whole-service.ts';

// `npm run test:executable` builds the executable and runs this. Not part of `npm test`, because the build takes longer
// than most tests.

const PROGRAM = join(REPOSITORY, 'dist/property-listings');
const SIGN_IN = { email: 'ada@example.com', password: 'correct horse battery staple' };

for (const WORKERS of ['', '2']) {
  test(`WORKERS=${WORKERS}: the executable is the whole service in an empty directory`, async (t) => {
    const cwd = await directoryFor(t);
    const [backups, caches] = [await directoryFor(t), await directoryFor(t)];
    // Without Node.js, npm, or anything else on the path.
    const settings = {
      ...{ PATH: '/nowhere', PORT: String(await findFreePort()), XDG_CACHE_HOME: caches },
      ...{ WORKERS, BACKUP_SCHEDULE: 'hourly', BACKUP_DIR: backups },
      ...{ ADMIN_EMAIL: SIGN_IN.email, ADMIN_PASSWORD: SIGN_IN.password },
    };
    const env = bareEnvironment(settings);
    const run = async (...args: string[]) => (await promisify(execFile)(PROGRAM, args, { cwd, env })).stdout;
    const account = JSON.parse(await run('accounts', 'create', '--name', 'Ada', '--json'));
    const { key } = JSON.parse(await run('keys', 'create', '--account', account.id, '--name', 'Test', '--json'));
    const { url, log, end } = await serveFor(t, settings, { program: PROGRAM, cwd, isExecutable: true });
    await assertWholeService(url, key);
    await assertThreads(url, key);
    await until('a backup is made', () => log.find(({ msg }) => msg === 'the database is backed up'));
    assert.equal((await readdir(backups)).filter((name) => name.endsWith('.db')).length, 1);

    await run('backup', 'backup.db');
    assert.equal(await run('check', '--ready'), 'ready\n');
    assert.equal(await end(), 0);
    await run('restore', 'backup.db', '--force');
    assert.equal(JSON.parse(await run('accounts', 'list', '--json'))[0].listings, 2);
    assert.deepEqual((await readdir(cwd)).sort(), ['backup.db', 'backup.db.sha256', 'data']);
    const compiled = await readdir(join(caches, 'property-listings'), { recursive: true });
    assert.ok(compiled.length > 10, `${compiled.length} compiled modules`);
  });
}

test('without a cache directory that only the user can write to, the executable has no cache', async (t) => {
  const shared = await directoryFor(t);
  await chmod(shared, 0o777);
  for (const home of [shared, `/${'h'.repeat(300)}`, '/dev/null', 'relative', '']) {
    const env = bareEnvironment({ HOME: home });
    assert.match((await promisify(execFile)(PROGRAM, ['--version'], { cwd: shared, env })).stdout, /^\d+\.\d+\.\d+\n$/);
  }
  assert.deepEqual(await readdir(shared), []);
});

/** An import, a sign-in, and the request log each have a thread with a program of its own. */
async function assertThreads(url: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' };
  const body = 'address,beds,baths\n7 Oak Lane,2,1\n';
  const imported = await fetch(`${url}/v1/imports`, { method: 'POST', headers, body });
  assert.equal(Object(await imported.json()).created, 1);
  const browser = new Browser({ url });
  assert.equal((await browser.send('POST', '/admin/auth/sign-in/email', SIGN_IN)).status, 200);
  await until('the request is logged', async () => {
    const { data = [] } = Object(await (await browser.fetch('/admin/requests')).json());
    return data.some(({ path }: { path: string }) => path === '/v1/imports');
  });
}

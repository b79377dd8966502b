import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createTenantByCommand, environment, PROGRAM, runCommandWarm } from '../../../testkit/src/process.ts';
import { createDirectory } from '../../../testkit/src/service.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { isWellFormedSecret } from '../../src/model/api-keys.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const EXPIRES_AFTER_MS = 4_000;

const directory = await createDirectory();
after(() => rm(directory, { recursive: true, force: true }));
const settings = { DATA_DIR: directory };
const run = (...args: string[]) => runCommandWarm(args, settings);

/** Runs a command with `--json`: stdout must be one JSON value, and stderr name the database. */
async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  assert.equal(code, 0, stderr);
  assert.equal(stderr, `database: ${join(directory, 'listings.db')}\n`);
  assert.match(stdout, /^[^\n]+\n$/, 'one line');
  return JSON.parse(stdout);
}

const { version } = await runJson('migrate');
const account = await runJson('accounts', 'create', '--name', ' Hill Country Homes ');

const getMe = (url: string, key: string) => fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });

test('output that cannot be written causes one clear error line, and a closed pipe causes none', async (t) => {
  const run = async (args: string[], stdout: 'pipe' | number) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: environment(settings),
      stdio: ['ignore', stdout, 'pipe'],
    });
    child.stdout?.destroy();
    const closed = once(child, 'close');
    return { stderr: await textOf(child.stderr ?? Readable.from('')), code: (await closed)[0] };
  };
  const full = await open('/dev/full', 'w');
  defer(t, () => full.close());
  const error = 'error: cannot write the output: ENOSPC: no space left on device, write\n';
  assert.deepEqual(await run(['--help'], full.fd), { stderr: error, code: 1 });
  assert.deepEqual(await run(['--help'], 'pipe'), { stderr: '', code: 1 });
  const named = `database: ${join(directory, 'listings.db')}\n`;
  assert.deepEqual(await run(['backup', '-'], full.fd), { stderr: named + error, code: 1 });
  assert.deepEqual(await run(['backup', '-'], 'pipe'), { stderr: named, code: 1 });
});

test('migrate reports the version of the tables', async () => {
  assert.ok(Number.isInteger(version) && version >= 1);
  assert.deepEqual(await runJson('migrate'), { version });
});

test('accounts create returns ID and name, and accounts list shows the account', async () => {
  assert.deepEqual(Object.keys(account), ['id', 'name']);
  assert.match(account.id, /^acc_[0-9a-z]{26}$/);
  assert.equal(account.name, 'Hill Country Homes');
  const accounts: Record<string, unknown>[] = await runJson('accounts', 'list');
  const shown = accounts.find(({ id }) => id === account.id);
  assert.equal(shown?.name, account.name);
  assert.equal(shown?.listings, 0);
  assert.match(String(shown?.createdAt), TIME);
});

test('keys create prints the key once; keys list and accounts list never show it', async () => {
  const created = await runJson('keys', 'create', '--account', account.id, '--name', 'Website', '--read-only');
  assert.match(created.id, /^key_[0-9a-z]{26}$/);
  assert.match(created.key, /^plk_[0-9A-Za-z]{38}$/);
  assert.ok(isWellFormedSecret(created.key), 'its checksum is correct');
  const { key, ...shown } = created;
  assert.equal(shown.name, 'Website');
  assert.equal(shown.access, 'read');
  assert.equal(shown.expiresAt, null);
  assert.equal(shown.start, key.slice(0, 8));
  assert.match(shown.createdAt, TIME);

  const keys = await runJson('keys', 'list', '--account', account.id);
  assert.deepEqual(
    keys.find(({ id }: { id: string }) => id === created.id),
    shown,
  );
  const outputs = [
    await run('keys', 'list', '--account', account.id),
    await run('keys', 'list', '--account', account.id, '--json'),
    await run('accounts', 'list'),
  ];
  for (const { stdout, stderr } of outputs) assert.ok(!`${stdout}${stderr}`.includes(key.slice(9)));
});

test('keys rename and keys roll change a key; the rolled key is printed once', async () => {
  const { id } = await runJson('keys', 'create', '--account', account.id, '--name', 'Rolled', '--read-only');
  assert.equal((await runJson('keys', 'rename', id, '--name', 'Portal')).name, 'Portal');
  const rolled = await runJson('keys', 'roll', id, '--expires-in-hours', '1');
  assert.ok(isWellFormedSecret(rolled.key));
  const find = async (wanted: string) =>
    (await runJson('keys', 'list', '--account', account.id)).find((key: { id: string }) => key.id === wanted);
  const { key, ...row } = rolled;
  assert.deepEqual([row.name, row.access, row], ['Portal', 'read', await find(row.id)]);
  const old = await find(id);
  assert.equal(old.replacedBy, row.id);
  assert.ok(Math.abs(Date.parse(old.expiresAt) - Date.now() - 3_600_000) < 600_000);
  const again = await run('keys', 'roll', id);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /already been rolled/);
  const { stdout } = await run('keys', 'roll', row.id, '--expires-in-hours', '0');
  assert.match(
    stdout,
    /^plk_\w{38}\n\nThis is the new key "Portal" \(key_\w+\)\. .*\nThe old key key_\w+ is deleted\.\n$/,
  );
  assert.equal(await find(row.id), undefined);
  for (const hours of ['169', '-1', '1.5', 'x'])
    assert.match((await run('keys', 'roll', id, `--expires-in-hours=${hours}`)).stderr, /from 0 to 168/);
});

test('keys delete deletes a key once', async () => {
  const { id } = await runJson('keys', 'create', '--account', account.id, '--name', 'Old');
  assert.deepEqual(await runJson('keys', 'delete', id), { id, deleted: true });
  const keys = await runJson('keys', 'list', '--account', account.id);
  assert.ok(!keys.some((key: { id: string }) => key.id === id));
  const again = await run('keys', 'delete', id);
  assert.equal(again.code, 1);
  assert.match(again.stderr, new RegExp(`There is no key ${id}`));
});

test('without --json the first line is the key alone', async () => {
  const { code, stdout } = await run('keys', 'create', '--account', account.id, '--name', 'For people');
  assert.equal(code, 0);
  const [key = '', blank] = stdout.split('\n');
  assert.ok(isWellFormedSecret(key));
  assert.equal(blank, '');
});

test('names are stored unchanged: 100 characters, quotes, any script', async () => {
  for (const name of ['x'.repeat(100), '🏠'.repeat(100), `O'Neil "& Sons" --json`, '株式会社']) {
    assert.equal((await runJson('accounts', 'create', '--name', name)).name, name);
  }
});

test('empty lists are empty arrays', async (t) => {
  const empty = await createDirectory();
  defer(t, () => rm(empty, { recursive: true, force: true }));
  await runCommandWarm(['migrate'], { DATA_DIR: empty });
  const accounts = await runCommandWarm(['accounts', 'list', '--json'], { DATA_DIR: empty });
  assert.deepEqual(JSON.parse(accounts.stdout), []);
  const { id } = await runJson('accounts', 'create', '--name', 'Without keys');
  assert.deepEqual(await runJson('keys', 'list', '--account', id), []);
});

test('only commands that create something create a missing database', async (t) => {
  const missing = await directoryFor(t);
  for (const args of [
    ['accounts', 'list'],
    ['keys', 'delete', 'key_1'],
    ['administrators', 'list', '--account', 'acc_1'],
    ['usage'],
    ['backup', join(missing, 'backup.db')],
    ['compact'],
    ['renew-epoch'],
  ]) {
    const { code, stderr } = await runCommandWarm(args, { DATA_DIR: missing });
    assert.match(stderr, /error: There is no database .*listings\.db\. Set DATA_DIR or DATABASE_URL/);
    assert.equal(code, 1);
  }
  assert.deepEqual(await readdir(missing), []);
  assert.equal((await runCommandWarm(['accounts', 'create', '--name', 'Ada'], { DATA_DIR: missing })).code, 0);
});

test('a database that cannot be accessed is not reported as missing', async (t) => {
  const directory = await directoryFor(t);
  await symlink('listings.db', join(directory, 'listings.db'));
  const { code, stderr } = await runCommandWarm(['accounts', 'list'], { DATA_DIR: directory });
  assert.match(stderr, /^error: Cannot read and write .*listings\.db: too many symbolic links encountered\./);
  assert.equal(code, 1);
});

test('accounts list --search finds names in any case, and IDs', async () => {
  const made = await runJson('accounts', 'create', '--name', 'Über Homes');
  const search = async (text: string) =>
    (await runJson('accounts', 'list', '--search', text)).map(({ id }: { id: string }) => id);
  assert.deepEqual(await search('über'), [made.id]);
  assert.deepEqual(await search(made.id), [made.id]);
  assert.deepEqual(await search('nothing like it'), []);
  assert.equal((await run('accounts', 'list', '--search', 'nothing like it')).stdout, 'No account matches.\n');
});

test('the running service accepts a created key at once and rejects it once deleted', async (t) => {
  const { url } = await serveFor(t, settings);
  const { id, key } = await runJson('keys', 'create', '--account', account.id, '--name', 'Running');
  const me = await getMe(url, key);
  assert.equal(me.status, 200);
  assert.deepEqual(JSON.parse(await me.text()).account, account);
  await runJson('keys', 'delete', id);
  assert.equal((await getMe(url, key)).status, 401);
});

test('a key with --expires-at works until that time', async (t) => {
  const { url } = await serveFor(t, settings);
  const expiresAtMs = Date.now() + EXPIRES_AFTER_MS;
  const expiresAt = new Date(expiresAtMs).toISOString();
  const args = ['keys', 'create', '--account', account.id, '--name', 'Short', '--expires-at', expiresAt];
  const created = await runJson(...args);
  assert.equal(created.expiresAt, expiresAt);
  await until('the key has expired', async () => {
    const sentAtMs = Date.now();
    const { status } = await getMe(url, created.key);
    if (Date.now() < expiresAtMs) assert.equal(status, 200);
    if (sentAtMs >= expiresAtMs) assert.equal(status, 401);
    return status === 401;
  });
});

test('--expires-at takes a date, or a time with an offset, and stores UTC', async () => {
  const create = (time: string) =>
    runJson('keys', 'create', '--account', account.id, '--name', 'Later', '--expires-at', time);
  assert.equal((await create('2099-01-31')).expiresAt, '2099-01-31T00:00:00.000Z');
  assert.equal((await create('2099-01-31T12:00:00+02:00')).expiresAt, '2099-01-31T10:00:00.000Z');
});

test('keys list shows the last use, and no request waits for writing it', async (t) => {
  const { keyId, key, accountId } = await createTenantByCommand(settings);
  const service = await serveFor(t, settings);
  assert.equal((await getMe(service.url, key)).status, 200);
  assert.equal(await service.end(), 0);
  const [shown] = await runJson('keys', 'list', '--account', accountId);
  assert.equal(shown.id, keyId);
  assert.match(shown.lastUsedAt, TIME);
});

test('lists have headings and mark expired keys', async (t) => {
  const directory = await directoryFor(t);
  const runHere = async (...args: string[]) => (await runCommandWarm(args, { DATA_DIR: directory })).stdout;
  const { id } = JSON.parse(await runHere('accounts', 'create', '--name', 'Hill Country Homes', '--json'));
  const createHere = (...args: string[]) => runHere('keys', 'create', '--account', id, ...args);
  await createHere('--name', 'Website');
  await createHere('--name', 'Later', '--read-only', '--expires-at', '2099-01-31');
  await createHere('--name', 'Short', '--expires-at', new Date(Date.now() + EXPIRES_AFTER_MS).toISOString());
  const short = await until('the key has expired', async () => {
    const list = await runHere('keys', 'list', '--account', id);
    return list.includes('expired') && list;
  });
  assert.match(
    short,
    new RegExp(
      [
        '^ID +KEY +ACCESS +LAST USED +EXPIRES +NAME',
        'key_\\w+ +plk_\\w{4}… +full +never +never +Website',
        'key_\\w+ +plk_\\w{4}… +read +never +2099-01-31T00:00:00.000Z +Later',
        'key_\\w+ +plk_\\w{4}… +full +never +expired \\S+Z +Short\n$',
      ].join('\n'),
    ),
  );
  const columns = short.split('\n').map((line) => line.search(/NAME|Website|Later|Short/));
  assert.equal(new Set(columns.slice(0, 4)).size, 1, 'columns are aligned with their headings');
  assert.match(
    await runHere('accounts', 'list'),
    /^ID +CREATED +LISTINGS +BYTES +RATE LIMIT +NAME\nacc_\w+ +\S+Z +0 +0 +- +Hill Country Homes\n$/,
  );
});

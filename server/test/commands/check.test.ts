import assert from 'node:assert/strict';
import { appendFile, chmod, chown, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { createTenantByCommand, environment, PROGRAM, runCommandWarm } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor, spawnFor } from '../../../testkit/src/serving.ts';
import { firstIdAt } from '../../src/lib/ids.ts';
import { startMailServer } from '../support/mail-server.ts';

interface Finding {
  check: string;
  status: string;
  message: string;
}

async function check(settings: Record<string, string>) {
  const { code, stdout, stderr } = await runCommandWarm(['check', '--json'], settings);
  assert.equal(stderr, '');
  const { ok, checks }: { ok: boolean; checks: Finding[] } = JSON.parse(stdout);
  assert.equal(ok, code === 0);
  const find = (name: string) => checks.filter((finding) => finding.check === name);
  const statusOf = (name: string) =>
    find(name)
      .map(({ status }) => status)
      .join();
  return {
    ok,
    checks,
    find,
    statusOf,
    textOf: (name: string) =>
      find(name)
        .map(({ message }) => message)
        .join('\n'),
  };
}

async function directoriesFor(t: TestContext) {
  const directory = await directoryFor(t);
  return { directory, settings: { DATA_DIR: join(directory, 'data'), PORT: String(await findFreePort()) } };
}

test('before the first start, nothing fails and nothing is created', async (t) => {
  const { directory, settings } = await directoriesFor(t);
  const { ok, statusOf, textOf } = await check(settings);
  assert.ok(ok);
  assert.deepEqual([statusOf('settings'), statusOf('files'), statusOf('service')], ['ok', 'ok', 'ok']);
  assert.match(textOf('database'), /no database yet; the first start creates it/);
  assert.match(textOf('service'), /does not run/);
  assert.deepEqual(await readdir(directory), []);
});

test('the database of a running service can be checked, and the check of a stopped one changes no file', async (t) => {
  const { settings } = await directoriesFor(t);
  await createTenantByCommand(settings);
  const files = async () => {
    const names = await readdir(settings.DATA_DIR);
    return Promise.all(names.map(async (name) => [name, (await stat(join(settings.DATA_DIR, name))).mtimeMs]));
  };
  const before = await files();
  assert.equal((await check(settings)).statusOf('database'), 'ok');
  assert.deepEqual(await files(), before);
  await serveFor(t, settings);
  const { ok, textOf, statusOf, checks } = await check(settings);
  assert.ok(ok, JSON.stringify(checks));
  assert.match(textOf('service'), /runs at http:\/\/127\.0\.0\.1:\d+ and is ready/);
  assert.deepEqual([statusOf('clock'), statusOf('room')], ['ok', 'ok']);
  assert.match(textOf('backups'), /no backup yet; set BACKUP_SCHEDULE/);
});

test('a service that runs with another database fails the check, and each command warns of it', async (t) => {
  const { directory, settings } = await directoriesFor(t);
  await createTenantByCommand(settings);
  const list = (given: Record<string, string>) => runCommandWarm(['accounts', 'list'], given);
  const create = (given: Record<string, string>) => runCommandWarm(['accounts', 'create', '--name', 'New'], given);
  const other = { ...settings, DATA_DIR: join(directory, 'other') };
  assert.doesNotMatch((await create(settings)).stderr, /warning/, 'no service runs');
  await serveFor(t, settings);
  assert.doesNotMatch((await list(settings)).stderr, /warning/);
  const missing = await check(other);
  assert.deepEqual([missing.ok, missing.statusOf('service')], [false, 'failed']);
  const warning = /^warning: a service runs at http:\/\/127\.0\.0\.1:\d+, but with another database; give/m;
  assert.match((await create(other)).stderr, warning);
  const unused = await check(other);
  assert.deepEqual([unused.ok, unused.statusOf('service')], [false, 'failed']);
  assert.match(unused.textOf('service'), /with another database; give this command the same DATA_DIR or DATABASE_URL/);
  const { code, stderr } = await list(other);
  assert.equal(code, 0);
  assert.match(stderr, warning);
});

test('--ready succeeds only while the service runs here and is ready', async (t) => {
  const { settings } = await directoriesFor(t);
  const ready = () => runCommandWarm(['check', '--ready'], settings);
  assert.deepEqual(await ready(), { code: 1, stdout: 'not ready\n', stderr: '' });
  const other = createServer((_, response) => response.end('hello')).listen(Number(settings.PORT), '127.0.0.1');
  assert.deepEqual(await ready(), { code: 1, stdout: 'not ready\n', stderr: '' });
  await new Promise((resolve) => other.close(resolve));
  const served = await serveFor(t, settings);
  assert.deepEqual(await ready(), { code: 0, stdout: 'ready\n', stderr: '' });
  const { stdout } = await runCommandWarm(['check', '--ready', '--json'], settings);
  assert.deepEqual(JSON.parse(stdout), { ready: true });
  await served.end('SIGTERM');
  assert.equal((await ready()).code, 1);
});

test('a mistyped setting is named with the one that is probably meant', async (t) => {
  const { settings } = await directoriesFor(t);
  const { textOf, ok } = await check({
    ...settings,
    TRUSTED_PROXY: '127.0.0.1',
    PUBLIC_URLS: 'https://a.example',
    MAIL: '/var/mail/ada',
  });
  assert.ok(ok, 'they are warnings');
  assert.match(textOf('settings'), /TRUSTED_PROXY is not a setting; did you mean TRUSTED_PROXIES\?/);
  assert.match(textOf('settings'), /PUBLIC_URLS is not a setting; did you mean PUBLIC_URL\?/);
  assert.doesNotMatch(textOf('settings'), /\b(PATH|HOME|MAIL)\b/);
});

test('an invalid setting is the only finding', async (t) => {
  const { settings } = await directoriesFor(t);
  const { ok, checks } = await check({ ...settings, LOG_LEVEL: 'loud' });
  assert.deepEqual([ok, checks.length], [false, 1]);
  assert.match(checks[0]?.message ?? '', /^LOG_LEVEL must be one of/);
});

test('settings with which the service does not start fail, and so does a DATA_DIR that is not a directory', async (t) => {
  const { directory, settings } = await directoriesFor(t);
  const administrator = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'orchid plum 8841 sky' };
  assert.ok((await check({ ...settings, ...administrator })).ok);
  const file = join(directory, 'file');
  await writeFile(file, '');
  for (const [name, words, given] of [
    ['database', /ADMIN_EMAIL .* email address/, { ...administrator, ADMIN_EMAIL: 'nonsense' }],
    ['database', /ADMIN_PASSWORD .* too common/, { ...administrator, ADMIN_PASSWORD: 'password1' }],
    ['database', /ADMIN_PASSWORD .* line breaks/, { ...administrator, ADMIN_PASSWORD: 'orchid plum\n8841 sky' }],
    ['settings', /METRICS_ADDRESS must not be/, { METRICS_ADDRESS: `127.0.0.1:${settings.PORT}` }],
    ['files', /file is not a directory; set DATA_DIR to one/, { DATA_DIR: file }],
    ['files', /file is not a directory; set DATA_DIR to one/, { DATA_DIR: join(file, 'data') }],
  ] as const) {
    const all = { ...settings, ...given };
    const { find, ok, checks } = await check(all);
    assert.deepEqual([ok, find(name).map(({ status }) => status)], [false, ['failed']]);
    assert.match(find(name)[0]?.message ?? '', words);
    if (name === 'files') assert.doesNotMatch(JSON.stringify(checks), /the first start creates|chmod/);
    const served = await runCommandWarm(['serve'], all);
    assert.equal(served.code, 1);
    assert.match(served.stderr, words);
  }
});

test('files that others can read are warned about, and files of another user fail', async (t) => {
  const { settings } = await directoriesFor(t);
  await createTenantByCommand(settings);
  const file = join(settings.DATA_DIR, 'listings.db');
  await chmod(file, 0o644);
  const { statusOf, textOf } = await check(settings);
  assert.equal(statusOf('files'), 'warning');
  assert.ok(textOf('files').includes(`(mode 644); chmod 600 ${file}`));
});

test('the advice for a secret that others can read leaves it readable for the service', async (t) => {
  const { directory, settings } = await directoriesFor(t);
  const secret = join(directory, 'database-url');
  await writeFile(secret, `file:${join(directory, 'listings.db')}`);
  await chmod(secret, 0o644);
  const { textOf } = await check({ ...settings, DATABASE_URL_FILE: secret });
  const isOfRoot = process.getuid?.() === 0;
  const advice = isOfRoot ? `give it the service's group, and chmod 640 ${secret}` : `chmod 600 ${secret}`;
  assert.ok(textOf('files').includes(`(mode 644); ${advice}`), textOf('files'));
});

test('a database of another release, an unfinished copy, and a time in the future are reported', async (t) => {
  const { settings } = await directoriesFor(t);
  await createTenantByCommand(settings);
  const change = (sql: string) => {
    const database = new DatabaseSync(join(settings.DATA_DIR, 'listings.db'));
    database.exec(sql);
    database.close();
  };
  change(`update account_heads set newest_id = '${firstIdAt('lst', Date.now() + 7_200_000)}0000000000000000'`);
  assert.match((await check(settings)).textOf('clock'), /is 119 minutes behind the newest time/);
  change("update database_info set epoch = 'copy-of-12345678'");
  const copy = await check(settings);
  assert.deepEqual([copy.ok, /unfinished copy/.test(copy.textOf('database'))], [false, true]);
  change('pragma user_version = 3');
  assert.match(
    (await check(settings)).textOf('database'),
    /the next start migrates .* from version 3 to \d+; make a backup/,
  );
  change('pragma user_version = 999');
  assert.match((await check(settings)).textOf('database'), /schema version 999/);
});

test('a public URL must lead to this service', async (t) => {
  const { settings } = await directoriesFor(t);
  const { url } = await serveFor(t, settings);
  assert.match((await check({ ...settings, PUBLIC_URL: url })).textOf('public URL'), /leads to the service/);
  const other = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
  defer(t, () => other.close());
  const port = await new Promise<number>((resolve) =>
    other.once('listening', () => resolve(Object(other.address()).port)),
  );
  const wrong = await check({ ...settings, PUBLIC_URL: `http://127.0.0.1:${port}` });
  assert.match(wrong.textOf('public URL'), /responds with 200, but the response is not from this service/);
  const taken = await check({ ...settings, PORT: String(port) });
  assert.match(taken.textOf('service'), /another program listens/);
  const nowhere = await check({ ...settings, PUBLIC_URL: `http://127.0.0.1:${await findFreePort()}` });
  assert.deepEqual([nowhere.ok, nowhere.statusOf('public URL')], [false, 'failed']);
});

test('the mail server is reached, and no mail is sent', async (t) => {
  const { settings } = await directoriesFor(t);
  const mail = await startMailServer();
  defer(t, () => mail.close());
  const given = { ...settings, MAIL_FROM: 'listings@example.com', PUBLIC_URL: 'http://127.0.0.1:1' };
  assert.equal((await check({ ...given, SMTP_URL: mail.url })).statusOf('mail'), 'ok');
  assert.deepEqual(mail.letters, []);
  const secret = await check({ ...given, SMTP_URL: `smtp://ada:secret@127.0.0.1:${await findFreePort()}` });
  assert.equal(secret.statusOf('mail'), 'failed');
  assert.doesNotMatch(JSON.stringify(secret.checks), /secret/);
});

test('a PostgreSQL database is read without creating tables', async (t) => {
  const { settings } = await directoriesFor(t);
  const database = await createPostgresDatabase();
  defer(t, () => database.drop());
  const given = { ...settings, DATABASE_URL: database.url };
  const empty = await check(given);
  assert.match(empty.textOf('database'), /has no tables yet/);
  assert.match((await check(given)).textOf('database'), /has no tables yet/);
  assert.equal((await runCommandWarm(['migrate'], given)).code, 0);
  const { statusOf } = await check(given);
  assert.deepEqual([statusOf('database'), statusOf('clock')], ['ok', 'ok']);
  assert.match(empty.textOf('backups'), /not checked on PostgreSQL/);
  const lost = await check({ ...given, DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/listings' });
  assert.equal(lost.statusOf('database'), 'failed');
  assert.match(lost.textOf('database'), /Cannot open the database postgres:\/\/ada:\*\*\*@127\.0\.0\.1:1\/listings/);
});

test('a support bundle describes the service without secrets, requests, or listings', async (t) => {
  const { directory, settings } = await directoriesFor(t);
  const secrets = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough sentence' };
  const { key } = await createTenantByCommand(settings);
  const { url, log } = await serveFor(t, { ...settings, ...secrets });
  const send = (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    return fetch(url + path, { ...init, headers });
  };
  await send('/v1/listings', {
    method: 'POST',
    body: '{"address":"12 Elm Street","beds":3,"baths":2,"externalId":"mls-77"}',
  });
  await send('/v1/listings/external/mls-77');
  const logFile = join(directory, 'service.log');
  await writeFile(logFile, `${log.map((line) => JSON.stringify(line)).join('\n')}\nnot JSON\n`);
  const file = join(directory, 'bundle.json');
  const made = await runCommandWarm(['support-bundle', file, '--log', logFile], { ...settings, ...secrets });
  assert.equal(made.code, 0, made.stderr);
  const text = await readFile(file, 'utf8');
  for (const secret of [key, 'sentence', 'Elm Street', 'mls-77']) assert.ok(!text.includes(secret), secret);
  const bundle = JSON.parse(text);
  assert.equal(bundle.settings.ADMIN_PASSWORD, '***');
  assert.ok(bundle.checks.length > 3);
  const listings = bundle.database.tables.find(({ name }: { name: string }) => name === 'listings');
  assert.ok(listings.rows === 1 && listings.bytes > 0);
  assert.ok(bundle.log.some(({ msg }: { msg: string }) => msg === 'listening'));
  // Longer than a string can be.
  await truncate(logFile, 550_000_000);
  await appendFile(logFile, `\n${JSON.stringify({ ...log[0], msg: 'the newest line' })}`);
  const large = join(directory, 'large.json');
  assert.equal((await runCommandWarm(['support-bundle', large, '--log', logFile], settings)).code, 0);
  const lines: { msg: string }[] = JSON.parse(await readFile(large, 'utf8')).log;
  assert.equal(lines.at(-1)?.msg, 'the newest line');
  assert.equal(lines.length, bundle.log.length + 1);
  const again = await runCommandWarm(['support-bundle', file], settings);
  assert.deepEqual([again.code, /already exists; name another file/.test(again.stderr)], [1, true]);
});

test('with a database of another user, root creates files for that user', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can');
  const { directory, settings } = await directoriesFor(t);
  await mkdir(settings.DATA_DIR);
  await chown(settings.DATA_DIR, 12_345, 12_345);
  const migrate = spawnFor(t, process.execPath, [PROGRAM, 'migrate'], environment(settings));
  assert.equal(await migrate.closed, 0);
  const ownerOf = async (path: string) => (await stat(path)).uid;
  assert.equal(await ownerOf(join(settings.DATA_DIR, 'listings.db')), 12_345);
  const backup = join(directory, 'backup.db');
  assert.equal((await runCommandWarm(['backup', backup], settings)).code, 0);
  assert.equal((await runCommandWarm(['restore', backup, '--force'], settings)).code, 0);
  for (const name of await readdir(settings.DATA_DIR))
    assert.equal(await ownerOf(join(settings.DATA_DIR, name)), 12_345, name);
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTenantByCommand, runCommandWarm } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { startReceiver } from '../support/receiver.ts';

// `npm run prove -- backups` covers backups under load.

test('the epoch can be renewed while the service runs', async (t) => {
  const settings = { DATA_DIR: await directoryFor(t), RATE_LIMIT: 'off' };
  const { key } = await createTenantByCommand(settings);
  const { url } = await serveFor(t, settings);
  const readEpoch = async (): Promise<string> => {
    const response = await fetch(`${url}/v1/events`, { headers: { Authorization: `Bearer ${key}` } });
    return JSON.parse(await response.text()).epoch;
  };
  const epoch = await readEpoch();
  const { stdout } = await runCommandWarm(['renew-epoch', '--json'], settings);
  const renewed = await readEpoch();
  assert.equal(renewed, JSON.parse(stdout).epoch);
  assert.notEqual(renewed, epoch);
  assert.match(renewed, /^[0-9a-z]{8}$/);
});

test('only its owner can read a backup and its digest', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data') };
  await createTenantByCommand(settings);
  const backup = join(directory, 'backup.db');
  assert.equal((await runCommandWarm(['backup', backup], settings)).code, 0);
  for (const file of [backup, `${backup}.sha256`]) assert.equal((await stat(file)).mode & 0o777, 0o600, file);
});

test('a path that cannot be used is reported in one line', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data') };
  await createTenantByCommand(settings);
  const file = join(directory, 'file');
  await writeFile(file, 'not a database, but longer than a header. '.repeat(200));
  for (const [args, given, words] of [
    [['backup', join(file, 'x.db')], {}, /There is no directory .*file; create it first/],
    [['backup', join(directory, 'x'.repeat(300))], {}, /Cannot write the backup .*name too long/],
    [['backup', join(directory, 'x.db')], { DATA_DIR: file }, /file is not a directory; set DATA_DIR to one/],
    [['compact'], { DATA_DIR: file }, /file is not a directory; set DATA_DIR to one/],
    [['compact'], { DATABASE_URL: `file:${file}` }, /Cannot compact .*file: file is not a database/],
  ] as [string[], Record<string, string>, RegExp][]) {
    const { code, stdout, stderr } = await runCommandWarm(args, { ...settings, ...given });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, words);
    assert.match(stderr, /^(database: [^\n]*\n)?error: [^\n]*\n$/);
  }
  assert.deepEqual(await readdir(directory), ['data', 'file']);
});

test('a backup succeeds even if its time cannot be recorded beside the database', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data') };
  await createTenantByCommand(settings);
  await mkdir(join(settings.DATA_DIR, 'listings.db-last-backup'));
  const backup = join(directory, 'backup.db');
  const { code, stderr } = await runCommandWarm(['backup', backup], settings);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^warning: The backup is complete, but .*listings\.db-last-backup cannot be written: EISDIR/m);
  assert.equal((await runCommandWarm(['restore', backup, '--force'], settings)).code, 0);
});

test('a restore never reuses the version of a lost change, so its ETag never matches', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data'), RATE_LIMIT: 'off' };
  const { key } = await createTenantByCommand(settings);
  const backup = join(directory, 'backup.db');
  const json = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const change = async (url: string, method: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { method, headers: { ...json, ...headers }, body: JSON.stringify(body) });
    const { id, version } = JSON.parse(await response.text());
    return { status: response.status, etag: response.headers.get('etag') ?? '', id, version };
  };
  const first = await serveFor(t, settings);
  const { id, etag } = await change(`${first.url}/v1/listings`, 'POST', { address: '12 Elm', beds: 3, baths: 2 });
  assert.equal((await runCommandWarm(['backup', backup], settings)).code, 0);
  const lost = await change(`${first.url}/v1/listings/${id}`, 'PATCH', { beds: 7 });
  assert.equal(lost.version, 2);
  await first.end();
  assert.equal((await runCommandWarm(['restore', backup, '--force'], settings)).code, 0);

  const listing = `${(await serveFor(t, settings)).url}/v1/listings/${id}`;
  const statusFor = async (tag: string) =>
    (await fetch(listing, { headers: { ...json, 'If-None-Match': tag } })).status;
  assert.deepEqual(
    [await statusFor(etag), await statusFor(lost.etag)],
    [304, 200],
    'the restored listing has its old ETag',
  );
  const changed = await change(listing, 'PATCH', { beds: 1 });
  assert.ok(changed.version > lost.version);
  assert.equal(changed.etag, `"${changed.version}"`);
  assert.equal(await statusFor(lost.etag), 200);
  assert.equal((await change(listing, 'PATCH', { beds: 7 }, { 'If-Match': lost.etag })).status, 412);
  assert.equal(
    (await change(listing, 'PATCH', { beds: 2 }, { 'If-Match': changed.etag })).version,
    changed.version + 1,
  );
});

test('a failed restore names the file and says what to do', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data') };
  const backup = join(directory, 'backup.db');
  await createTenantByCommand(settings);
  const made = await runCommandWarm(['backup', backup], settings);
  assert.match(made.stdout, /backup\.db: \d+ bytes.*\n.*backup\.db\.sha256: its digest/);
  const refuse = async (words: RegExp, file = backup) => {
    const { code, stderr } = await runCommandWarm(['restore', file, '--force'], settings);
    assert.equal(code, 1);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /errno|\n {4}at |\.restoring/);
  };
  await refuse(/is a directory; name a file that `backup` wrote/, directory);
  await rename(`${backup}.sha256`, `${backup}.kept`);
  await refuse(/There is no .*backup\.db\.sha256; `backup` wrote it next to backup\.db: copy it from there/);
  await mkdir(`${backup}.sha256`);
  await refuse(/Cannot read .*backup\.db\.sha256: illegal operation on a directory/);
  await rm(`${backup}.sha256`, { recursive: true });
  await rename(`${backup}.kept`, `${backup}.sha256`);
  if (process.getuid?.() !== 0) {
    await chmod(backup, 0);
    await refuse(/Cannot read .*backup\.db: permission denied\./);
    await chmod(backup, 0o600);
  }
  const { stderr } = await runCommandWarm(['restore', backup], settings);
  assert.match(stderr, /already exists\. To replace it, stop the service and add --force/);
  const { stdout } = await runCommandWarm(['restore', backup, '--force'], settings);
  assert.match(stdout, /The previous database is .*replaced-.*; remove it when you no longer need it/);

  await writeFile(backup, 'listings\n'.repeat(4_096));
  const digest = createHash('sha256')
    .update(await readFile(backup))
    .digest('hex');
  await writeFile(`${backup}.sha256`, `${digest}  backup.db\n`);
  await refuse(/backup\.db cannot be restored, although its digest is correct\. .*Use another backup\.$/m);
});

test('the error says if DATA_DIR is a file or the database is a directory', async (t) => {
  const directory = await directoryFor(t);
  const file = join(directory, 'notes.txt');
  await writeFile(file, 'notes');
  const inFile = await runCommandWarm(['accounts', 'list'], { DATA_DIR: file });
  assert.match(inFile.stderr, /notes\.txt is not a directory; set DATA_DIR to one/);
  await mkdir(join(directory, 'listings.db'));
  const asDirectory = await runCommandWarm(['accounts', 'list'], { DATA_DIR: directory });
  assert.match(asDirectory.stderr, /listings\.db is not a regular file; move it elsewhere/);
});

test('a restore or copy says that webhooks will be sent, and WEBHOOKS=off sends none', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data'), WEBHOOK_ALLOW: '127.0.0.0/8' };
  const { key } = await createTenantByCommand(settings);
  const receiver = await startReceiver(t);
  const send = async (url: string, path: string, body: object) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return JSON.parse(await response.text());
  };
  const first = await serveFor(t, settings);
  const { id } = await send(first.url, '/v1/webhooks', { url: receiver.url });
  await first.end();
  const backup = join(directory, 'backup.db');
  assert.equal((await runCommandWarm(['backup', backup], settings)).code, 0);
  const copy = { ...settings, DATA_DIR: join(directory, 'copy') };
  const restored = await runCommandWarm(['restore', backup], copy);
  assert.match(restored.stdout, /Enabled webhook endpoints: 1\. .*\n.*set WEBHOOKS=off/);
  const urls = { from: `file:${join(settings.DATA_DIR, 'listings.db')}`, to: `file:${join(directory, 'third.db')}` };
  const copied = await runCommandWarm(['copy', '--from', urls.from, '--to', urls.to], {});
  assert.match(copied.stdout, /set WEBHOOKS=off/);

  const off = await serveFor(t, { ...copy, WEBHOOKS: 'off' });
  assert.ok(off.log.some(({ msg }) => msg === 'no webhooks are sent: WEBHOOKS is off'));
  await send(off.url, '/v1/listings', { address: '12 Elm Street', beds: 3, baths: 2 });
  const tried = await send(off.url, `/v1/webhooks/${id}/test`, {});
  assert.match(JSON.stringify(tried), /WEBHOOKS=off/);
  await off.end();
  assert.equal(receiver.requests.length, 0);
  // Without WEBHOOKS=off, the service sends the waiting event.
  await serveFor(t, copy);
  await until('the event arrives', () => receiver.sequences.length > 0);
  assert.deepEqual(receiver.sequences, [1]);
});

test('a restore says which rolled keys and suspensions to renew', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: join(directory, 'data') };
  const { accountId } = await createTenantByCommand(settings);
  const backup = join(directory, 'backup.db');
  const run = async (...args: string[]) => (await runCommandWarm(args, settings)).stdout;
  const [{ id }] = JSON.parse(await run('keys', 'list', '--account', accountId, '--json'));
  await run('backup', backup);
  await run('keys', 'roll', id, '--expires-in-hours', '1');
  await run('accounts', 'suspend', accountId, '--reason', 'Unpaid');
  const shown = await run('restore', backup, '--force');
  assert.match(shown, /keys were rolled after the backup.*\nID .*\n/);
  assert.match(shown, new RegExp(`^${id} `, 'm'));
  assert.match(shown, new RegExp(`Suspend them again.*\\nID .*\\n${accountId} .*Unpaid`));
  await run('keys', 'roll', id);
  const { credentials, rolledKeys, suspensions } = JSON.parse(await run('restore', backup, '--force', '--json'));
  assert.deepEqual([credentials.keys, suspensions], [[], []]);
  assert.deepEqual([rolledKeys.length, rolledKeys[0].id, rolledKeys[0].expiresAt], [1, id, null]);
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { defer } from '../../../testkit/src/cleanup.ts';
import { readMetricsPage } from '../../../testkit/src/metrics.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { createTenantByCommand, environment, PROGRAM, runCommandWarm } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor, spawnFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { type BackupSettings, scheduleBackups } from '../../src/maintenance/backups.ts';
import { claimBackup } from '../../src/storage/last-backup.ts';

/** The file that says whose backups are in the directory. */
const OWNER = 'property-listings-database.txt';
const NAME = /^listings-\d{8}T\d{6}Z\.db$/;

async function start(t: TestContext, given: Record<string, string> = {}) {
  const directory = await directoryFor(t);
  const backups = join(directory, 'backups');
  await mkdir(backups);
  const settings = {
    DATA_DIR: join(directory, 'data'),
    BACKUP_SCHEDULE: 'hourly',
    BACKUP_DIR: backups,
    ...given,
  };
  const tenant = await createTenantByCommand(settings);
  const find = async () => (await readdir(backups)).filter((name) => NAME.test(name));
  return { directory, backups, settings, tenant, find };
}

for (const workers of ['', '2']) {
  test(`WORKERS=${workers}: one process makes a due backup at the start, which can be restored`, async (t) => {
    const { directory, backups, settings, tenant, find } = await start(t, { WORKERS: workers });
    const { log } = await serveFor(t, settings);
    const line = await until('the backup is logged', () => log.find(({ msg }) => msg === 'the database is backed up'));
    const [name = ''] = await find();
    const content = await readFile(join(backups, name));
    assert.equal(line.sha256, createHash('sha256').update(content).digest('hex'));
    assert.deepEqual((await readdir(backups)).sort(), [name, `${name}.sha256`, OWNER]);

    const restored = { DATA_DIR: join(directory, 'restored') };
    assert.equal((await runCommandWarm(['restore', join(backups, name)], restored)).code, 0);
    const { stdout } = await runCommandWarm(['accounts', 'list', '--json'], restored);
    assert.equal(JSON.parse(stdout)[0].id, tenant.accountId);
  });
}

test('two services with one database make one backup, and a later service none until it is due', async (t) => {
  const { settings, find } = await start(t);
  const services = [await serveFor(t, settings), await serveFor(t, settings)];
  const made = () => services.flatMap(({ log }) => log.filter(({ msg }) => msg === 'the database is backed up'));
  await until('a backup is made', () => made().length > 0);
  for (const { end } of services) await end();
  assert.deepEqual([made().length, (await find()).length], [1, 1]);
  const later = await serveFor(t, settings);
  await later.end();
  assert.equal((await find()).length, 1);
});

test('other backups do not replace a scheduled one', async (t) => {
  const { directory, settings, find } = await start(t);
  assert.equal((await runCommandWarm(['backup', join(directory, 'other.db')], settings)).code, 0);
  const { log } = await serveFor(t, settings);
  await until('a backup is made', () => log.find(({ msg }) => msg === 'the database is backed up'));
  assert.equal((await find()).length, 1);
});

test('one process at a time can claim the backup, and if it is killed, another one can', async (t) => {
  const { settings } = await start(t);
  const databaseUrl = `file:${join(settings.DATA_DIR, 'listings.db')}`;
  const module = new URL('../../src/storage/last-backup.ts', import.meta.url);
  const program = `globalThis.claim = (await import('${module}')).claimBackup('${databaseUrl}');
    console.log(claim !== undefined);
    setInterval(() => {}, 1_000);`;
  const args = ['--input-type=module', '--eval', program];
  const { child, output } = spawnFor(t, process.execPath, args, environment(settings));
  await until('the other process has the claim', () => output.stdout === 'true\n');
  assert.equal(claimBackup(databaseUrl), undefined);
  child.kill('SIGKILL');
  await once(child, 'exit');
  using claim = claimBackup(databaseUrl);
  assert.ok(claim);
});

test('expired backups and the remains of killed ones are removed, and no other file', async (t) => {
  const { backups, settings, find } = await start(t, { BACKUP_KEEP: '2 daily' });
  const old = ['listings-20261001T023000Z.db', 'listings-20261002T023000Z.db', 'listings-20261002T033000Z.db'];
  const remains = ['listings-20261003T023000Z.db.rewritten', 'listings-20261003T023000Z.db.sha256'];
  for (const name of [...old, ...old.map((each) => `${each}.sha256`), ...remains, 'other.db', 'listings.db'])
    await writeFile(join(backups, name), name);
  const { log } = await serveFor(t, settings);
  const line = await until('a backup is made', () => log.find(({ msg }) => msg === 'the database is backed up'));
  assert.deepEqual(new Set(Object(line.removed)), new Set(old.slice(0, 2)));
  const kept = await find();
  assert.equal(kept.length, 2);
  const expected = [...kept, ...kept.map((name) => `${name}.sha256`), 'other.db', 'listings.db', OWNER];
  assert.deepEqual((await readdir(backups)).sort(), expected.sort());
});

test('a copy of the service with the same settings leaves the backups alone', async (t) => {
  const { backups, directory, settings, find } = await start(t);
  const service = await serveFor(t, settings);
  await until('a backup is made', () => service.log.find(({ msg }) => msg === 'the database is backed up'));
  const made = await readdir(backups);
  const [file = ''] = await find();
  const copy = { ...settings, DATA_DIR: join(directory, 'copy'), PORT: String(await findFreePort()) };
  assert.equal((await runCommandWarm(['restore', join(backups, file)], copy)).code, 0);
  const { log } = await serveFor(t, copy);
  const line = await until('it is logged', () => log.find(({ msg }) => msg === 'the database could not be backed up'));
  const own = join(settings.DATA_DIR, 'listings.db');
  const reason = `contains the backups of ${own}; set BACKUP_DIR to another directory, or, if that database has been moved`;
  assert.ok(String(line.reason).includes(reason), String(line.reason));
  assert.deepEqual(await readdir(backups), made);
  const { stdout } = await runCommandWarm(['check', '--json'], copy);
  assert.ok(stdout.includes(reason), stdout);
});

test('a failed backup is logged with its reason and counted, and the service stays ready', async (t) => {
  const address = `127.0.0.1:${await findFreePort()}`;
  const { backups, settings } = await start(t, { METRICS_ADDRESS: address });
  await rm(backups, { recursive: true });
  const { log, url } = await serveFor(t, settings);
  const line = await until('it is logged', () => log.find(({ msg }) => msg === 'the database could not be backed up'));
  assert.match(String(line.reason), /no such file or directory.*backups/);
  assert.equal((await readMetricsPage(address)).value('property_listings_backup_failures_total'), 1);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const { stdout, code } = await runCommandWarm(['check', '--json'], { ...settings, PORT: new URL(url).port });
  const failed = JSON.parse(stdout).checks.filter(({ status }: { status: string }) => status === 'failed');
  assert.equal(code, 1);
  assert.match(failed.map(({ message }: { message: string }) => message).join(), /cannot write to BACKUP_DIR/);
});

test('a clock that is ahead when a backup fails does not delay the next attempt', async (t) => {
  const { backups, settings } = await start(t);
  await rm(backups, { recursive: true });
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { now } = Date;
  const clock = t.mock.method(Date, 'now', () => now() + 365 * 86_400_000);
  const failures: string[] = [];
  const logger = pino({}, { write: (line) => void failures.push(line) });
  const plan: BackupSettings = { schedule: 'hourly', directory: backups, keep: [] };
  defer(t, scheduleBackups(plan, `file:${settings.DATA_DIR}/listings.db`, PROGRAM, logger));
  await until('the backup has failed', () => failures.length === 1);
  clock.mock.restore();
  const elapsed = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => elapsed() + 900_000);
  t.mock.timers.tick(20_000);
  await until('it is tried again', () => failures.length === 2);
});

test('backup - streams a backup to standard output, with its digest on stderr', async (t) => {
  const { directory, settings } = await start(t);
  const program = spawnFor(t, process.execPath, [PROGRAM, 'backup', '-'], environment(settings));
  const chunks: Buffer[] = [];
  program.child.stdout.setEncoding('latin1').on('data', (text: string) => chunks.push(Buffer.from(text, 'latin1')));
  assert.equal(await program.closed, 0);
  const content = Buffer.concat(chunks);
  const sha256 = createHash('sha256').update(content).digest('hex');
  assert.ok(program.output.stderr.includes(`${content.length} bytes, SHA-256 ${sha256}`), program.output.stderr);
  const file = join(directory, 'streamed.db');
  await writeFile(file, content);
  await writeFile(`${file}.sha256`, `${sha256}  streamed.db\n`);
  const restored = await runCommandWarm(['restore', file], { DATA_DIR: join(directory, 'restored') });
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual((await readdir(join(directory, 'data'))).sort(), ['listings.db', 'listings.db-last-backup']);
  const json = await runCommandWarm(['backup', '-', '--json'], settings);
  assert.deepEqual([json.code, /omit --json/.test(json.stderr)], [2, true]);
});

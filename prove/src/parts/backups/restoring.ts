import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept, assertSound, type Known } from '../../../../testkit/src/ledger.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import type { Trial } from '../../part.ts';
import { readJson, send, serve } from '../../service.ts';
import type { Source, Taken } from './taking.ts';
import { type Done, ledgerAt, type Noted, readEvents } from './work.ts';

/** Restores a backup to a new place, and compares the result with the original. */
export async function restoreAndCompare(trial: Trial, source: Source, backup: Taken): Promise<void> {
  const digest = hash('sha256', await readFile(backup.file));
  const noted = await readFile(`${backup.file}.sha256`, 'utf8');
  assert.equal(noted, `${digest}  ${basename(backup.file)}\n`, 'the digest file of a backup is wrong');
  const directory = `${backup.file}.restored`;
  const settings = { ...source.site.settings, DATA_DIR: directory };
  const { code, stdout, stderr } = await runCommand(['restore', backup.file, '--json'], settings);
  assert.equal(code, 0, `a backup could not be restored: ${stderr}`);
  const database = await createDatabase(directory, 'sqlite');
  await assertSound(database, 'a restored database');
  const { epoch } = JSON.parse(stdout);
  await compare(trial, source, backup, { settings, database, epoch });
  await rm(directory, { recursive: true });
}

/** Tries restores that must fail and change nothing. */
export async function refuse({ site: { settings }, taken }: Source): Promise<void> {
  const [backup] = taken;
  assert.ok(backup !== undefined);
  const changed = `${backup.file}.changed`;
  const bytes = await readFile(backup.file);
  bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
  await writeFile(changed, bytes);
  await copyFile(`${backup.file}.sha256`, `${changed}.sha256`);
  const empty = { ...settings, DATA_DIR: `${backup.file}.refused` };
  await mkdir(empty.DATA_DIR);
  const wrong = await runCommand(['restore', changed], empty);
  assert.match(wrong.stderr, /does not match .*sha256/, 'the digest of a backup was not checked');
  assert.equal(wrong.code, 1, 'a backup with a wrong digest was restored');
  assert.deepEqual(await readdir(empty.DATA_DIR), [], 'a rejected restore left files behind');

  const path = join(settings.DATA_DIR ?? '', 'listings.db');
  const before = await readFile(path);
  const unasked = await runCommand(['restore', backup.file], settings);
  const isRefused = unasked.code === 1 && /--force/.test(unasked.stderr);
  assert.ok(isRefused, `an existing database was replaced without --force: ${unasked.stderr}`);
  assert.ok(before.equals(await readFile(path)), 'a rejected restore changed the database');
}

/** Checks that a running service's database is not replaced, even with `--force`. */
export async function refuseWhileServed(file: string, settings: Record<string, string>): Promise<void> {
  const { code, stderr } = await runCommand(['restore', file, '--force'], settings);
  const isRefused = code === 1 && /stop the service/.test(stderr);
  assert.ok(isRefused, `a restore succeeded despite a running service: ${stderr}`);
}

/** Asserts that the database has an earlier state of the original, but a new epoch, as the command reported. */
export async function compare(
  trial: Trial,
  { tenant, events, epoch }: Done,
  { before, to, etag }: Pick<Taken, 'before' | 'to' | 'etag'>,
  restored: { settings: Record<string, string>; database: TestDatabase; epoch: string },
): Promise<void> {
  const { key } = tenant;
  const service = await serve(trial, restored.settings);
  const list = await readJson<{ sequence: number; epoch: string }>(service.url, '/listings?limit=1', key);
  const { sequence } = list;
  const missing = before.sequence - sequence;
  assert.ok(missing <= 0, `${missing} acknowledged changes are not in a backup`);
  assert.ok(sequence <= to, `a backup has ${sequence - to} changes from after its end`);
  assertHas(before, ledgerAt(events, sequence).known);
  await assertKept(service.url, tenant, restored.database, ledgerAt(events, sequence));
  const told = await readEvents(service.url, key);
  const different = told.findIndex((event, index) => !isDeepStrictEqual(event, events[index]));
  assert.equal(different, -1, `event ${different + 1} of a backup differs from the original`);

  assert.notEqual(list.epoch, epoch, 'a restored database has the old epoch');
  assert.equal(list.epoch, restored.epoch, 'the command printed a different epoch');
  const expectStatus = async (expected: number, path: string, words: string, headers = {}) => {
    const { status } = await send(service.url, key, 'GET', path, undefined, headers);
    assert.equal(status, expected, words);
  };
  const earlier = `/events?after=${before.sequence}&epoch=${epoch}`;
  await expectStatus(410, earlier, 'an earlier sequence is accepted with the old epoch');
  const later = `/events?after=${events.length}`;
  if (events.length > sequence) await expectStatus(410, later, 'a sequence beyond the restored ones is accepted');
  const matching = { 'If-None-Match': etag };
  if (etag !== undefined) await expectStatus(200, '/listings?limit=1', 'an old ETag still matches', matching);
  assert.equal(await service.end(), 0, 'the service did not exit with 0');
}

/** Asserts that nothing in the backup is older than what was acknowledged before the backup started. */
function assertHas({ known, gone }: Noted, restored: Map<string, { version: number }>): void {
  const isOlder = ({ address, version }: Known) => (restored.get(address)?.version ?? version) < version;
  const older = [...known.values()].filter(isOlder);
  assert.equal(older.length, 0, `${older.length} listings in a backup are older than the acknowledged versions`);
  const back = [...gone].filter((address) => restored.has(address));
  assert.equal(back.length, 0, `${back.length} deleted listings are in a backup`);
}

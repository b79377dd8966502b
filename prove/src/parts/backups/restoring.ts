import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createDatabase } from '../../../../server/test/support/database.ts';
import { assertKept } from '../../../../server/test/support/ledger.ts';
import { runCommand } from '../../../../server/test/support/process.ts';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';
import { ledgerAt, read, readEvents } from './history.ts';
import type { Source, Taken } from './taking.ts';

/** Restores a backup elsewhere, and looks whether it is a state that the service had, under an epoch of its own. */
export async function restoreAndCompare(trial: Trial, source: Source, backup: Taken): Promise<void> {
  const { tenant, events, epoch } = source;
  const { key } = tenant;
  await checkDigest(backup.file);
  const directory = `${backup.file}.restored`;
  const settings = { ...source.settings, DATA_DIR: directory };
  const { code, stdout, stderr } = await runCommand(['restore', backup.file, '--json'], settings);
  assert.equal(code, 0, `a backup could not be restored: ${stderr}`);
  const database = await createDatabase(directory, 'sqlite');
  const [integrity] = await database.sql('pragma integrity_check');
  assert.equal(integrity?.integrity_check, 'ok', 'a restored database is damaged');

  const service = await serve(trial, settings);
  const list = await read<{ sequence: number; epoch: string }>(service.url, '/listings?limit=1', key);
  const { sequence } = list;
  assert.ok(
    sequence >= backup.from,
    `${backup.from - sequence} changes that were acknowledged before are not in a backup`,
  );
  assert.ok(sequence <= backup.to, `a backup has ${sequence - backup.to} changes of after its end`);
  assertHas(backup, ledgerAt(events, sequence).known);
  await assertKept(service.url, tenant, database, ledgerAt(events, sequence));
  const told = await readEvents(service.url, key);
  const different = told.findIndex((event, index) => !isDeepStrictEqual(event, events[index]));
  assert.equal(different, -1, `event ${different + 1} of a backup is not what happened`);

  assert.notEqual(list.epoch, epoch, 'a restored database has the epoch of the one before');
  assert.equal(list.epoch, JSON.parse(stdout).epoch, 'a restored database has another epoch than was said');
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const all = { Authorization: `Bearer ${key}`, ...headers };
    return (await fetch(`${service.url}/v1${path}`, { headers: all })).status;
  };
  assert.equal(
    await ask(`/events?after=${backup.from}&epoch=${epoch}`),
    410,
    'a sequence of before is taken for a new one',
  );
  if (events.length > sequence)
    assert.equal(await ask(`/events?after=${events.length}`), 410, 'a later sequence is good');
  if (backup.etag !== undefined)
    assert.equal(await ask('/listings?limit=1', { 'If-None-Match': backup.etag }), 200, 'an old ETag matches');
  assert.equal(await service.end(), 0, 'the service did not end well');
  await rm(directory, { recursive: true });
}

/** What the load had been told when the backup was begun, whatever the service says. */
function assertHas({ known, gone }: Taken, restored: Map<string, { version: number }>): void {
  const older = [...known.values()].filter(
    ({ address, version }) => (restored.get(address)?.version ?? version) < version,
  );
  assert.equal(older.length, 0, `${older.length} listings of a backup are older than what was acknowledged before`);
  const back = [...gone].filter((address) => restored.has(address));
  assert.equal(back.length, 0, `${back.length} deleted listings are in a backup`);
}

async function checkDigest(file: string): Promise<void> {
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const text = await readFile(`${file}.sha256`, 'utf8');
  assert.equal(text, `${digest}  ${basename(file)}\n`, 'the digest beside a backup is another one');
}

/** What a restore must refuse, and leave as it is. */
export async function refuse({ settings, taken }: Source): Promise<void> {
  const [backup] = taken;
  assert.ok(backup !== undefined);
  const changed = `${backup.file}.changed`;
  await copyFile(backup.file, changed);
  await copyFile(`${backup.file}.sha256`, `${changed}.sha256`);
  await flipLastByte(changed);
  const empty = { ...settings, DATA_DIR: `${backup.file}.refused` };
  await mkdir(empty.DATA_DIR);
  const wrong = await runCommand(['restore', changed], empty);
  assert.match(wrong.stderr, /is not what .*sha256 says/, 'the digest of a backup was not looked at');
  assert.equal(wrong.code, 1, 'a backup that is not what its digest says was restored');
  assert.deepEqual(await readdir(empty.DATA_DIR), [], 'a refused restore left something behind');

  const path = join(settings.DATA_DIR ?? '', 'listings.db');
  const before = await readFile(path);
  const unasked = await runCommand(['restore', backup.file], settings);
  assert.equal(unasked.code, 1, 'a database that was there was replaced without --force');
  assert.ok(before.equals(await readFile(path)), 'a database that was there was changed');
}

async function flipLastByte(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, size - 1);
  await file.close();
}

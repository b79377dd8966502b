import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createDatabase } from '../../../../testkit/src/database.ts';
import { assertSound } from '../../../../testkit/src/ledger.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import type { Trial } from '../../part.ts';
import { compare } from './comparing.ts';
import type { Source, Taken } from './taking.ts';

/** Restores a backup elsewhere and compares it. */
export async function restoreAndCompare(trial: Trial, source: Source, backup: Taken): Promise<void> {
  await checkDigest(backup.file);
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

async function checkDigest(file: string): Promise<void> {
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const text = await readFile(`${file}.sha256`, 'utf8');
  assert.equal(text, `${digest}  ${basename(file)}\n`, 'the digest beside a backup is another one');
}

/** Restores that must fail and change nothing. */
export async function refuse({ site: { settings }, taken }: Source): Promise<void> {
  const [backup] = taken;
  assert.ok(backup !== undefined);
  const changed = `${backup.file}.changed`;
  await copyFile(backup.file, changed);
  await copyFile(`${backup.file}.sha256`, `${changed}.sha256`);
  await flipLastByte(changed);
  const empty = { ...settings, DATA_DIR: `${backup.file}.refused` };
  await mkdir(empty.DATA_DIR);
  const wrong = await runCommand(['restore', changed], empty);
  assert.match(wrong.stderr, /does not match .*sha256/, 'the digest of a backup was not looked at');
  assert.equal(wrong.code, 1, 'a backup that is not what its digest says was restored');
  assert.deepEqual(await readdir(empty.DATA_DIR), [], 'a refused restore left something behind');

  const path = join(settings.DATA_DIR ?? '', 'listings.db');
  const before = await readFile(path);
  const unasked = await runCommand(['restore', backup.file], settings);
  const isRefused = unasked.code === 1 && /--force/.test(unasked.stderr);
  assert.ok(isRefused, `a database that was there was replaced without --force: ${unasked.stderr}`);
  assert.ok(before.equals(await readFile(path)), 'a database that was there was changed');
}

/** A running service's database is not replaced, even with `--force`. */
export async function refuseWhileServed(file: string, settings: Record<string, string>): Promise<void> {
  const { code, stderr } = await runCommand(['restore', file, '--force'], settings);
  const isRefused = code === 1 && /stop the service/.test(stderr);
  assert.ok(isRefused, `a running service was not in the way of a restore: ${stderr}`);
}

async function flipLastByte(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, size - 1);
  await file.close();
}

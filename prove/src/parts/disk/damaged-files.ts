import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createDatabase } from '../../../../testkit/src/database.ts';
import { assertSound } from '../../../../testkit/src/ledger.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import { exitOf } from '../../../../testkit/src/serving.ts';
import type { Trial } from '../../part.ts';
import { ADMINISTRATOR, importRows, readJson, serve, settingsOf } from '../../service.ts';
import { makeTenant, startOrWords } from './filling.ts';

const LISTINGS = 200;
const PAGE_BYTES = 4_096;
const RESTORE = /property-listings restore FILE --force/;

interface Damage {
  what: string;
  do(path: string): void;
  words?: RegExp;
  isSmall?: true;
}

const closedDamages: readonly Damage[] = [
  { what: 'the header is overwritten', do: (path) => overwrite(path, 0, 0.02) },
  { what: 'all but the header is overwritten', do: (path) => overwrite(path, PAGE_BYTES, 1) },
  { what: 'pages in the middle are overwritten', do: (path) => overwrite(path, middleOf(path), 0.25), isSmall: true },
  { what: 'half of it is missing', do: (path) => truncateSync(path, middleOf(path)) },
  { what: 'the last byte is missing', do: (path) => truncateSync(path, statSync(path).size - 1) },
  { what: 'it is empty', do: (path) => truncateSync(path, 0), isSmall: true },
  { what: 'it is a text file', do: (path) => writeFileSync(path, 'listings\n'.repeat(1_000)) },
];

/** Damage that a restore alone does not fix, because the operator has to move the file. */
const strangeFiles: readonly Damage[] = [
  { what: 'it is a directory', do: replaceByDirectory, words: /is not a regular file; move it elsewhere/ },
  { what: 'it belongs to another program', do: replaceByForeign, words: /another program/ },
];

const killedDamages: readonly Damage[] = [
  { what: 'the file is missing, but its log exists', do: (path) => rmSync(path) },
  { what: 'the file is empty, but its log exists', do: (path) => truncateSync(path, 0) },
  { what: 'the log is missing', do: (path) => rmSync(`${path}-wal`), isSmall: true },
];

/** Damage to the log. SQLite reads a log only up to its first broken frame, and does not report an error. */
const logDamages: readonly Damage[] = [
  { what: 'the log is overwritten at its beginning', do: (path) => overwrite(`${path}-wal`, 0, 0.01) },
  {
    what: 'the log is overwritten in the middle',
    do: (path) => overwrite(`${path}-wal`, middleOf(`${path}-wal`), 0.1),
  },
  { what: 'half of the log is missing', do: (path) => truncateSync(`${path}-wal`, middleOf(`${path}-wal`)) },
];

/** Creates a tenant's files as they are after a crash, and a copy and a backup as after a clean stop. */
export async function makeOriginals(trial: Trial) {
  const [killed, closed] = [join(trial.directory, 'killed'), join(trial.directory, 'closed')];
  const settings = { DATA_DIR: killed, ...ADMINISTRATOR };
  const whole = { ...trial, plantedFault: undefined };
  const first = await serve(whole, settings);
  const tenant = await makeTenant(first);
  await first.end();
  const service = await serve(whole, settings);
  const rows = Array.from({ length: LISTINGS }, (_, index) =>
    JSON.stringify({ address: `${index} Lane`, beds: 3, baths: 2, description: 'x'.repeat(1_000) }),
  );
  await importRows(service.url, tenant.key, rows);
  service.child.kill('SIGKILL');
  await exitOf(service.child);
  await cp(killed, closed, { recursive: true });
  // The backup command also checkpoints the log.
  const backup = join(trial.directory, 'listings.backup');
  assert.equal((await runCommand(['backup', backup], settingsOf(whole, { DATA_DIR: closed }))).code, 0);
  return { killed, closed, backup, key: tenant.key };
}

type Originals = Awaited<ReturnType<typeof makeOriginals>>;

/** @returns how many starts failed, files were restored, and logs were read up to the damage */
export async function damageFiles(trial: Trial, originals: Originals) {
  const { killed, closed, key } = originals;
  const directory = join(trial.directory, 'damaged');
  const path = join(directory, 'listings.db');
  const done = { refused: 0, restored: 0, earlier: 0 };
  const damage = async (original: string, { what, do: spoil }: Damage) => {
    await rm(directory, { recursive: true, force: true });
    await cp(original, directory, { recursive: true });
    spoil(path);
    const before = digest(path);
    trial.say(what);
    return { before, started: await startOrWords(trial, { DATA_DIR: directory }) };
  };
  const chosen = (damages: readonly Damage[]) => damages.filter(({ isSmall }) => isSmall || trial.size === 'full');
  for (const each of chosen([...closedDamages, ...strangeFiles, ...killedDamages])) {
    const original = killedDamages.includes(each) ? killed : closed;
    const { before, started } = await damage(original, each);
    assertRefused(started, path, each);
    assert.equal(digest(path), before, `${each.what}: a rejected start changed the file`);
    done.refused += 1;
    if (trial.size === 'small' || !closedDamages.includes(each)) continue;
    await restore(trial, directory, originals, each);
    done.restored += 1;
  }
  for (const each of chosen(logDamages)) {
    const { started } = await damage(killed, each);
    assert.ok(typeof started !== 'string', `${each.what}: ${started}`);
    await assertConsistent(started.url, key, directory);
    await started.end();
    done.earlier += 1;
  }
  return done;
}

function assertRefused(said: unknown, path: string, { what, words = RESTORE }: Damage): void {
  const text = typeof said === 'string' ? said : '';
  assert.ok(text !== '', `${what}: the service starts`);
  assert.match(text, /ended with 1 before/, `${what}: the start does not fail with exit code 1`);
  assert.ok(text.includes(path), `${what}: the error does not name the file: ${text}`);
  assert.match(text, words, `${what}: the error does not say what to do: ${text}`);
}

async function restore(trial: Trial, directory: string, { backup, key }: Originals, { what }: Damage): Promise<void> {
  const settings = settingsOf(trial, { DATA_DIR: directory });
  const { code, stderr } = await runCommand(['restore', backup, '--force'], settings);
  assert.equal(code, 0, `${what}: the restore fails: ${stderr}`);
  const service = await serve(trial, { DATA_DIR: directory });
  assert.equal(await assertConsistent(service.url, key, directory), LISTINGS, `${what}: the restore is incomplete`);
  await service.end();
}

/** Asserts that the list of listings and the events agree. @returns the number of listings */
async function assertConsistent(url: string, key: string, directory: string): Promise<number> {
  const { data, sequence } = await readJson<{ data: unknown[]; sequence: number }>(url, '/listings', key);
  const events = (await readJson<{ data: { sequence: number }[] }>(url, '/events?limit=1000', key)).data;
  const sequences = events.map((event) => event.sequence);
  const expected = Array.from({ length: sequence }, (_, index) => index + 1);
  assert.deepEqual(sequences, expected, 'events have a gap');
  assert.equal(data.length, sequence, 'listings and events differ');
  await assertSound(await createDatabase(directory, 'sqlite'), 'a served database');
  return sequence;
}

function overwrite(path: string, from: number, share: number): void {
  const { size } = statSync(path);
  const bytes = Math.min(Math.ceil(size * share), size - from);
  const file = openSync(path, 'r+');
  writeSync(file, randomBytes(bytes), 0, bytes, from);
  closeSync(file);
}

function middleOf(path: string): number {
  return Math.floor(statSync(path).size / 2 / PAGE_BYTES) * PAGE_BYTES;
}

function replaceByDirectory(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

function replaceByForeign(path: string): void {
  rmSync(path);
  const database = new DatabaseSync(path);
  database.exec('create table songs (title text)');
  database.close();
}

function digest(path: string): string {
  const isFile = existsSync(path) && statSync(path).isFile();
  return isFile ? hash('sha256', readFileSync(path)) : '';
}

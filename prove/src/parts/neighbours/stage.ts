import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listingSource } from '../../../../bench/src/listings.ts';
import { Browser, PASSWORD } from '../../../../testkit/src/browser.ts';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { createDatabase, createPostgresDatabase } from '../../../../testkit/src/database.ts';
import { NDJSON } from '../../../../testkit/src/imports.ts';
import { openOperator } from '../../../../testkit/src/operator.ts';
import { serveFor } from '../../../../testkit/src/serving.ts';
import type { Trial } from '../../part.ts';
import { importRows, postgresFor, readJson, send, settingsOf } from '../../service.ts';
import { LARGE } from './corpus.ts';
import { Gauge } from './gauge.ts';
import type { Scene } from './member.ts';
import { Neighbour } from './neighbour.ts';

export const SETTINGS = ['sqlite', 'workers', 'postgres'] as const;
export type Setting = (typeof SETTINGS)[number];

const LISTINGS = { full: 3_000, small: 500 };
/** The number of listings that the other account reads and changes. */
const FAVORITES = 50;
/** The number of warm-up rounds. It is enough to start all threads, even with two workers. */
const WARM_UPS = 10;
/** Reading this many rows makes a thread allocate all the memory that it keeps afterward. */
const WARM_UP_ROWS = 1_000;

export type Stage = Awaited<ReturnType<typeof setStage>>;

export async function setStage(trial: Trial, setting: Setting) {
  const directory = join(trial.directory, setting);
  await mkdir(directory);
  const gaugeFile = join(trial.directory, `${setting}.gauge`);
  const { settings, databaseUrl, findDatabase } = await databaseOf(trial, setting, directory);
  const given = Gauge.settings(gaugeFile, settingsOf(trial, { DATA_DIR: directory, ...settings }));
  const serve = () => serveFor(trial, given);
  const service = await serve();
  const { scene, key } = await foundAccounts(service.url, databaseUrl, LISTINGS[trial.size]);
  const { ids } = await list(service.url, key);
  await warmUp(service.url, key);
  let generation = 0;
  const begin = (url: string) => {
    generation += 1;
    return new Neighbour(portOf(url), key, ids, `N${generation}`, trial.size);
  };
  const findServing = (): number[] => withChildren(Number(stage.service.child.pid));
  const stage = {
    service,
    gauge: new Gauge(gaugeFile, findServing, () => [...findServing(), ...findDatabase()]),
    neighbour: begin(service.url),
    scene,
    async restart(): Promise<void> {
      stage.neighbour.end();
      for (const pid of findServing().reverse()) process.kill(pid, 'SIGKILL');
      stage.service = await serve();
      await warmUp(stage.service.url, key);
      stage.scene.port = portOf(stage.service.url);
      stage.neighbour = begin(stage.service.url);
    },
  };
  defer(trial, () => stage.neighbour.end());
  return stage;
}

async function databaseOf(trial: Trial, setting: Setting, directory: string) {
  if (setting !== 'postgres') {
    const { url } = await createDatabase(directory, 'sqlite');
    const settings: Record<string, string> = setting === 'workers' ? { WORKERS: '2' } : {};
    return { settings, databaseUrl: url, findDatabase: () => [] };
  }
  const server = await postgresFor(trial);
  const { url } = await createPostgresDatabase(server.url);
  const [pid] = readFileSync(join(server.directory, 'postmaster.pid'), 'utf8').split('\n');
  return { settings: { DATABASE_URL: url }, databaseUrl: url, findDatabase: () => withChildren(Number(pid)) };
}

async function foundAccounts(url: string, databaseUrl: string, listings: number) {
  const ends: (() => unknown)[] = [];
  const operator = await openOperator({ after: (end) => void ends.push(end) }, databaseUrl);
  const [attacker, other] = [await operator.createAccount('Attacker'), await operator.createAccount('Other')];
  const keyOf = async (accountId: string, access: 'full' | 'read') =>
    (await operator.createKey(accountId, { name: 'Key', access })).secret;
  const keys = { full: await keyOf(attacker, 'full'), read: await keyOf(attacker, 'read') };
  const key = await keyOf(other, 'full');
  const given = { accountId: attacker, role: 'administrator', name: 'Mallory', email: 'mallory@example.com' } as const;
  const { email } = await operator.createPerson(given);
  for (const end of ends) await end();
  const browser = new Browser({ url });
  await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
  const { cookie } = browser;
  for (const one of [keys.full, key]) await importRows(url, one, seeds(listings));
  const { id: largeId } = await browser.ask('POST', '/admin/listings', LARGE, 201);
  const { ids, sequence } = await list(url, keys.full);
  const scene: Scene = { port: portOf(url), keys, cookie, listingId: ids[1] ?? '', largeId, sequence };
  return { scene, key };
}

/** Starts the threads for searches and files, so their memory does not count as an attack's memory growth. */
async function warmUp(url: string, key: string): Promise<void> {
  // Each request uses its own connection, because a connection stays with its worker.
  const close = { Connection: 'close' };
  const search = () => send(url, key, 'GET', '/listings?sort=-listPrice&fields=id', undefined, close);
  const file = seeds(WARM_UP_ROWS).join('\n');
  const check = () => send(url, key, 'POST', '/imports?dryRun=true', file, { ...close, 'Content-Type': NDJSON });
  // Send two searches at a time, because more searches from one account would have to wait.
  for (let count = 0; count < WARM_UPS; count += 1) await Promise.all([search(), search(), check()]);
}

function seeds(length: number): string[] {
  const next = listingSource(1, 'A');
  return Array.from({ length }, () => JSON.stringify(next()));
}

async function list(url: string, key: string): Promise<{ ids: string[]; sequence: number }> {
  const path = `/listings?limit=${FAVORITES}`;
  const { data, sequence } = await readJson<{ data: { id: string }[]; sequence: number }>(url, path, key);
  return { ids: data.map(({ id }) => id), sequence };
}

function withChildren(pid: number): number[] {
  try {
    return [pid, ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)];
  } catch {
    return [];
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../../../../testkit/src/database.ts';
import { assertKept, assertSound, createLedger, type Ledger } from '../../../../testkit/src/ledger.ts';
import { type MixedLoad, startMixedLoad } from '../../../../testkit/src/mixed-load.ts';
import { PATIENCE_MS } from '../../../../testkit/src/patient-caller.ts';
import { createTenantByCommand, runCommand, type ServeProcess } from '../../../../testkit/src/process.ts';
import type { Random } from '../../../../testkit/src/random.ts';
import { exitOf, waitUntilRefused } from '../../../../testkit/src/serving.ts';
import { until } from '../../../../testkit/src/until.ts';
import { workersOf } from '../../../../testkit/src/workers.ts';
import type { Trial } from '../../part.ts';
import { serve, settingsOf, spawnServe } from '../../service.ts';

export interface Crashes {
  trial: Trial;
  random: Random;
  name: string;
  count: number;
  settings?: Record<string, string>;
  /** Kills the service or one of its processes. @returns whether the service needs a restart */
  end(service: ServeProcess, random: Random): Promise<boolean>;
  between?(): void;
}

export type Crashed = Awaited<ReturnType<typeof crashAgainAndAgain>>;

const LANES = 8;
/** The maximum of the random time until a crash. */
const MOMENT_MAX_MS = 300;
/** The share of starts that are interrupted by a crash, within `START_MAX_MS`. */
const HALF_STARTS = 0.2;
const START_MAX_MS = 600;
const SAY_EVERY = 25;

/** @returns the sums. `halfStarts` is the number of crashes during a restart */
export async function crashAgainAndAgain(crashes: Crashes) {
  const { trial, random, name, count, end, between } = crashes;
  if (count === 0) return { crashes: 0, halfStarts: 0, ...sumUp(createLedger()) };
  const settings = { DATA_DIR: join(trial.directory, name.replaceAll(' ', '-')), ...crashes.settings };
  // Create the tenant in separate processes, so that their system calls are recorded.
  const tenant = await createTenantByCommand(settingsOf(trial, settings), runCommand);
  between?.();
  let service = await restart(trial, settings);
  const database = await createDatabase(settings.DATA_DIR, 'sqlite');
  const urls = [service.url];
  const load = startMixedLoad(urls, tenant.key, LANES);
  const compare = async () => {
    await load.pause();
    await assertKept(service.url, tenant, database, load.ledger);
    await assertSound(database, 'the database');
  };
  let halfStarts = 0;
  for (let crash = 1; crash <= count; crash += 1) {
    await workFor(load, random.upTo(MOMENT_MAX_MS));
    const isGone = await end(service, random);
    if (isGone) {
      between?.();
      if (random.next() < HALF_STARTS) {
        await startHalf(crashes, settings);
        halfStarts += 1;
      }
      service = await restart(trial, settings);
      urls[0] = service.url;
    }
    await compare();
    load.resume();
    if (crash % SAY_EVERY === 0) trial.say(`${name}: ${crash} crashes`);
  }
  // The last comparison replays all events from the first one.
  await load.pause();
  load.ledger.replayed = { sequence: 0, listings: new Map() };
  await compare();
  await load.finish();
  assert.equal(await service.end(), 0, 'the service did not exit with 0');
  return { crashes: count, halfStarts, ...sumUp(load.ledger) };
}

/** Waits until the load runs, however slow the machine is, and then for `durationMs`. */
async function workFor({ turns, reaches }: MixedLoad, durationMs: number): Promise<void> {
  const sum = () => turns.reduce((total, each) => total + each, 0);
  const before = sum();
  if (!(await reaches(() => sum() >= before + LANES, PATIENCE_MS))) throw new Error('the load does not run');
  await sleep(durationMs);
}

/** Starts the service, and kills it soon afterward, often during its recovery. */
async function startHalf({ trial, random, between }: Crashes, given: Record<string, string>): Promise<void> {
  const { WORKERS: _, ...settings } = given;
  const { child } = spawnServe(trial, settings);
  await sleep(random.upTo(START_MAX_MS));
  child.kill('SIGKILL');
  await exitOf(child);
  between?.();
}

function restart(trial: Trial, settings: Record<string, string>): Promise<ServeProcess> {
  return serve(trial, settings).catch((error) => assert.fail(`the service does not start again: ${error}`));
}

function sumUp({ counts, unknown, replayed }: Ledger) {
  const told = (what: string) => counts.get(what) ?? 0;
  const stored = new Set([...replayed.listings.values()].map(({ address }) => address));
  return {
    acknowledged: told('acknowledged'),
    lost: told('lost'),
    replayed: told('replayed'),
    unknown: unknown.length,
    unknownKept: unknown.filter(([first]) => stored.has(first?.address)).length,
  };
}

export async function killAtOnce(service: ServeProcess): Promise<boolean> {
  const workers = await workersOf(service);
  await killFirst(service, workers, workers);
  return true;
}

/** Kills the first process and these workers, and waits until all workers have ended. */
async function killFirst(service: ServeProcess, killed: readonly number[], workers: readonly number[]): Promise<void> {
  service.child.kill('SIGKILL');
  killed.forEach(kill);
  await exitOf(service.child);
  await waitUntilRefused(service.url);
  const areGone = async () => (await Promise.all(workers.map(hasEnded))).every(Boolean);
  await until('the workers are gone', areGone, PATIENCE_MS);
}

/** Whether a process has ended. Zombies count as ended. */
async function hasEnded(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat === undefined || stat.includes(') Z ');
}

/** Kills all processes, one worker, or the first process; in the last case, the workers then exit. */
export async function killSome(service: ServeProcess, random: Random): Promise<boolean> {
  const what = random.pick(['all', 'all', 'worker', 'first']);
  const workers = await workersOf(service);
  if (what === 'worker') kill(random.pick(workers));
  else await killFirst(service, what === 'all' ? workers : [], workers);
  return what !== 'worker';
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FloodReport } from '../../../../bench/src/flood-order.ts';
import { createDatabase, createPostgresDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept } from '../../../../testkit/src/ledger.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import type { Trial } from '../../part.ts';
import { postgresFor, settingsOf } from '../../service.ts';
import { type Flow, setStage } from './stage.ts';
import {
  assertHonest,
  assertRefuses,
  assertShed,
  describe,
  measureCapacity,
  overload,
  RATIO_MIN,
  UNSENT_SHARE_MAX,
} from './steps.ts';

type Figures = [what: string, value: string][];

/** The number of listings to search. It makes searches so slow that the flood can send ten times the capacity. */
const SEARCHED = 20_000;
const SEARCH_FACTOR = 10;
const LIMIT = '500/10s';
const POLITE_PER_SECOND = 40;

interface Setting {
  settings?: Record<string, string>;
  listed?: number;
  of?: Pick<Flow, 'mix'>;
  factor?: number;
  /** SQLite unless given. */
  database?: TestDatabase;
}

/** Floods a service with these settings far beyond its capacity. */
export async function floodSetting(
  trial: Trial,
  name: string,
  { settings = {}, listed, of = {}, factor = 5, database }: Setting,
  judge: (report: FloodReport, capacity: number) => void,
): Promise<Figures> {
  trial.say(name);
  const [own, DATA_DIR] = await withDirectory(trial, name);
  const stage = await setStage(own, { DATA_DIR, ...settings }, listed);
  const capacity = await measureCapacity(trial, stage, of);
  const [report] = await overload(stage, { perSecond: capacity * factor, ...of });
  judge(report, capacity);
  await assertKept(stage.url, stage.tenant, database ?? (await createDatabase(DATA_DIR, 'sqlite')), stage.ledger);
  return [
    [`${name}: capacity`, `${capacity.toFixed(0)}/s`],
    [`${name}: × ${factor}`, describe(report)],
  ];
}

/** Floods a service that has too few connections to PostgreSQL. */
export async function floodPostgres(trial: Trial): Promise<Figures> {
  const server = await postgresFor(trial);
  const database = await createPostgresDatabase(server.url);
  const settings = { DATABASE_URL: database.url, DATABASE_POOL_SIZE: '4' };
  return floodSetting(trial, 'PostgreSQL with 4 connections', { settings, database }, assertRefuses);
}

export function floodSearches(trial: Trial): Promise<Figures> {
  const setting: Setting = { listed: SEARCHED, of: { mix: [['search', 1]] }, factor: SEARCH_FACTOR };
  return floodSetting(trial, `Searches among ${SEARCHED} listings`, setting, (report, capacity) => {
    assertShed(report);
    const { due, unsent, completedPerSecond } = report;
    assert.ok(unsent <= due * UNSENT_SHARE_MAX, `${unsent} of ${due} searches were not sent`);
    const ratio = completedPerSecond / capacity;
    const words = `at ${SEARCH_FACTOR} times the capacity, throughput is only ${ratio.toFixed(2)} of the capacity`;
    assert.ok(ratio >= RATIO_MIN, words);
  });
}

/** Floods a service with a key far above its rate limit, while another key stays below its limit. */
export async function floodWithLimits(trial: Trial, capacity: number): Promise<Figures> {
  trial.say('a key above its limit, and one below it');
  const [own, DATA_DIR] = await withDirectory(trial, 'limits');
  const settings = { DATA_DIR, RATE_LIMIT: LIMIT };
  const stage = await setStage(own, settings);
  const args = ['keys', 'create', '--account', stage.tenant.accountId, '--name', 'Polite', '--json'];
  const { key } = JSON.parse((await runCommand(args, settingsOf(own, settings))).stdout);
  const perSecond = capacity / 2;
  const [greedy, polite] = await Promise.all([
    stage.flood({ perSecond, seconds: 8, connections: 100 }),
    stage.flood({ perSecond: POLITE_PER_SECOND, seconds: 8, mix: [['listing', 1]] }, { key }),
  ]);
  assertHonest(greedy);
  assertHonest(polite);
  assert.ok((greedy.statuses[429] ?? 0) > 0, 'the key above its limit never got 429');
  assert.deepEqual(Object.keys(polite.statuses), ['200'], 'requests below the limit did not get 200');
  const database = await createDatabase(DATA_DIR, 'sqlite');
  await assertKept(stage.url, { accountId: stage.tenant.accountId, key }, database, stage.ledger);
  const what = `A key at ${perSecond.toFixed(0)}/s with RATE_LIMIT=${LIMIT}: accepted, rejected with 429`;
  return [
    [what, `${greedy.completed}, ${greedy.statuses[429]}`],
    [`A key at ${POLITE_PER_SECOND}/s at the same time: p99`, `${polite.p99Ms.toFixed(0)} ms, no requests rejected`],
  ];
}

async function withDirectory(trial: Trial, name: string): Promise<[Trial, string]> {
  const directory = join(trial.directory, name);
  await mkdir(directory);
  return [{ ...trial, directory }, directory];
}

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase, createPostgresDatabase } from '../../../../testkit/src/database.ts';
import { assertKept } from '../../../../testkit/src/ledger.ts';
import { createPostgresServer } from '../../../../testkit/src/postgres.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import type { Trial } from '../../part.ts';
import { settingsOf } from '../../service.ts';
import { assertHonest, assertRefuses, assertShed } from './assertions.ts';
import { setStage } from './stage.ts';
import { describe, measureCapacity, overload, RATIO_MIN, UNSENT_SHARE_MAX } from './steps.ts';

type Figures = [what: string, value: string][];

const FACTOR = 5;
/** Each search looks at so many, so that a load of many times the capacity can be sent whole. */
const SEARCHED = 20_000;
const SEARCH_FACTOR = 10;
const LIMIT = '500/10s';
/** Below the limit. */
const POLITE_PER_SECOND = 40;

/** Two processes that serve one database file. */
export async function floodWorkers(trial: Trial): Promise<Figures> {
  trial.say('two processes');
  const [own, DATA_DIR] = await withDirectory(trial, 'workers');
  const stage = await setStage(own, { DATA_DIR, WORKERS: '2' });
  const capacity = await measureCapacity(trial, stage);
  const [report] = await overload(stage, { perSecond: capacity * FACTOR });
  assertShed(report);
  await assertKept(stage.url, stage.tenant, await createDatabase(DATA_DIR, 'sqlite'), stage.ledger);
  return [
    ['WORKERS=2: capacity', `${capacity.toFixed(0)}/s`],
    [`WORKERS=2: × ${FACTOR}`, describe(report)],
  ];
}

/** A PostgreSQL whose connections are what everybody waits for. */
export async function floodPostgres(trial: Trial): Promise<Figures> {
  trial.say('PostgreSQL');
  const server = await createPostgresServer();
  trial.after(() => server.stop());
  const database = await createPostgresDatabase(server.url);
  const [own, DATA_DIR] = await withDirectory(trial, 'postgres');
  const stage = await setStage(own, { DATA_DIR, DATABASE_URL: database.url, DATABASE_POOL_SIZE: '4' });
  const capacity = await measureCapacity(trial, stage);
  const [report] = await overload(stage, { perSecond: capacity * FACTOR });
  assertRefuses(report);
  await assertKept(stage.url, stage.tenant, database, stage.ledger);
  return [
    ['PostgreSQL with 4 connections: capacity', `${capacity.toFixed(0)}/s`],
    [`PostgreSQL with 4 connections: × ${FACTOR}`, describe(report)],
  ];
}

/** Searches, of which all that become due can be sent: few are enough to be far too many. */
export async function floodSearches(trial: Trial): Promise<Figures> {
  trial.say('searches');
  const [own, DATA_DIR] = await withDirectory(trial, 'searches');
  const stage = await setStage(own, { DATA_DIR }, SEARCHED);
  const capacity = await measureCapacity(trial, stage, { kind: 'search' });
  const [report] = await overload(stage, { perSecond: capacity * SEARCH_FACTOR, kind: 'search' });
  assertShed(report);
  assert.ok(report.unsent <= report.due * UNSENT_SHARE_MAX, `${report.unsent} of ${report.due} searches were not sent`);
  const ratio = report.completedPerSecond / capacity;
  assert.ok(
    ratio >= RATIO_MIN,
    `at ${SEARCH_FACTOR} times the load there are only ${ratio.toFixed(2)} times as many answers`,
  );
  return [
    [`Searches among ${SEARCHED} listings: capacity`, `${capacity.toFixed(0)}/s`],
    [`Searches among ${SEARCHED} listings: × ${SEARCH_FACTOR}`, describe(report)],
  ];
}

/** A key that sends far more than it may, half of what the service can do, beside one that does not. */
export async function floodWithLimits(trial: Trial, capacity: number): Promise<Figures> {
  trial.say('a key above its limit beside one below');
  const [own, DATA_DIR] = await withDirectory(trial, 'limits');
  const settings = { DATA_DIR, RATE_LIMIT: LIMIT };
  const stage = await setStage(own, settings);
  const args = ['keys', 'create', '--account', stage.tenant.accountId, '--name', 'Polite', '--json'];
  const { key } = JSON.parse((await runCommand(args, settingsOf(own, settings))).stdout);
  const perSecond = capacity / 2;
  const [greedy, polite] = await Promise.all([
    stage.flood({ perSecond, seconds: 8, connections: 100 }),
    stage.flood({ perSecond: POLITE_PER_SECOND, seconds: 8, kind: 'listing' }, { key }),
  ]);
  assertHonest(greedy);
  assertHonest(polite);
  assert.ok((greedy.statuses[429] ?? 0) > 0, 'the key above its limit is told so');
  assert.deepEqual(Object.keys(polite.statuses), ['200'], 'the key below its limit is refused nothing');
  const database = await createDatabase(DATA_DIR, 'sqlite');
  await assertKept(stage.url, { accountId: stage.tenant.accountId, key }, database, stage.ledger);
  return [
    [
      `A key at ${perSecond.toFixed(0)}/s with RATE_LIMIT=${LIMIT}: answers, refused with 429`,
      `${greedy.completed}, ${greedy.statuses[429]}`,
    ],
    [`A key at ${POLITE_PER_SECOND}/s beside it: p99`, `${polite.p99Ms.toFixed(0)} ms, nothing refused`],
  ];
}

async function withDirectory(trial: Trial, name: string): Promise<[Trial, string]> {
  const directory = join(trial.directory, name);
  await mkdir(directory);
  return [{ ...trial, directory }, directory];
}

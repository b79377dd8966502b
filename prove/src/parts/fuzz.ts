import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatCount } from '../../../bench/src/formats.ts';
import { defer } from '../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { bareEnvironment, REPOSITORY } from '../../../testkit/src/process.ts';
import { spawnFor } from '../../../testkit/src/serving.ts';
import { atOnce } from '../at-once.ts';
import type { Part, Trial } from '../part.ts';
import { plantedEnvironment } from '../plant.ts';
import { postgresFor, serve, settingsOf } from '../service.ts';
import { createWorld, type World } from './fuzz/accounts.ts';
import { Tally } from './fuzz/caller.ts';
import { makeDrafts } from './fuzz/drafts.ts';
import { tryJson } from './fuzz/json-trial.ts';
import { Lane } from './fuzz/lane.ts';
import { People, setUp } from './fuzz/people.ts';
import { askForRare, askForRemoved, askOverOldHttp, askWhileUploading, useUpRequests } from './fuzz/rare.ts';
import { tryEachText } from './fuzz/texts-trial.ts';

/**
 * `timesMin`: how often each documented outcome must occur. `share`: one in this many strings and damaged documents is
 * tried. `compared`: requests sent to both engines; in the small form, only if that finds the planted fault.
 */
const SIZES = {
  full: { lanes: 8, worlds: 9, requests: 200_000, lives: 5, timesMin: 3, share: 1, compared: 20_000 },
  small: { lanes: 1, worlds: 2, requests: 1_000, lives: 1, timesMin: 0, share: 30, compared: 1_000 },
};
const DRAFTS = 200;
/** The distance between two lanes' seeds, so that lanes never make the same choices. */
const LANE_SEEDS = 0x1000_0000;
/** The service takes each user's address from `X-Forwarded-For`, and may send webhooks to this machine. */
const SETTINGS = { TRUSTED_PROXIES: '127.0.0.1', WEBHOOK_ALLOW: '127.0.0.0/8' };

export const fuzz: Part = {
  name: 'fuzz',
  title: 'Fuzz from OpenAPI',
  promise: 'Every request gets a documented response, never a server error.',
  async run(trial) {
    const tally = new Tally();
    const { timesMin, requests } = SIZES[trial.size];
    const isOfEngines = trial.plantedFault?.needs === 'both engines';
    const figures = isOfEngines ? [] : await runService(trial, tally);
    if (trial.size === 'full' || isOfEngines) figures.push(...(await tryEngines(trial, tally)));
    const missing = tally.missing(timesMin);
    assert.deepEqual(missing, [], `documented outcomes occurred fewer than ${timesMin} times`);
    return {
      tried: `${formatCount(requests)} random requests, built from the OpenAPI documents and earlier responses; ${formatCount(tally.replies - requests)} more with rare cases, special strings, and JSON of all kinds`,
      figure: '0 5xx responses, 0 undocumented responses, no deleted object came back',
      figures: [...figures, ...tally.lines(), ['not caused by requests alone', tally.unseen()]],
    };
  },
};

async function tryEngines(trial: Trial, tally: Tally): Promise<Figures> {
  const server = await postgresFor(trial);
  const requests = await compareEngines(trial, SIZES[trial.size].compared, server.url);
  const worlds: World[] = [];
  for (const databaseUrl of [`file:${trial.directory}/texts.db`, (await createPostgresDatabase(server.url)).url]) {
    const settings = { ...SETTINGS, DATABASE_URL: databaseUrl };
    const { url } = await serve(trial, settings);
    worlds.push(await createWorld(url, settingsOf(trial, settings), 0));
  }
  return [['requests compared on SQLite and PostgreSQL', String(requests)], ...(await tryTexts(worlds, trial, tally))];
}

async function tryTexts(worlds: World[], { size }: Trial, tally: Tally): Promise<Figures> {
  const { share } = SIZES[size];
  const tryAll = async (world: World) => [
    ...(await tryJson(world, tally, share)),
    ...(await tryEachText(world, tally, share)),
  ];
  const [first = [], ...others] = await Promise.all(worlds.map(tryAll));
  for (const other of others) assert.deepEqual(other, first, 'PostgreSQL and SQLite treat a string differently');
  return [['special strings and JSON documents, in all fields', `${first.length} on each engine`]];
}

type Figures = [string, string][];

async function runService(trial: Trial, tally: Tally): Promise<Figures> {
  const { url } = await serve(trial, SETTINGS);
  const { lanes, worlds: count, lives, timesMin } = SIZES[trial.size];
  await setUp(url, trial.directory, tally, trial.size === 'full');
  const worlds = await atOnce(count, (index) => createWorld(url, settingsOf(trial, SETTINGS), index));
  const shown = setInterval(() => trial.say(`${tally.replies} responses`), 20_000);
  defer(trial, () => clearInterval(shown));
  // No lane uses this account, because `People` changes its administrators.
  const [world] = worlds.slice(-1);
  if (world === undefined) throw new Error('there is no account');
  const live = async (people: People) => {
    for (let number = 0; number < lives; number += 1) await people.live(number, trial.size === 'full');
  };
  await Promise.all([
    ...worlds.slice(0, lanes).map((each, index) => runLane(each, index, trial, tally)),
    live(new People(world, tally)),
  ]);
  await askForRare(world, tally, Math.max(1, timesMin));
  if (trial.size === 'small') return tryTexts([world], trial, tally);
  await askOverOldHttp(world, tally, timesMin);
  await askWhileUploading(world, tally, timesMin);
  await askForRemoved(world, trial, tally, timesMin);
  await useUpRequests(trial, SETTINGS, world, tally);
  return [];
}

async function runLane(world: World, index: number, { seed, size }: Trial, tally: Tally): Promise<void> {
  const { lanes, requests } = SIZES[size];
  const lane = new Lane(world, tally);
  const drafts = makeDrafts();
  await lane.readAll();
  for (let first = 0; first < requests / lanes; first += DRAFTS) {
    const some = fc.sample(drafts, { seed: seed + index * LANE_SEEDS + first, numRuns: DRAFTS });
    for (const draft of some) await lane.take(draft).catch(tell);
  }

  function tell(error: unknown): never {
    const after = `in lane ${index} of seed ${seed}, after:\n${lane.history}`;
    if (error instanceof assert.AssertionError) assert.fail(`${error.message}\n${after}`);
    throw new Error(after, { cause: error });
  }
}

const TEST = `${REPOSITORY}/server/test/postgres/both-engines.test.ts`;

/** Runs the test that compares both engines' responses byte by byte, in one process with one clock. */
async function compareEngines(trial: Trial, requests: number, server: string): Promise<number> {
  const settings = {
    ...plantedEnvironment(trial.plantedFault),
    ENGINE_REQUESTS: String(requests),
    ENGINE_SEED: String(trial.seed),
    TEST_POSTGRES_URL: server,
  };
  const args = ['--test', '--test-isolation=none', '--test-reporter=tap', '--test-timeout=3600000', TEST];
  const { output, closed } = spawnFor(trial, process.execPath, args, bareEnvironment(settings), REPOSITORY);
  const code = await closed;
  const [, count] = /(\d+) requests/.exec(output.stdout) ?? [];
  assert.equal(code, 0, `the engines differ: ${output.stdout.slice(0, 3_000)}${output.stderr.slice(0, 500)}`);
  assert.ok(Number(count) > requests / 2, `only ${count} requests were compared`);
  return Number(count);
}

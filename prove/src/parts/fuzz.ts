import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatCount } from '../../../bench/src/formats.ts';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import type { Part, Trial } from '../part.ts';
import { serve, settingsOf } from '../service.ts';
import { createWorld, type World } from './fuzz/accounts.ts';
import { makeDrafts } from './fuzz/drafts.ts';
import { compareEngines, startEngine } from './fuzz/engines.ts';
import { tryJson } from './fuzz/json-trial.ts';
import { Lane } from './fuzz/lane.ts';
import { People, setUp } from './fuzz/people.ts';
import { DIFFERENCE, plantedFaults } from './fuzz/planted-faults.ts';
import { askForRare, useUpRequests } from './fuzz/rare.ts';
import { Tally } from './fuzz/tally.ts';
import { TextsTrial } from './fuzz/texts-trial.ts';

/**
 * `timesMin`: how often each documented outcome must occur. `share`: one of this many texts.
 * `compared`: requests to both engines; in the small form only for the planted difference.
 */
const SIZES = {
  full: { lanes: 8, worlds: 9, requests: 200_000, lives: 5, timesMin: 3, share: 1, compared: 20_000 },
  small: { lanes: 1, worlds: 1, requests: 1_000, lives: 1, timesMin: 0, share: 30, compared: 1_000 },
};
const DRAFTS = 200;
/** Far enough apart that lanes never share choices. */
const LANE_SEEDS = 0x1000_0000;
/** `X-Forwarded-For` gives each person an address. */
const SETTINGS = { TRUSTED_PROXIES: '127.0.0.1' };

export const fuzz: Part = {
  name: 'fuzz',
  title: 'Fuzz from OpenAPI',
  promise: 'Every request gets a documented response, never a server error.',
  plantedFaults,
  async run(trial) {
    const tally = new Tally();
    const { timesMin, requests } = SIZES[trial.size];
    const isOfEngines = trial.plantedFault === DIFFERENCE;
    const figures = isOfEngines ? [] : await runService(trial, tally);
    if (trial.size === 'full' || isOfEngines) figures.push(...(await tryEngines(trial, tally)));
    const missing = tally.missing(timesMin);
    assert.deepEqual(missing, [], `documented outcomes were seen less than ${timesMin} times`);
    return {
      tried: `${formatCount(requests)} random requests, built from the OpenAPI documents and earlier responses; ${formatCount(tally.replies - requests)} with rare cases, and with texts and JSON of all kinds`,
      figure: '0 responses 5xx, 0 undocumented, no deleted object came back',
      figures: [...figures, ...tally.lines(), ['not reachable by requests alone', tally.unseen()]],
    };
  },
};

async function tryEngines(trial: Trial, tally: Tally): Promise<Figures> {
  const server = await startEngine(trial);
  const requests = await compareEngines(trial, SIZES[trial.size].compared, server);
  const worlds: World[] = [];
  for (const databaseUrl of [`file:${trial.directory}/texts.db`, (await createPostgresDatabase(server)).url]) {
    const settings = { ...SETTINGS, DATABASE_URL: databaseUrl };
    const { url } = await serve(trial, settings);
    worlds.push(await createWorld(url, settingsOf(trial, settings), 0));
  }
  return [['requests compared on SQLite and PostgreSQL', String(requests)], ...(await tryTexts(worlds, trial, tally))];
}

/** Both engines treat a text alike. */
async function tryTexts(worlds: World[], { size }: Trial, tally: Tally): Promise<Figures> {
  const { share } = SIZES[size];
  const fates = await Promise.all(
    worlds.map(async (world) => {
      const texts = new TextsTrial(world, tally);
      const json = await tryJson(world, tally, share);
      await texts.run(share);
      return [...json, ...texts.fates];
    }),
  );
  const [first = [], ...others] = fates;
  for (const other of others) assert.deepEqual(other, first, 'PostgreSQL makes something else of a text than SQLite');
  return [['texts and pieces of JSON, by the places where they were tried', `${first.length} on each engine`]];
}

type Figures = [string, string][];

async function runService(trial: Trial, tally: Tally): Promise<Figures> {
  const { url } = await serve(trial, SETTINGS);
  const { lanes, worlds: count, lives, timesMin } = SIZES[trial.size];
  await setUp(url, trial.directory, tally, trial.size === 'full');
  const worlds = await Promise.all(
    Array.from({ length: count }, (_, index) => createWorld(url, settingsOf(trial, SETTINGS), index)),
  );
  const shown = setInterval(() => trial.say(`${tally.replies} replies`), 20_000);
  trial.after(() => clearInterval(shown));
  const [world] = worlds.slice(-1);
  if (world === undefined) throw new Error('there is no account');
  await Promise.all([
    ...worlds.slice(0, lanes).map((each, index) => runLane(each, index, trial, tally)),
    runPeople(new People(world, tally), lives, trial.size === 'full'),
  ]);
  await askForRare(world, tally, Math.max(1, timesMin));
  if (trial.size === 'small') return tryTexts([world], trial, tally);
  await useUpRequests(trial, SETTINGS, world, tally);
  return [];
}

async function runLane(world: World, index: number, { seed, size }: Trial, tally: Tally): Promise<void> {
  const { lanes, requests } = SIZES[size];
  const lane = new Lane(world, tally);
  const drafts = makeDrafts();
  await lane.begin();
  for (let first = 0; first < requests / lanes; first += DRAFTS) {
    const some = fc.sample(drafts, { seed: seed + index * LANE_SEEDS + first, numRuns: DRAFTS });
    for (const draft of some) await lane.take(draft).catch((error: unknown) => tell(error, lane, `lane ${index}`));
  }

  function tell(error: unknown, { history }: Lane, name: string): never {
    const after = `in ${name} of seed ${seed}, after:\n${history}`;
    if (error instanceof assert.AssertionError) assert.fail(`${error.message}\n${after}`);
    throw new Error(after, { cause: error });
  }
}

async function runPeople(people: People, lives: number, isThorough: boolean): Promise<void> {
  for (let number = 0; number < lives; number += 1) await people.live(number, isThorough);
}
